/** The caret under typing, deleting and pasting, in tables and against a model that knows digits only. */

import assert from 'node:assert/strict';
import { describe } from 'vitest';
import fc from 'fast-check';
import { formatWithCaret } from '../../../src/domain/card/card-caret.js';
import { formatExpiry, formatCardNumber } from '../../../src/domain/card/card-fields.js';
import { toAlphanumeric } from '../../../src/domain/characters.js';
import { holds, maps } from '../../support/tables.js';

type Format = (text: string) => string;
type Edit =
  | { readonly kind: 'insert'; readonly text: string }
  | { readonly kind: 'backspace' | 'delete' }
  | { readonly kind: 'move'; readonly caret: number };

interface Field {
  readonly text: string;
  readonly caret: number;
}

const empty: Field = { text: '', caret: 0 };

/** What a browser makes of a key in a field, then what the form makes of that. */
function apply(field: Field, edit: Edit, format: Format): Field {
  const { text, caret } = field;
  const change = (from: number, to: number, inserted: string, forward?: boolean) =>
    formatWithCaret(
      text.slice(0, from) + inserted + text.slice(to),
      from + inserted.length,
      format,
      forward,
    );
  switch (edit.kind) {
    case 'insert':
      return change(caret, caret, edit.text);
    case 'backspace':
      return change(Math.max(0, caret - 1), caret, '');
    case 'delete':
      return change(caret, Math.min(text.length, caret + 1), '', true);
    default:
      return { text, caret: Math.min(edit.caret, text.length) };
  }
}

/** The caret is written as a bar. */
function read(shown: string): Field {
  return { text: shown.replace('|', ''), caret: shown.indexOf('|') };
}

const show = ({ text, caret }: Field): string => `${text.slice(0, caret)}|${text.slice(caret)}`;

const type = (text: string): Edit => ({ kind: 'insert', text });
const backspace: Edit = { kind: 'backspace' };
const forwardDelete: Edit = { kind: 'delete' };

/** What a field shows after an edit. */
const editing = (format: Format) => (before: string, edit: Edit) =>
  show(apply(read(before), edit, format));

describe('the caret in a card number', () => {
  maps(editing(formatCardNumber), [
    ['4111|', type('2'), '4111 2|'],
    ['41|11 2222', type('3'), '413|1 1222 2'],
    ['4111| 2222', type('3'), '4111 3|222 2'],
    ['4111 |2222', type('3'), '4111 3|222 2'],
    ['|4111 2222', type('2'), '2|411 1222 2'],
    ['|', type('4111 1111-1111 1111'), '4111 1111 1111 1111|'],
    ['41|22', type(' 11 33 '), '4111 33|22'],
    ['41|11', type(' '), '41|11'], // types a space that is not kept
    ['4111 22|22', backspace, '4111 2|22'],
    ['4111 2|222', backspace, '4111 |222'],
    ['4111 |2222', backspace, '4111| 2222'],
    ['4111| 2222 3', backspace, '411|2 2223'],
    ['4111 2|', backspace, '4111|'],
    ['|4111', backspace, '|4111'],
    ['4111 2|222', forwardDelete, '4111 2|22'],
    ['4111| 2222', forwardDelete, '4111 |2222'],
    ['4111 |2222', forwardDelete, '4111 |222'],
    ['4111|', forwardDelete, '4111|'],
    ['3|411 1111 1111', backspace, '|4111 1111 111'], // regroups for another brand
    ['|4111 1111 111', type('3'), '3|411 111111 11'], // regroups for Amex
    ['𝟜𝟙|𝟙', type('1'), '411|1'], // counts digits outside the BMP once
    ['𝐚|1', type('2'), '𝐚2|1'], // passes a letter outside the BMP whole
  ]);
});

describe('the caret in an expiry', () => {
  maps(editing(formatExpiry), [
    ['05|', type('3'), '05/3|'],
    ['05|', type('/'), '05/|'],
    ['05/|', type('/'), '05/|'],
    ['05/3|', backspace, '05/|'],
    ['05/|', backspace, '05|'],
    ['05/|30', backspace, '05|/30'],
    ['05|/30', forwardDelete, '05/|30'],
    ['|05/30', forwardDelete, '|5/30'],
    ['5|/30', backspace, '|/30'],
    ['|/30', type('1'), '1|/30'],
    ['1|/30', type('2'), '12|/30'],
    ['05/3|0', backspace, '05/|0'],
    ['05/|0', type('3'), '05/3|0'],
    ['/3|0', backspace, '/|0'],
    ['|', type('2030-05'), '05/30|'], // pastes what Safari fills in
  ]);
});

describe('any sequence of edits', () => {
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    { weight: 4, arbitrary: fc.stringMatching(/^[\d]$/).map(type) },
    { weight: 1, arbitrary: fc.stringMatching(/^[\d\u0660-\u0669 -]{2,12}$/).map(type) },
    { weight: 2, arbitrary: fc.constantFrom(backspace, forwardDelete) },
    { weight: 2, arbitrary: fc.nat({ max: 24 }).map((caret): Edit => ({ kind: 'move', caret })) },
  );

  const many = fc.array(edit, { maxLength: 40 });
  holds('leaves digits, and the caret among them, as plain text would', 1_000, many, (edits) => {
    let field = empty;
    for (const one of edits) {
      const expected = expectedDigits(field, one);
      field = apply(field, one, formatCardNumber);
      assert.deepEqual(digitsAround(field), expected);
    }
  });

  const some = fc.array(edit, { maxLength: 20 });
  for (const format of [formatCardNumber, formatExpiry]) {
    const title = `can be deleted again key by key: ${format.name}`;
    holds(title, 1_000, some, fc.boolean(), (edits, forward) => {
      let field = edits.reduce((now, one) => apply(now, one, format), empty);
      field = { text: field.text, caret: forward ? 0 : field.text.length };
      // Each character takes one key, each separator one more at most.
      for (let keys = 2 * field.text.length; keys > 0; keys--) {
        field = apply(field, forward ? forwardDelete : backspace, format);
      }
      assert.deepEqual(field, empty);
    });
  }

  /** The digits before and behind the caret after an edit of plain text; a key that meets a separator deletes none. */
  function expectedDigits(field: Field, one: Edit): [before: string, behind: string] {
    const [before, behind] = digitsAround(field);
    const removed =
      one.kind === 'backspace' ? field.text[field.caret - 1] : field.text[field.caret];
    const isDigit = /\d/.test(removed ?? '');
    switch (one.kind) {
      case 'insert':
        return [before + toAlphanumeric(one.text), behind];
      case 'backspace':
        return [isDigit ? before.slice(0, -1) : before, behind];
      case 'delete':
        return [before, isDigit ? behind.slice(1) : behind];
      default:
        return digitsAround({ ...field, caret: Math.min(one.caret, field.text.length) });
    }
  }

  function digitsAround({ text, caret }: Field): [before: string, behind: string] {
    return [toAlphanumeric(text.slice(0, caret)), toAlphanumeric(text.slice(caret))];
  }
});
