/** Where things stand on the page. */

/** A place of index.html, by its id. */
export function find(id: string): HTMLElement {
  return document.getElementById(id)!;
}
