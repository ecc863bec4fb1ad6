/** The element's styles as a style sheet of the page: for children that a server has drawn, before the script comes. */
import { transform } from 'esbuild';
import { styles } from '../../src/checkout/element/pix-checkout.styles.js';

/** What only these children have: a label and a link where the element has buttons. */
const own = `
  label.primary, a.secondary { cursor: pointer; font-weight: 600; border: 1px solid transparent; border-radius: var(--pix-radius); }
  .stack { display: grid; flex: 1; }
  .stack > span { grid-area: 1 / 1; }
  .stack > [aria-hidden] { visibility: hidden; }
  label.primary { padding: 0.5em 1em; }
  a.secondary { flex: 0 1 24em; min-block-size: 48px; padding: 0.625em 0.25em; color: inherit; text-align: center; text-decoration: none; border-color: var(--pix-color-border); }
  .code:focus-within::after { display: none; }
  textarea:focus { block-size: 12em; overflow: auto; white-space: pre-wrap; }
`;

/** The host's own rules come first, and end with this one. */
const endOfHost = /(?<=:host\(\[hidden\]\) \{[^}]*\})/;

const keyframes = /@keyframes pix-breathe \{[^}]*\{[^}]*\}\s*\}/;

/**
 * Each rule below the drawn section, so that it reaches nothing else of the page. The tokens weigh nothing: a page that
 * sets them on `pix-checkout` wins.
 *
 * @returns minified, for the oldest browsers that the element supports
 */
export async function toPageStyles(): Promise<string> {
  const [host = '', screens = ''] = styles.cssText
    .replaceAll('breathe', 'pix-breathe')
    .split(endOfHost);
  const [moving = ''] = keyframes.exec(screens) ?? [];
  const section = screens
    .replace(moving, '')
    .replace(/^\s*\* \{/m, '&, & * {')
    .replace(/^\s*\.(checkout|creating|awaiting)\b/gm, '&.$1')
    .replaceAll('#whole', '#pix-whole');
  const css = `
    ${host.replaceAll(/:host(?:\(([^)]*)\))?/g, ':where(pix-checkout$1)')}
    pix-checkout > .checkout { ${section} ${own} }
    ${moving}`;
  const { code } = await transform(css, { loader: 'css', minify: true, target: 'chrome94' });
  return code;
}
