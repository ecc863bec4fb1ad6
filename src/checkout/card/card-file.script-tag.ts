/** Finds the card form's file for the script tag's file: beside that one, else at the proxy. The build never bundles the two. */

import { scriptAddress } from '../browser/script-address.js';
import type { CardFile } from './card-file-contract.js';

const name = 'pix-checkout-card.min.js';

/** The address beside the script tag's file. */
export const cardFileUrl = (scriptAddress ?? '').replace(/[^/]*$/, name);

/**
 * A browser that failed to fetch a module would say so again without asking (HTML Standard until 2026, and its browsers
 * for longer): every further try has a URL of its own.
 *
 * @param failures how often it did not come so far
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
