/**
 * Finds the card form's file for the script tag's file: beside that file, or else at the proxy. The build never bundles the
 * two.
 */

import { scriptAddress } from '../browser/script-address.js';
import type { CardFile } from './card-file-contract.js';

const name = 'pix-checkout-card.min.js';

/** The address of the file, beside the script tag's file. */
export const cardFileUrl = (scriptAddress ?? '').replace(/[^/]*$/, name);

/**
 * Imports the file. A browser that failed to fetch a module would fail again without a new request (HTML Standard until 2026,
 * and browsers for longer), so each further try has another URL.
 *
 * @param failures how often loading failed so far
 */
export function fetchCardFile(failures: number, endpoint: string | null): Promise<CardFile> {
  const again = failures > 0 ? `?again=${failures}` : '';
  const load = (url: string) => import(/* @vite-ignore */ url + again) as Promise<CardFile>;
  const served = `${endpoint}/assets/${name}`;
  return load(cardFileUrl).catch((error: unknown) => {
    if (served === cardFileUrl) throw error;
    return load(served);
  });
}
