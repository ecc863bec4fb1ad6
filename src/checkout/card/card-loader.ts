/** Brings the card form when it is first shown. Knows where to look for it; knows nothing of what it is. */

import { cardFormKey } from './card-file-contract.js';
import type { CreateCardForm } from './card-file-contract.js';
import { fetchCardFile } from './card-file.js';

let failures = 0;

/**
 * The form that a script tag of the page brought, else the file itself.
 *
 * @returns rejected if it did not come; it may be asked for again
 */
export async function loadCardForm(fetchFile = fetchCardFile): Promise<CreateCardForm> {
  const registered = (globalThis as { [cardFormKey]?: CreateCardForm })[cardFormKey];
  if (registered) return registered;
  try {
    return (await fetchFile(failures)).createCardForm;
  } catch (error) {
    failures++;
    throw error;
  }
}
