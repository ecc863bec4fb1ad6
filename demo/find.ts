/** Finds elements of the page. */

/** Finds an element of index.html by its id. */
export function find(id: string): HTMLElement {
  return document.getElementById(id)!;
}
