/** Shows one panel at a time. The address names it, so that a link opens it again. */

import { find } from '../find.js';

/** Shows the panel of the address, and any other one when its tab is pressed. */
export function showTabs(): void {
  const links = [...find('tabs').querySelectorAll('a')];
  const show = (hash: string) => {
    const chosen = links.find((link) => link.hash === hash) ?? links[0]!;
    for (const link of links) {
      const isChosen = link === chosen;
      find(link.hash.slice(1)).hidden = !isChosen;
      if (isChosen) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  for (const link of links) {
    link.addEventListener('click', (event) => {
      // Without the jump: on a wide screen the panel stands beside the shop, wherever that is scrolled to.
      event.preventDefault();
      history.replaceState(null, '', link.hash);
      show(link.hash);
    });
  }
  addEventListener('hashchange', () => {
    // The bar's way to the tools is no panel.
    if (links.some((link) => link.hash === location.hash)) show(location.hash);
  });
  show(location.hash);
}
