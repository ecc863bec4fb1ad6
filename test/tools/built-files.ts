/** Names of what the build makes for browsers: those that hold their content's hash are read from dist/. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tools.js';

/** Hash of each file that browsers load, by its name, as a page's tag has it. */
export const integrity = JSON.parse(
  readFileSync(join(root, 'dist/integrity.json'), 'utf8'),
) as Readonly<Record<string, string>>;

/** The file that the element asks for by itself: the card form's or a language's. */
export function builtFile(part: 'card' | 'en' | 'es'): string {
  const start = `pix-checkout-${part}.`;
  const name = Object.keys(integrity).find(
    (one) => one.startsWith(start) && /\.[\w-]{8}\.min/.test(one),
  );
  if (name === undefined) throw new Error(`dist/ has no ${start}<hash>.min.js`);
  return name;
}
