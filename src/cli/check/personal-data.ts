/** Finds data of people in an answer. */

import { isTaxId } from '../../domain/tax-id.js';
import { toNames } from './words.js';

/** Names of fields that hold personal data. `client` and `payer` are fields of the service. */
const personalName =
  /cpf|cnpj|e-?mail|phone|telefone|celular|address|endereco|birth|nascimento|^(client|payer|end_to_end_id)$/i;
const personalWord = /\b(cpf|cnpj|e-?mail|telefone|celular)\b/i;
/** Only one letter before the `@`: with `+` there, the time would grow with the square of a text's length. */
const emailForm = /[^\s@]@[^\s@]+\.[^\s@]/;
const taxIdForm =
  /(?<![\w-])(\d{3}\.\d{3}\.\d{3}-\d\d|\d{11}|[\dA-Z]{2}\.[\dA-Z]{3}\.[\dA-Z]{3}\/[\dA-Z]{4}-\d\d)(?![\w-])/g;

/** Looks at names of fields, and at texts. Without recursion: how deep an answer is nested is not ours to say. */
export function findPersonalData(answer: unknown, order: unknown): string | null {
  const left: [name: string, value: unknown][] = [['', answer]];
  for (const [name, value] of left) {
    if (personalName.test(name)) return toNames([name]);
    const found = typeof value === 'string' && value !== order ? findInText(name, value) : null;
    if (found !== null) return found;
    if (typeof value === 'object' && value !== null) left.push(...Object.entries(value));
  }
  return null;
}

/** A Pix code may hold the shop's own key, a token any letters, and `detail` names a field. */
function findInText(name: string, text: string): string | null {
  if (['qr_code_pix', 'lookup_token'].includes(name)) return null;
  if (emailForm.test(text)) return 'an e-mail address';
  if ((text.match(taxIdForm) ?? []).some(isTaxId)) return 'a CPF or CNPJ';
  return !['detail', 'title'].includes(name) && personalWord.test(text) ? 'words of it' : null;
}
