/**
 * The file of the card form, whole: loaded on demand, or first by a script tag of its own with its own integrity hash.
 * Leaves the form where the element looks for it before it fetches anything; imports nothing that the element brings.
 */

import { createCardForm } from './card-form.js';
import { cardFormKey } from './card-file-contract.js';

export { cardFormKey, createCardForm };

Object.assign(globalThis, { [cardFormKey]: createCardForm });
