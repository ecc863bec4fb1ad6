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

const isTwo = "[methods~='pix'][methods~='credit_card']";
/** The page begins with the card form. */
const isCard = ":is([methods^='credit_card']:not([method='pix']), [method='credit_card'])";
/** The prices of the two methods differ, so that each is in its box. */
const isPriced = '[pix-total-price-cents]';
const isCode = ':is([auto-start], [invoice], [invoice-id])';
/** CPF and e-mail share a row where a form is wide. */
const isPaired = ":is(:not([payer-fields]), [payer-fields~='cpf_cnpj'][payer-fields~='email'])";

/** A rule for what stands for the element before its script, where the attributes say so. A page's own rules win. */
const before = (attributes: string, declarations: string, pseudo = '::before, ::after') =>
  pseudo
    .split(', ')
    .map((one) => `:where(pix-checkout${attributes}:not(:defined, :has(> .checkout)))${one}`)
    .join() + `{${declarations}}`;

/**
 * What stands for the element until its script is there: its box, the amount and two quiet bars, as high as the form, its
 * button alone, the card form or a code, with the choice of two methods above. What a server has drawn has its own height.
 *
 * `--choice` is the height of that choice, `--under` what follows the amount's line, `--down` how far below it the first bar
 * is, `--high` its height, `--next` the way to the second one, and `--paired` the height of a row that is saved.
 */
const room = `
  ${before('', 'display: grid; grid-template: 1fr / minmax(0, var(--pix-max-width)); justify-content: center;', '')}
  ${before('', "content: ''; grid-area: 1 / 1; box-sizing: border-box; font-size: min(var(--pix-amount-size), 11vw); font-size: min(var(--pix-amount-size), 11cqi); --edge: max(var(--pix-padding), 1.75rem); --end: var(--pix-padding); --choice: 0rem; --under: 26.454rem; --down: 4.375rem; --high: 3rem; --next: 6.7325rem; --indent: 0rem; --aside: 0rem; --paired: 0rem")}
  ${before(
    '',
    `content: '\\200b'; padding: calc(var(--edge) + var(--choice) + 1.75rem) var(--pix-padding) calc(var(--end) + var(--under) - var(--paired)) calc(var(--pix-padding) + var(--aside));
    font-family: var(--pix-font); font-weight: 700; line-height: 1.2; letter-spacing: -0.02em; white-space: nowrap; font-variant-numeric: tabular-nums; text-align: left; color: var(--pix-color-text);
    background: var(--pix-color-surface); border: 1px solid var(--pix-color-line); border-radius: calc(2 * var(--pix-radius)); box-shadow: var(--pix-shadow)`,
    '::before',
  )}
  ${before(
    '',
    `block-size: var(--high); margin: calc(var(--edge) + var(--choice) + 1.75rem + 1px + 1.2em + var(--down)) calc(var(--pix-padding) + 1px) 0 calc(var(--pix-padding) + 1px + var(--indent));
    color: var(--pix-color-subtle); background: currentcolor; border-radius: var(--pix-radius); box-shadow: 0 var(--next)`,
    '::after',
  )}
  ${before(isCard, '--under: 51.9695rem')}
  ${before("[payer-fields='']", '--under: 6.125rem; --down: 2.75rem; --high: 3.375rem; --next: 0rem')}
  ${before("[payer-fields='']" + isCard, '--under: 28.516rem; --down: 4.375rem; --high: 3rem; --next: 6.7325rem')}
  ${before(isTwo, '--choice: 9rem; --down: calc(-10.75rem - 1.2em); --high: 3.625rem; --next: 4.125rem')}
  ${before(isTwo + isPriced, '--choice: 13.155rem; --down: calc(-14.905rem - 1.2em); --high: 4.75rem; --next: 7.155rem')}
  ${before(isCode, '--under: 64.375rem; --down: 2.75rem; --high: 3.375rem; --next: 8rem')}
  ${before(isTwo + isCode, '--choice: 4.25rem')}
  @media not all and (pointer: coarse) {
    @media (min-width: 42rem) {
      ${before('', 'grid-template-columns: minmax(0, clamp(var(--pix-max-width), (100% - 671px) * 9999, var(--pix-max-width-wide)))', '')}
    }
    @container (min-width: 672px) and (min-width: 42rem) {
      ${before('', '--edge: 1.75rem; --end: 1.75rem; --down: 4.375rem; --high: 3rem; --next: 6.7325rem; --indent: var(--aside); --aside: calc(50% - 17.5rem - var(--pix-padding) - 1px)')}
      ${before('', 'inline-size: 35rem', '::after')}
      ${before(`${isPaired}:not(${isCode})`, '--paired: 6.7325rem')}
      ${before("[payer-fields='']", '--down: 2.75rem; --high: 3.375rem; --next: 0rem')}
      ${before("[payer-fields='']" + isCard, '--down: 4.375rem; --high: 3rem; --next: 6.7325rem')}
      ${before(isTwo, '--choice: 4.875rem')}
      ${before(isTwo + isPriced, '--choice: 7.905rem')}
      ${before(isCode, '--under: 27.625rem; --down: calc(-1.75rem - 1.2em); --high: 22.5rem; --next: 0rem; --indent: 0rem; --aside: 20.5625rem')}
      ${before(isTwo + isCode, '--choice: 3.75rem; --under: 26.125rem; --high: 21rem')}
      ${before(isCode, 'inline-size: 309px', '::after')}
    }
  }
`;

/**
 * The amount in that box, written by counters of the attribute's cents; a bar where the browser cannot calculate with
 * attributes (Chrome before 133, Firefox, Safari). A counter below its style's range writes nothing: so only an amount of a
 * thousand or more has a point.
 */
const amount = `
  @counter-style pix-nothing { system: cyclic; symbols: ''; }
  @counter-style pix-digits { system: extends decimal; range: 0 infinite; fallback: pix-nothing; }
  @counter-style pix-three { system: extends decimal; pad: 3 '0'; range: 0 infinite; fallback: pix-nothing; }
  @counter-style pix-dot { system: cyclic; symbols: '.'; range: 0 infinite; fallback: pix-nothing; }
  @supports (counter-reset: a attr(a type(<integer>))) and (counter-reset: a mod(round(down, 1, 1), 1)) {
    ${before(
      '[total-price-cents]',
      `--cents: attr(total-price-cents type(<integer>)); --reais: round(down, var(--cents) / 100, 1);
      --less: clamp(0, 1000 - var(--reais), 1);
      counter-reset: pix-thousands calc(round(down, var(--reais) / 1000, 1) - var(--less)) pix-hundreds calc(var(--reais) - 9e6 * (1 - var(--less))) pix-rest calc(mod(var(--reais), 1000) - 1000 * var(--less)) pix-cents mod(var(--cents), 100);
      content: 'R$\\A0' counter(pix-thousands, pix-digits) counter(pix-thousands, pix-dot) counter(pix-hundreds, pix-digits) counter(pix-rest, pix-three) ',' counter(pix-cents, decimal-leading-zero)`,
      '::before',
    )}
    ${before(`[pix-total-price-cents]:not(${isCard})`, '--cents: attr(pix-total-price-cents type(<integer>))', '::before')}
  }
  @supports not (counter-reset: a attr(a type(<integer>))) {
    ${before('', 'background: linear-gradient(var(--pix-color-subtle) 0 0) content-box 0 0 / 50% 1.2em no-repeat var(--pix-color-surface)', '::before')}
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
    ${moving} ${room} ${amount}`;
  const { code } = await transform(css, { loader: 'css', minify: true, target: 'chrome94' });
  return code;
}
