/** The element's styles as a style sheet of the page: for children that a server has drawn, and for room, before the script comes. */
import { transform } from 'esbuild';
import { styles } from '../src/checkout/element/pix-checkout.styles.js';

/**
 * What only these children have: a label and a link where the element has buttons. The code closes a moment after it is
 * left: what was pressed must not move away before it is released.
 */
const own = `
  label.primary, a.secondary { cursor: pointer; font-weight: 600; border: solid transparent; border-width: var(--pix-border-width); border-radius: var(--pix-radius); }
  label.primary { padding: 0.5em 1em; }
  a.secondary { display: grid; align-content: center; flex: 0 1 24em; min-block-size: var(--pix-control-height); padding: 0.625em 0.25em; color: inherit; text-align: center; text-decoration: none; border-color: var(--pix-color-border); }
  textarea { transition: min-block-size 0s 0.5s; }
  textarea:focus { transition: none; min-block-size: 12em; overflow: auto; white-space: pre-wrap; }
`;

/**
 * The room of what comes with the script: the form, its button alone, the choice of two methods above them, or a code, which on
 * a phone fills the window, with two quiet bars where the amount and the button will be. What a server has drawn has its own height. A page's own height wins.
 */
const room = `
  :where(pix-checkout:not(:defined, :has(> .checkout)))::before {
    content: ''; display: block; max-inline-size: 30rem; block-size: 11.125rem; margin-inline: auto;
    background: linear-gradient(var(--pix-color-subtle) 0 0) 1.5rem 3rem / 50% 2.5rem no-repeat, linear-gradient(var(--pix-color-subtle) 0 0) 50% 7.25rem / calc(100% - 3rem) 3.375rem no-repeat;
  }
  :where(pix-checkout:not(:defined, :has(> .checkout))) { display: block; min-block-size: 35.625rem; }
  :where(pix-checkout[payer-fields='']:not(:defined, :has(> .checkout))) { min-block-size: min(10.0625rem + 14.7vw, 14rem); }
  :where(pix-checkout:is([auto-start], [invoice], [invoice-id]):not(:defined, :has(> .checkout))) { min-block-size: 70rem; }
  :where(pix-checkout[methods~='pix'][methods~='credit_card']:not(:defined, [auto-start], [invoice], [invoice-id])) { padding-block-end: 11.25rem; }
  @media (min-width: 44rem) {
    :where(pix-checkout:not(:defined, :has(> .checkout))) { min-block-size: 28.875rem; }
    :where(pix-checkout[payer-fields='']:not(:defined, :has(> .checkout))) { min-block-size: 11.125rem; }
    :where(pix-checkout:is([auto-start], [invoice], [invoice-id]):not(:defined, :has(> .checkout))) { min-block-size: 36rem; }
    :where(pix-checkout[methods~='pix'][methods~='credit_card']:not(:defined, [auto-start], [invoice], [invoice-id])) { padding-block-end: 6.1875rem; }
  }
`;

/** The host's own rules come first, and end with this one. */
const endOfHost = /(?<=:host\(\[hidden\]\) \{[^}]*\})/;

const keyframes = /@keyframes [\w-]+ \{[^}]*\{[^}]*\}\s*\}/g;

/**
 * Each rule below the drawn section, and each animation under a name of its own, so that it reaches nothing else of the
 * page. The tokens weigh nothing: a page that
 * sets them on `pix-checkout` wins.
 *
 * @returns minified, for the oldest browsers that the element supports
 */
export async function toPageStyles(): Promise<string> {
  const names = [...styles.cssText.matchAll(/@keyframes ([\w-]+)/g)].map(([, name]) => name);
  const [host = '', screens = ''] = styles.cssText
    .replaceAll(new RegExp(`\\b(${names.join('|')})\\b`, 'g'), 'pix-$1')
    .split(endOfHost);
  const moving = screens.match(keyframes)?.join('') ?? '';
  const section = screens
    .replace(keyframes, '')
    .replace(/^\s*\* \{/m, '&, & * {')
    .replace(/^\s*\.(checkout|awaiting)\b/gm, '&.$1')
    .replaceAll('#whole', '#pix-whole');
  const css = `
    ${host.replaceAll(/:host(?:\(([^)]*)\))?/g, ':where(pix-checkout$1)')}
    pix-checkout > .checkout { ${section} ${own} }
    ${moving} ${room}`;
  const { code } = await transform(css, { loader: 'css', minify: true, target: 'chrome94' });
  return code;
}
