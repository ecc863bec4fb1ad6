/**
 * The file of the card form, as this package's modules find it: other people's bundlers cut it off here.
 * The script tag's file, which has no bundler behind it, is built with card-file.script-tag.ts in its place.
 */

import type { CardFile } from './card-file-contract.js';

/** Rejected: it did not come. A browser may keep that result until the page is loaded anew. */
export const fetchCardFile = (_failures: number, _endpoint: string | null): Promise<CardFile> =>
  import('./card-file-entry.js');

/** Where it is: only the page's bundler knows. */
export const cardFileUrl = 'pix-checkout/card';
