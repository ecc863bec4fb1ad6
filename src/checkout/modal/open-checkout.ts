/**
 * Shows the checkout in a modal dialog, with a close button and the browser's back button. It is a file of its own: it
 * creates the element by its tag, and knows only the element's phase and receipt.
 */

import { dialog as en } from '../locales/outside-element/en.js';
import { dialog as es } from '../locales/outside-element/es.js';
import { dialog as ptBr } from '../locales/outside-element/pt-br.js';
import type { DialogWords } from '../locales/outside-element/pt-br.js';
import type { PixCheckout } from '../element/pix-checkout.js';
import type { InvoiceDetail } from '../machine/state.js';

/** The element's properties. */
export type CheckoutOptions = {
  readonly [Name in keyof typeof PixCheckout.properties]?: PixCheckout[Name] | undefined;
};

/**
 * Whether the payer has paid when the dialog closes. Like everything from a browser it is only a hint: ship goods only in
 * `onPaid`.
 */
export type CheckoutOutcome = ({ readonly paid: true } & InvoiceDetail) | { readonly paid: false };

const languages: Readonly<Record<string, DialogWords>> = { pt: ptBr, en, es };

/** How long the element's own script may take after the page is loaded, milliseconds. */
const scriptMs = 5_000;

/** The open dialogs, by order. */
const opened = new Map<string, { dialog: HTMLDialogElement; outcome: Promise<CheckoutOutcome> }>();

/** Slotted nodes inherit the element's colour tokens. An adopted style sheet works under a strict policy. */
const css = String.raw;
const styles = css`
  html {
    overflow: hidden !important;
  }
  .pix-modal {
    inline-size: 56em;
    /* The dialog begins at a fixed line, so that a higher screen moves nothing above it. */
    margin: max(16px, 50vh - 364px) auto auto;
    padding: 0;
    border: 0;
    background: none;
  }
  .pix-modal::backdrop {
    background: #000a;
  }
  .pix-modal header {
    position: sticky;
    inset-block-start: 0;
    z-index: 1;
    display: flex;
    align-items: center;
    justify-content: space-between;
    margin: -8px 0;
    font-weight: 600;
    background: var(--pix-color-surface);
    border-block-end: 1px solid var(--pix-color-line);
  }
  .pix-modal button {
    inline-size: 44px;
    block-size: 44px;
    margin-inline-end: -12px;
    font: 20px/1 system-ui;
    color: inherit;
    background: none;
    border: 0;
    border-radius: var(--pix-radius);
  }
  .pix-modal :not(:defined) {
    display: block;
    padding: 24px;
    background: Canvas;
  }
  .pix-modal [role]:empty {
    margin-block-end: calc(-1 * var(--pix-gap));
  }
  @media (max-width: 40em) {
    /* The dialog fills the whole window and scrolls inside, because an element as high as its content cannot scroll. */
    .pix-modal {
      inline-size: 100%;
      block-size: 100vh;
      block-size: 100dvh;
      max-inline-size: none;
      max-block-size: none;
      margin: 0;
    }
    .pix-modal ::part(card) {
      min-block-size: 100vh;
      min-block-size: 100dvh;
      border: 0;
      border-radius: 0;
    }
  }
`;

/**
 * Shows the checkout in a modal dialog. Closing it forgets nothing: the next call for the same order goes on with the same
 * invoice. If the order's dialog is open already, a call brings it to the payer and returns the same promise.
 *
 * @returns a promise that resolves when the payer has closed the dialog and the address is the page's own again; it rejects
 * if the element's script cannot be loaded
 */
export function openCheckout(options: CheckoutOptions): Promise<CheckoutOutcome> {
  const order = JSON.stringify([options.endpoint, options.externalId, options.invoiceId]);
  const known = opened.get(order);
  // A script of the page may have removed the dialog.
  if (known?.dialog.isConnected) {
    if (!known.dialog.contains(document.activeElement))
      known.dialog.querySelector('button')?.focus();
    return known.outcome;
  }
  const { dialog, outcome } = begin(options);
  opened.set(order, { dialog, outcome });
  dialog.addEventListener('close', () => opened.delete(order));
  return outcome;
}

/** Makes the dialog with its element, opens it, and returns the promise of its outcome. */
function begin(options: CheckoutOptions) {
  const language = (options.locale ?? document.documentElement.lang).slice(0, 2);
  const { name, close, stay, missing } = languages[language] ?? ptBr;
  const checkout = Object.assign(document.createElement('pix-checkout'), options);
  const dialog = createNode('dialog', { className: 'pix-modal' }, { 'aria-label': name });
  const head = createNode('header', { textContent: name }, { slot: 'header' });
  const button = createNode('button', { textContent: '✕' }, { 'aria-label': close });
  const asked = createNode('p', {}, { slot: 'header', role: 'alert' });
  head.append(button);
  checkout.append(head, asked);
  dialog.append(checkout);

  // The question is removed, because it was about a payment that was in flight then.
  checkout.addEventListener('pix-status', () => (asked.textContent = ''));

  /** Closes the dialog, or asks the payer first. @returns whether it closes */
  function leave(): boolean {
    const isInFlight = /creating|confirming/.test(checkout.phase);
    if (isInFlight && !asked.textContent) asked.textContent = stay;
    else dialog.close();
    return !dialog.open;
  }
  button.addEventListener('click', leave);
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    leave();
  });
  const closed = show(dialog, leave).then((): CheckoutOutcome => {
    // `pix-paid` is not used here, because it comes once per page load, and an earlier dialog may have got it.
    const { receipt } = checkout;
    return receipt ? { paid: true, ...receipt } : { paid: false };
  });
  const absent = waitForMissingScript().then(() => {
    asked.textContent = missing;
    throw new Error('pix-checkout: its script is not on this page, <pix-checkout> is not defined');
  });
  void customElements.whenDefined('pix-checkout').then(() => (asked.textContent = ''));
  return { dialog, outcome: Promise.race([closed, absent]) };
}

/** Resolves if the element's script is still missing five seconds after the page was loaded. */
async function waitForMissingScript(): Promise<void> {
  if (document.readyState !== 'complete') await waitForEvent(window, 'load');
  await new Promise((resolve) => setTimeout(resolve, scriptMs));
  if (customElements.get('pix-checkout')) return new Promise(() => undefined);
}

/** Opens the dialog with a history entry of its own, so that the back button closes the dialog and does not leave the page. */
async function show(dialog: HTMLDialogElement, leave: () => boolean): Promise<void> {
  const mark = Date.now();
  const isOurs = () => (history.state as { pixCheckout?: number } | null)?.pixCheckout === mark;
  // The state of the page's router is kept.
  const push = () => history.pushState({ ...history.state, pixCheckout: mark }, '');
  const back = () => isOurs() || leave() || push();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  // The dialog stands beside the body, because a shop's own modal may make the body inert, and routers store and replace it.
  document.documentElement.append(dialog);
  // A dialog that a script removes fires no `close` event by itself.
  const away = new MutationObserver(() => {
    if (!dialog.isConnected) dialog.dispatchEvent(new Event('close'));
  });
  away.observe(document.documentElement, { childList: true });
  // The events stop here, because the shop's own modals may cancel scrolling in listeners of the document.
  for (const name of ['wheel', 'touchmove']) {
    dialog.addEventListener(name, (event) => event.stopPropagation(), { passive: true });
  }
  push();
  addEventListener('popstate', back);
  dialog.showModal();
  await waitForEvent(dialog, 'close');
  away.disconnect();
  removeEventListener('popstate', back);
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  dialog.remove();
  if (!isOurs()) return;
  history.back();
  await waitForEvent(window, 'popstate');
}

function waitForEvent(target: EventTarget, name: string): Promise<unknown> {
  return new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
}

function createNode<Tag extends 'dialog' | 'header' | 'button' | 'p'>(
  tag: Tag,
  properties: Partial<HTMLElement>,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
