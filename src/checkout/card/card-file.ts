/**
 * Imports the card form's file for code that imports this package: a shop's bundler makes a file of its own of it. For the
 * script tag, which no bundler serves, the build puts card-file.script-tag.ts in the place of this file.
 */

import type { CardFile } from './card-file-contract.js';

/** Rejected: it did not come. A browser may keep that result until the page is loaded anew. */
export const fetchCardFile = (_failures: number, _endpoint: string | null): Promise<CardFile> =>
  import('./card-file-entry.js');

/** For the warning: only the page's bundler knows the file's address. */
export const cardFileUrl = 'pix-checkout/card';
