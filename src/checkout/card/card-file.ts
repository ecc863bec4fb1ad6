/**
 * Imports the card form's file for code that imports this package, which a shop's bundler turns into a file of its own. For
 * the script tag, which no bundler handles, the build replaces this file by card-file.script-tag.ts.
 */

import type { CardFile } from './card-file-contract.js';

/** Rejects if the file cannot be loaded. A browser may remember that until the page is loaded again. */
export const fetchCardFile = (_failures: number, _endpoint: string | null): Promise<CardFile> =>
  import('./card-file-entry.js');

/** A name for the warning, because only the page's bundler knows the file's address. */
export const cardFileUrl = 'pix-checkout/card';
