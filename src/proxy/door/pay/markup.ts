/** HTML as text. Every value is escaped unless it is markup itself. */

/** Text that is HTML already. */
export class Markup {
  constructor(readonly html: string) {}
}

type Value = Markup | string | readonly Markup[] | null;

/** Null writes nothing. Values stand in contents and inside quoted attributes, nowhere else. */
export function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const parts = strings.map(
    (string, index) => string.replace(/\n\s*/g, '\n') + write(values[index]),
  );
  return new Markup(parts.join(''));
}

function write(value: Value | undefined): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Markup) return value.html;
  if (typeof value !== 'string') return value.map(({ html }) => html).join('');
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
