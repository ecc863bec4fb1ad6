/**
 * The entry of the card form's file. The element loads it on demand, or the page does with a script tag and its integrity
 * hash. It leaves the form on `globalThis`, where the element looks before it fetches the file. It imports nothing that the
 * element already has.
 */

import { createCardForm } from './card-form.js';
import { cardFormKey } from './card-file-contract.js';

export { cardFormKey, createCardForm };

Object.assign(globalThis, { [cardFormKey]: createCardForm });
