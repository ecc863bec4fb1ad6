/**
 * The file of the card form, as the script tag's file finds it: beside itself, wherever that is. Never bundled along.
 */

import type { CardFile } from './card-file-contract.js';

/**
 * A browser that failed to fetch a module would say so again without asking (HTML Standard until 2026, and its browsers
 * for longer): every further try has a URL of its own.
 *
 * @param failures how often it did not come so far
 */
export function fetchCardFile(failures: number): Promise<CardFile> {
  const url = new URL(cardFileUrl);
  if (failures > 0) url.search = `again=${failures}`;
  return import(/* @vite-ignore */ url.href) as Promise<CardFile>;
}

/** Where it is. */
export const cardFileUrl = new URL(/* @vite-ignore */ './pix-checkout-card.min.js', import.meta.url)
  .href;
