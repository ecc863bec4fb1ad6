/**
 * The entry of the card form's file. The element loads it on demand, or the page does by a script tag with an integrity hash of
 * its own. It puts the form where the element looks before it fetches anything, and imports nothing that the element already
 * has.
 */

import { createCardForm } from './card-form.js';
import { cardFormKey } from './card-file-contract.js';

export { cardFormKey, createCardForm };

Object.assign(globalThis, { [cardFormKey]: createCardForm });
