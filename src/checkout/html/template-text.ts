/** Writes Lit templates as text, for a page that a server renders. Escapes every value, and leaves out event listeners. */

import { nothing } from 'lit';

/** The result of `html` and `svg`. */
interface Template {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
}

/** Matches the end of a template's string just before a value: an attribute, with or without its opening quote. */
const attributeEnd = /\s([@.?]?)([\w-]+)=("?)$/;

/** Attributes that contain ids. They get a prefix, because the page has ids of its own. */
const ids = /\b(id|for|aria-labelledby)="(\w+)"/g;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for the content of an element, and for a quoted attribute. */
function escapeText(value: unknown): string {
  return String(value).replace(/[&<>"']/g, (character) => escapes[character]!);
}

/** Writes a value as HTML. @param value what a template can contain: templates, lists, texts, numbers, `nothing` */
export function toText(value: unknown): string {
  if (value === nothing || value === null || value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.map(toText).join('');
  return isTemplate(value) ? writeTemplate(value) : escapeText(value);
}

function isTemplate(value: unknown): value is Template {
  return typeof value === 'object' && value !== null && '_$litType$' in value;
}

/** Writes a template: its strings, and each value as an attribute or as content. It leaves out listeners. */
function writeTemplate({ strings, values }: Template): string {
  let text = '';
  // A text box has its value as its content.
  let content = '';
  for (const [index, string] of strings.entries()) {
    const part = string.replace(/\n\s+/g, '\n').replace(ids, '$1="pix-$2"');
    const tagEnd = content === '' ? 0 : part.indexOf('>') + 1;
    text += part.slice(0, tagEnd) + content + part.slice(tagEnd);
    if (tagEnd > 0) content = '';
    if (index === values.length) break;
    const value = values[index];
    const [whole = '', kind, name, quote] = attributeEnd.exec(part) ?? [];
    if (kind) text = text.slice(0, -whole.length);
    if (kind === '.') content = escapeText(value);
    else if (kind === '?') text += value ? ` ${name}` : '';
    else if (kind === '') text += quote ? escapeText(value) : `"${escapeText(value)}"`;
    else if (kind !== '@') text += toText(value);
  }
  return text;
}
