/**
 * The element itself: its public names, and the wiring between page, controller and views. Rules of payments are in machine/,
 * texts in locales/, templates in views/.
 *
 * The file is long, because each public property is declared and documented in the class, where the manifest finds it.
 */
// oxlint-disable max-lines

import { LitElement } from 'lit';
import { parseInvoiceData } from '../../contract/readers.js';
import type { CreatedInvoice, CreateRequest, Method, Payer } from '../../contract/types.js';
import { parseInstallments } from '../../domain/card/installments.js';
import { toAnnouncement } from '../views/announce.js';
import { findBeginning } from '../page/find-beginning.js';
import { CardLoader } from '../card/card-loader.js';
import type { TokenizeCard } from '../card/card-file-contract.js';
import { copyText, keepCopy, readCopyKeys, browserEnvironment } from '../browser/environment.js';
import { CheckoutController } from './controller.js';
import type { Environment } from '../browser/environment.js';
import { PixErrorEvent, PixReadyEvent, PixSubmitEvent } from './events.js';
import {
  chooseMessages,
  fetchMessages,
  hasMessages,
  locales,
  nearestLocale,
} from '../locales/choose-messages.js';
import type { Locale } from '../locales/choose-messages.js';
import type { TextOverrides } from '../locales/pt-br.js';
import {
  toDetail,
  findCurrentInvoice,
  isAt,
  isCardPending,
  mayBePaid,
  isCodePhase,
  findWatch,
} from '../machine/state.js';
import type { InvoiceDetail, CheckoutError, Phase, ShownErrorCode } from '../machine/state.js';
import type { Actions, CardPanel, Installment, Model } from '../views/model.js';
import type { Item, Line, Order } from '../page/order.js';
import { isOn, readOrder, toCurrentOrder, toIdentity, toSetUpIdentity } from '../page/order.js';
import { isPrerendering, waitForRelease, waitForScripts } from '../browser/page-lifecycle.js';
import { PayerDraft } from '../page/payer-draft.js';
import type { EarlyInvoice } from '../start/start-checkout.js';
import { Announcer, RoomObserver, toModel } from './screen.js';
import { renderCheckout } from '../views/checkout.js';
import { isCodeGone } from '../views/parts/error.js';
import { styles } from './pix-checkout.styles.js';

/** Reads a whole number from an attribute. Any other text becomes NaN, of which the reader warns. */
const wholeNumber = (value: string | null) => (value === null ? null : Number(value.trim() || NaN));

/** Reads a boolean from an attribute. An empty one is true, as in HTML; "false" is false, as frameworks write it. */
const flag = (value: string | null) => value === '' || isOn(value);

/** Reads JSON from an attribute. Text that is not JSON becomes `{}`, which the reader refuses with the attribute's name. */
const json = (value: string | null): unknown => {
  try {
    return value === null ? null : (JSON.parse(value) as unknown);
  } catch {
    return {};
  }
};

/**
 * A Pix checkout in one element: it asks the merchant's proxy for an invoice, shows the Pix code, follows the invoice
 * until it is paid, and tells the page.
 *
 * ```html
 * <pix-checkout external-id="order-1042" order-token="…" total-price-cents="12990">
 *   <a href="/orders/1042/pay">Pagar pedido</a>
 * </pix-checkout>
 * ```
 *
 * @tag pix-checkout
 * @fires {CustomEvent<{ methods: readonly Method[] }>} pix-ready - The element is usable.
 * @fires {CustomEvent<{ method: Method; externalId: string }>} pix-submit - An invoice is about to be created; `preventDefault()` keeps the form.
 * @fires {CustomEvent<InvoiceDetail>} pix-created - The proxy answered with an invoice.
 * @fires {CustomEvent<{ phase: Phase; status: string | null; invoiceId: string | null }>} pix-status - The phase or the service's status changed.
 * @fires {CustomEvent<{ copied: boolean }>} pix-copy - The code is on the clipboard, or could not be put there.
 * @fires {CustomEvent<InvoiceDetail>} pix-paid - Once per invoice, only after a look-up that agreed in invoice, reference and total.
 * @fires {CustomEvent<{ invoiceId: string }>} pix-expired - Your deadline passed and a last look-up said not paid. A late `pix-paid` may follow.
 * @fires {CustomEvent<{ code: CheckoutErrorCode; retryable: boolean; invoiceId?: string; reason?: "http_basic" }>} pix-error - Something you should know.
 *
 * @slot - What the page shows if the script never arrives.
 * @slot header - Above everything, in every phase.
 * @slot footer - Below everything, in every phase.
 * @slot paid - On the receipt.
 * @slot support - Where the payer needs you.
 * @slot card - A card provider's own fields, in place of the element's.
 *
 * @csspart card - The box around everything.
 * @csspart heading - What the screen says.
 * @csspart amount - The amount.
 * @csspart summary - The order summary.
 * @csspart form - The form for payer and card.
 * @csspart label - The label of a field.
 * @csspart input - Each field of the form.
 * @csspart submit-button - The form's button, and the first one of a screen without a code.
 * @csspart qr - The QR code.
 * @csspart code - The Pix code as text.
 * @csspart copy-button - The button that copies the code.
 * @csspart status - What the payer waits for.
 * @csspart secondary-button - A button that is not the first one.
 * @csspart receipt - The receipt.
 * @csspart error - What failed, and what to do.
 *
 * @cssprop --pix-color-accent - Main button.
 * @cssprop --pix-color-on-accent - Text on the main button. Without it: black or white, as the accent needs.
 * @cssprop --pix-color-mark - Marks, the chosen method, the focus ring. Without it: the accent, darkened or lightened to be seen.
 * @cssprop --pix-color-text - Text.
 * @cssprop --pix-color-muted - Secondary text.
 * @cssprop --pix-color-surface - The box itself.
 * @cssprop --pix-color-subtle - Quiet areas in the box.
 * @cssprop --pix-color-line - Thin lines.
 * @cssprop --pix-color-border - Borders of inputs and secondary buttons; keep 3:1 to the surface.
 * @cssprop --pix-color-error - Errors.
 * @cssprop --pix-font - Font family.
 * @cssprop --pix-font-size - Text, at least 16px: iOS zooms into smaller inputs. Other sizes follow.
 * @cssprop --pix-amount-size - Size of the amount.
 * @cssprop --pix-border-width - Borders of controls; `0 0 1px` leaves a line below.
 * @cssprop --pix-focus-ring - The focused control's `outline`.
 * @cssprop --pix-control-height - Inputs and buttons, at least 44px; main buttons are 6px higher.
 * @cssprop --pix-gap - Space between blocks.
 * @cssprop --pix-max-width - Width of the box.
 * @cssprop --pix-max-width-wide - The same for two columns.
 * @cssprop --pix-radius - Corners of controls; the box's are twice as round.
 * @cssprop --pix-padding - Space inside the box.
 * @cssprop --pix-shadow - Shadow of the box.
 *
 * @cssstate form - The payer fills in the form, or can start.
 * @cssstate creating - An invoice is created, or an attempt resumed.
 * @cssstate awaiting - A Pix code is on the screen.
 * @cssstate confirming - The payment is being confirmed.
 * @cssstate paid - A look-up said paid.
 * @cssstate expired - Your deadline has passed.
 * @cssstate failed - Nothing can be done here without you.
 */
export class PixCheckout extends LitElement {
  static override styles = styles;

  /**
   * Properties whose attributes have other names; each is described at its field below. Decorators would weigh 0.3 kB more.
   */
  static override properties = {
    endpoint: {},
    externalId: { attribute: 'external-id' },
    orderToken: { attribute: 'order-token' },
    totalPriceCents: { attribute: 'total-price-cents', converter: wholeNumber },
    pixTotalPriceCents: { attribute: 'pix-total-price-cents', converter: wholeNumber },
    methods: {},
    method: {},
    invoiceId: { attribute: 'invoice-id' },
    lookupToken: { attribute: 'lookup-token' },
    payerFields: { attribute: 'payer-fields' },
    autoStart: { attribute: 'auto-start', converter: flag },
    receiverName: { attribute: 'receiver-name' },
    expiresIn: { attribute: 'expires-in', converter: wholeNumber },
    invoice: { converter: json },
    pollInterval: { attribute: 'poll-interval', converter: wholeNumber },
    locale: {},
    allowUnverifiedCode: { attribute: 'allow-unverified-code', converter: flag },
    payer: { attribute: false },
    items: { attribute: false },
    lines: { attribute: false },
    texts: { attribute: false },
    lookUpAddress: { attribute: false },
    acceptedBrands: { attribute: 'accepted-brands' },
    acceptRawCard: { attribute: 'accept-raw-card', converter: flag },
    installments: { attribute: false },
    tokenizeCard: { attribute: false },
  };

  /** Base URL of your proxy. Without it: the one that the script came from, `…/assets/pix-checkout.min.js`. */
  endpoint: string | null = null;

  /** Your reference of the order: letters, digits and `. _ : -`, at most 64. */
  externalId: string | null = null;

  /** Proves that this payer may pay this order. Your server makes it with `signOrder`. */
  orderToken: string | null = null;

  /**
   * The total that the page shows, in whole cents. It is compared, and never charged: if the proxy's total differs, the
   * checkout stops with `amount_mismatch`.
   */
  totalPriceCents: number | null = null;

  /** The total by Pix, if Pix is cheaper. The screen then shows the discount. */
  pixTotalPriceCents: number | null = null;

  /**
   * `pix` and `credit_card`, separated by a space, in order of preference. A card needs `tokenizeCard` or `accept-raw-card`.
   */
  methods: 'pix' | 'credit_card' | 'pix credit_card' | 'credit_card pix' = 'pix';

  /** The method that is shown. The element changes it, too, when the payer chooses. */
  method: 'pix' | 'credit_card' | null = null;

  /** An invoice to show and follow. */
  invoiceId: string | null = null;

  /** The proxy's token that allows to look `invoice-id` up. */
  lookupToken: string | null = null;

  /**
   * The fields to ask the payer for: `name cpf_cnpj email phone address_zip address_line address_number address_complement
   * address_city address_state`, separated by spaces; `address` stands for the six of the address, and an empty text for
   * none. A trailing `?` makes a field optional. `cpf_cnpj?` is asked for, with "Não tenho CPF" for a payer who has none.
   */
  payerFields = 'name cpf_cnpj email';

  /** Creates the invoice as soon as no field has to be asked, once for each `external-id`. */
  autoStart = false;

  /** The receiver's name in the bank app. Without it the screen shows the name in the code, as "pode aparecer como". */
  receiverName: string | null = null;

  /**
   * Seconds from its creation until a Pix code's deadline. An answer's `expires_in` replaces it; without both there is no
   * countdown.
   */
  expiresIn: number | null = null;

  /**
   * The `data` of a create answer that your server or page already has, which saves a round trip. As an attribute it is JSON,
   * as a property the object or a promise of it.
   */
  invoice: CreatedInvoice | PromiseLike<CreatedInvoice> | null = null;

  /** The base of the look-up schedule, milliseconds, at least 250. Without it: 4000. */
  pollInterval: number | null = null;

  /** `pt-BR`, `en` or `es`. Without it: the nearest `lang`, or else `pt-BR`. */
  locale: 'pt-BR' | 'en' | 'es' | (string & {}) | null = null;

  /** Accepts placeholder codes of a service's test environment. The screen is marked as a test. */
  allowUnverifiedCode = false;

  /** The payer as far as you know, by the names of `payer-fields`. The form does not ask for valid fields again. */
  payer: Partial<Payer> | null = null;

  /** The lines of the order: `{name, description?, quantity, unit_price}[]`, prices in cents. */
  items: readonly Item[] | null = null;

  /** Freight, coupon, discount: `{label, cents}[]`, for display only. */
  lines: readonly Line[] | null = null;

  /** Single texts in your own words. */
  texts: TextOverrides | null = null;

  /** Looks a CEP (eight digits) up: `async (cep) => ({address_line, address_city, address_state})`. */
  lookUpAddress: ((cep: string) => Promise<Partial<Payer>>) | null = null;

  /**
   * The card brands that you take, separated by spaces: `elo visa mastercard amex diners discover jcb hipercard hiper`.
   * Without it: every card. A card of unknown brand is accepted.
   */
  acceptedBrands: string | null = null;

  /** Sends card numbers to your proxy if there is no `tokenizeCard`, which puts your server in PCI DSS scope. */
  acceptRawCard = false;

  /** Your instalments: `{installment, total_cents, interest_free?}[]`. The element computes no interest. */
  installments: readonly Installment[] | null = null;

  /** Makes a token of the card: `async (card, context) => ({token, …})`. The element sends only the result. */
  tokenizeCard: TokenizeCard | null = null;

  /**
   * The clocks, network and storage; a subclass in a test replaces them.
   * @internal
   */
  get environment(): Environment {
    return browserEnvironment;
  }

  /**
   * The page's values, read before each update that changes them.
   * @internal
   */
  get order(): Order {
    return this.#order;
  }

  /** What the checkout is doing: `form`, `creating`, `awaiting`, `confirming`, `paid`, `expired` or `failed`. */
  get phase(): Phase {
    return this.#controller.state.phase;
  }

  /**
   * The paid invoice, also if an earlier element of this page load dispatched `pix-paid`; `null` if no look-up said paid.
   * @internal
   */
  get receipt(): InvoiceDetail | null {
    const { state } = this.#controller;
    return state.phase === 'paid' ? toDetail(state.invoice) : null;
  }

  readonly #controller = new CheckoutController(this);
  readonly #draft = new PayerDraft();

  /** Missing in the DOM of some unit tests. */
  readonly #internals = this.attachInternals?.();
  readonly #warned = new Set<string>();
  readonly #card = new CardLoader(this);
  readonly #room = new RoomObserver(this);
  readonly #announcer = new Announcer(this);
  /** The base of a relative endpoint. It is kept, because a page may change its address while it shows the order. */
  readonly #base = document.baseURI;
  #order = readOrder(this, this.#base, () => undefined);
  #installments = parseInstallments(null);
  /** The total of the chosen instalments when {@link order} was read. */
  #cardCents: number | null = null;
  /** The order at the last update; `null` before the first one. */
  #begun: Order | null = null;
  /** The method that was shown last. */
  #lastMethod: Method | null = null;
  #letterKeypad = false;
  /**
   * Whether the payer pressed the form's button. Then the form stays until there is an outcome, and an error scrolls into
   * view.
   */
  #pressed = false;
  /** Resolves when the pointer that is down was released. */
  #released: Promise<unknown> | null = null;
  /** The card of the last request as the receipt names it, in memory only. */
  #cardUsed: string | null = null;
  /** The last error of the form. */
  #formerError: CheckoutError | null = null;
  /** The order that `auto-start` has begun, because it begins each order only once. */
  #autoStarted: string | null = null;

  constructor() {
    super();
    this.addEventListener('pointerdown', () => {
      this.#released = waitForRelease();
    });
    this.addEventListener('copy', keepCopy);
    this.addController(this.#room);
    this.stateChanged();
  }

  /** Does the same as the form's button: validates, shows field errors, creates. */
  start(): void {
    this.#readOrder();
    if (this.#controller.state.phase !== 'form') return;
    this.#readControls();
    const isCard = this.#order.method === 'credit_card';
    // One press shows every error, of the card and of the payer's fields. These stand first and get the focus.
    const inCard = isCard ? this.#checkCard() : null;
    const faulty = this.#draft.check(this.#order.asked) ?? inCard;
    this.requestUpdate();
    if (faulty !== null) {
      void this.updateComplete.then(() => {
        this.#focus(`#${faulty}`);
        this.#reveal(`#${faulty}-fault`, `[for=${faulty}]`);
      });
      return;
    }
    this.#submit(true);
  }

  /** Looks up now. */
  refresh(): void {
    this.#controller.dispatch({ type: 'check_asked' });
  }

  /**
   * Forgets invoice and attempt, and goes back to the filled-in form. Ignored while an invoice is created or a card is
   * charged.
   */
  reset(): void {
    if (this.phase === 'creating' || isCardPending(this.#controller.state)) {
      this.warn('reset() is ignored in this phase');
      return;
    }
    this.#controller.dispatch({ type: 'reset' });
  }

  /**
   * Called by the controller after each change of its state: drops card data, keeps the height, and sets the custom state.
   * @internal
   */
  stateChanged(): void {
    // The card is no longer being sent, or was never sent, so no later request may take the prepared data.
    const { state } = this.#controller;
    const isTurnedAway = state.phase === 'form' && state.error?.code === 'too_many_requests';
    if (this.phase !== 'creating') this.#card.form?.discard(isTurnedAway);
    // The typed card stays until the order is paid: after a refusal the form comes back with all but the security code.
    if (this.phase === 'paid') this.#card.form?.clear();
    // The page chose the card while a code was requested, so the machine follows that code behind the card form.
    if (isCodePhase(state) && this.#order.method === 'credit_card') {
      this.#controller.dispatch({ type: 'method_chosen', method: 'credit_card' });
    }
    this.#keepHeight();
    try {
      this.#internals.states.clear();
      this.#internals.states.add(this.phase);
    } catch {
      // Browsers without custom states throw, and so does Chrome before 125, at a name without two dashes. None of them has
      // `:state()`, so a page loses nothing.
    }
  }

  /**
   * Keeps the height of the code's screen for the screen after it, up to the window's height, so that nothing below jumps up.
   * If only the page's margins and a header stand around it, they are part of that height, so that nothing scrolls.
   */
  #keepHeight(): void {
    // There is no section before the first rendering. The style is set by property, which a strict policy allows.
    const card = (this.renderRoot as ShadowRoot | undefined)?.querySelector('section');
    if (!card) return;
    // Measuring forces a layout.
    if (!/paid|confirming|expired|creating/.test(this.phase)) {
      card.style.minBlockSize = '';
      return;
    }
    const { offsetHeight } = card;
    const around = (this.#scroller?.scrollHeight ?? 0) - offsetHeight;
    const top = card.getBoundingClientRect().top + (this.#scroller?.scrollTop ?? 0);
    const margins = around - top > 32 || around > 200 ? 0 : around;
    card.style.minBlockSize = `min(${offsetHeight}px, 100vh - ${margins}px, 40em)`;
  }

  /**
   * Warns the page's developer, once of each text.
   * @internal
   */
  warn(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.environment.warn(text);
  }

  /**
   * Called by the loader if the card form did not come: warns, and tells the page.
   * @internal
   */
  cardMissing(why: string): void {
    this.warn(`The card form did not come: ${why}`);
    const error = new PixErrorEvent('card_unavailable', true, null);
    this.dispatchEvent(error);
  }

  /**
   * Prepares the card for sending.
   * @internal
   */
  async prepareCard(): Promise<boolean> {
    const { form } = this.#card;
    const { externalId, cardCents: totalCents } = this.#order.terms;
    const installment = form?.choice?.installment ?? 1;
    const context = { externalId: externalId ?? '', totalCents, installment };
    const request = { tokenize: this.tokenizeCard, context, slotted: this.#slotted };
    return (await form?.prepare(request)) ?? false;
  }

  /**
   * Makes the body of a request.
   * @internal
   */
  createRequest(method: Method, replaces: string | null): CreateRequest {
    const { externalId, orderToken, asked, given, terms } = this.#order;
    const isCard = method === 'credit_card';
    this.#cardUsed = (isCard && this.#card.form?.describe()) || null;
    const card = isCard && this.#card.form?.take();
    const expectedCents = isCard ? terms.cardCents : terms.pixCents;
    const payer = { ...given, ...this.#draft.payer(asked) };
    return {
      method,
      external_id: externalId ?? '',
      ...(orderToken === null ? {} : { order_token: orderToken }),
      ...(Object.keys(payer).length === 0 ? {} : { payer }),
      ...(expectedCents === null ? {} : { expected_total_cents: expectedCents }),
      ...(replaces === null ? {} : { replaces }),
      ...(card && { card }),
    };
  }

  /**
   * Delays the first update while the page is incomplete, because frameworks and later scripts set properties after the tag
   * is there. Also waits while the pointer is down, because a fault that appears as its field is left would push the button
   * away.
   */
  protected override async scheduleUpdate(): Promise<void> {
    if (!this.hasUpdated && this.#isIncomplete()) await waitForScripts();
    await this.#released;
    await super.scheduleUpdate();
  }

  /** Whether the page's values so far would fail, or hide the card. */
  #isIncomplete(): boolean {
    const order = readOrder(this, this.#base, () => undefined);
    const { event } = findBeginning(this, order, null, false, this.environment);
    const hasCards = order.methods.includes('credit_card');
    return event?.type === 'failed' || (!hasCards && /credit_card/.test(this.methods));
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    // A keystroke does not change the page's values.
    if (changed.size > 0 || this.#cardCents !== this.#cardTotal) this.#readOrder();
    this.#beginIfChanged(changed);
    this.#showMethod();
    this.#autoStartIfDue();
  }

  /** Renders, and keeps focus, scroll position and selection where the payer expects them. */
  protected override update(changed: Map<PropertyKey, unknown>): void {
    const focused = this.shadowRoot?.activeElement;
    // A page translator replaces texts by elements, and Lit would then write into nodes that are gone.
    for (const font of this.renderRoot.querySelectorAll(':not(font) > font')) {
      font.replaceWith(font.textContent);
    }
    const place = () =>
      this.renderRoot.querySelector('form > .primary')?.getBoundingClientRect().top ?? 0;
    const isFailureNew = this.#isFailureNew();
    // The place is measured only then, because each measurement forces a layout.
    const before = isFailureNew ? place() : 0;
    const screen = () => this.renderRoot.querySelector('.notice, .columns, .sides');
    const former = screen();
    super.update(changed);
    // Only another screen appears with a motion.
    if (former && screen() !== former) screen()?.classList.add('new');
    // The live region announces the error. The button keeps the focus, unless the security code has to be typed again.
    if (isFailureNew) {
      // Keeps the button where it was, although something above it may have folded.
      this.#scrollBy(place() - before);
      this.renderRoot.querySelector<HTMLElement>('#card_code')?.focus({ preventScroll: true });
      // The scroll waits until the changes are drawn, because it would jump in the same frame.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => this.#reveal('.primary', '.error', '[for=card_code]')),
      );
    }
    // The former screen had the focus, so it goes to the heading of the next one.
    else if (focused?.isConnected === false) this.#focus('#title');
    // The fields of a busy form lose the focus as well, and its button says what happens. So does the choice of method if the
    // element begins by itself.
    else if (focused?.matches(':disabled')) this.#focus('[part~="submit-button"], .columns #title');
    this.#takeSelection();
  }

  /** What scrolls the element: its dialog, or the page. */
  get #scroller(): Element | null {
    return this.closest('dialog') ?? document.scrollingElement;
  }

  #scrollBy(pixels: number): void {
    this.#scroller?.scrollBy(0, pixels);
  }

  /**
   * Scrolls elements into view, giving the last one priority, and again when a keyboard opens, until the payer leaves the
   * field or touches the page.
   */
  #reveal(...selectors: readonly string[]): void {
    const view = window.visualViewport;
    if (!view) return;
    const show = () => {
      for (const selector of selectors) {
        const one = this.renderRoot.querySelector(selector);
        if (!one) continue;
        one.scrollIntoView({ block: 'nearest' });
        // Safari counts the part that the keyboard covers as visible.
        const { top, bottom } = one.getBoundingClientRect();
        const above = top - view.offsetTop - 4;
        this.#scrollBy(Math.min(above, Math.max(0, bottom + 4 - view.offsetTop - view.height)));
      }
    };
    show();
    view.addEventListener('resize', show);
    const end = () => view.removeEventListener('resize', show);
    this.addEventListener('focusout', end, { once: true });
    window.addEventListener('pointerdown', end, { once: true });
  }

  /**
   * Whether the form came back with an error, and the payer who pressed its button still looks at it. True once for each
   * press.
   */
  #isFailureNew(): boolean {
    const { state } = this.#controller;
    if (!this.#pressed || state.phase !== 'form' || !state.error) return false;
    this.#pressed = false;
    return this.matches(':focus-within') || document.activeElement === document.body;
  }

  /** Moves focus and selection from the code that the server rendered to the element's own. */
  #takeSelection(): void {
    const drawn = this.querySelector<HTMLTextAreaElement>('#pix-code:focus');
    const code = drawn && this.renderRoot.querySelector('textarea');
    if (!code) return;
    code.focus();
    code.setSelectionRange(drawn.selectionStart, drawn.selectionEnd);
  }

  protected override render() {
    const model = this.#model();
    const { state } = model;
    const isClosing = 'closing' in state && state.closing;
    const said = this.#announcer.announce(toAnnouncement(model), state.phase, isClosing);
    return renderCheckout(model, this.#actions, said);
  }

  /** Loads the card form when a card is chosen, and tells the machine of another method. */
  #showMethod(): void {
    const { method } = this.#order;
    if (method === null || method === this.#lastMethod) return;
    const first = this.#lastMethod === null;
    this.#lastMethod = method;
    // The form is loaded once. After a failure the payer has to press to load it again.
    if (method === 'credit_card') this.#card.load();
    if (!first) this.#controller.dispatch({ type: 'method_chosen', method });
  }

  /** Begins a checkout, at first and whenever the page shows another order. Typed text stays. */
  #beginIfChanged(changed: Map<PropertyKey, unknown>): void {
    const [begun, order] = [this.#begun, this.#order];
    this.#begun = order;
    if (begun && !this.#isOther(begun, order) && !this.#isGivenInvoice(changed)) return;
    this.#cardUsed = null;
    if (begun === null) {
      // The event is made before the call, because the manifest's analyzer would otherwise list it a second time without its
      // name.
      const ready = new PixReadyEvent(order.methods);
      this.dispatchEvent(ready);
    } else {
      // A card that was sent for the former order is cleared; one that was only typed stays.
      if (this.phase === 'confirming') this.#card.form?.clear();
      this.#controller.dispatch({ type: 'order_changed' });
      // The start file's request was for the former order, so it is dropped.
      if ((this.invoice as EarlyInvoice | null)?.attemptKey) this.invoice = null;
    }
    this.#begin();
  }

  /**
   * Whether the page now names another order, or another price than that of the code on the screen. A new order token in
   * place of a refused one restarts a failed checkout; any other goes on.
   */
  #isOther(begun: Order, order: Order): boolean {
    if (toIdentity(begun) !== toIdentity(order)) return true;
    const { state } = this.#controller;
    const isRefused = 'error' in state && state.error?.code === 'unauthorized';
    if (isRefused && begun.orderToken !== order.orderToken) {
      // The page has signed a new order token in place of the refused one, so the checkout goes on.
      if (state.phase === 'failed') return true;
      this.#controller.dispatch({ type: 'returned' });
    }
    // A later price does not change a payment that may have been made.
    if (mayBePaid(state)) return false;
    const [newest] = findWatch(state)?.invoices ?? [];
    if (!newest) return toSetUpIdentity(begun) !== toSetUpIdentity(order);
    const { pixCents } = order.terms;
    return pixCents !== null && (newest.totalCents ?? pixCents) !== pixCents;
  }

  /** Whether the page has just named an invoice to show while none, or another one, is shown. */
  #isGivenInvoice(changed: Map<PropertyKey, unknown>): boolean {
    const { state } = this.#controller;
    const named = changed.has('invoiceId') && this.invoiceId !== null;
    const isOther =
      state.phase !== 'form' && (this.#order.externalId === null || !mayBePaid(state));
    if (named && isOther && findCurrentInvoice(state)?.invoiceId !== this.invoiceId) return true;
    // This is not done while a code is followed behind the card form, because a page may hand the invoice in at each
    // rendering.
    const idle = isAt(state, 'promised') || (/form|failed/.test(state.phase) && !findWatch(state));
    return idle && ['invoice', 'invoiceId', 'lookupToken'].some((name) => changed.has(name));
  }

  /** Begins with the event that {@link findBeginning} chooses, or shows a receipt of this page load. */
  #begin(): void {
    const { record } = this.#controller;
    const stored = record.read();
    const isUnresolved = record.isUnresolved(stored);
    const [order, clocks] = [this.#order, this.environment];
    const { event, method, warning } = findBeginning(this, order, stored, isUnresolved, clocks);
    if (warning) this.warn(warning);
    if (method && method !== this.#order.method && this.#order.methods.includes(method)) {
      this.method = method;
      this.#readOrder();
    }
    if (event) this.#controller.dispatch(event);
    // An earlier element of this page may have the receipt already, which needs no request.
    else this.#controller.showReceipt();
    if (event?.type === 'promised') this.#take(this.invoice);
  }

  /** Shows the page's invoice: data at once, and a promise when it resolves, if it is still the latest. */
  #take(given: unknown): void {
    const { attemptKey } = Object(given) as Partial<EarlyInvoice>;
    if (typeof Object(given).then !== 'function') return this.#show(given, attemptKey);
    const isLatest = () => this.invoice === given;
    Promise.resolve(given).then(
      (data) => isLatest() && this.#show(data, attemptKey),
      () => isLatest() && this.#refuse('network', 'the promised invoice did not come'),
    );
  }

  /** Shows an invoice. @param attemptKey the key of a request that began before the element was defined */
  #show(data: unknown, attemptKey?: string): void {
    if (attemptKey) this.#autoStarted = this.#order.externalId;
    try {
      this.#controller.dispatch({ type: 'given', invoice: parseInvoiceData(data), attemptKey });
    } catch (error) {
      this.#refuse('invalid_answer', `invoice: ${(error as Error).message}`);
    }
  }

  /** Warns, and ends the checkout if no payment runs. */
  #refuse(code: ShownErrorCode, warning: string): void {
    this.warn(warning);
    this.#controller.dispatch({ type: 'failed', code });
  }

  /** Submits without a press, once for each order, if `auto-start` is set and nothing has to be asked. */
  #autoStartIfDue(): void {
    const { externalId, method, asked } = this.#order;
    const { state } = this.#controller;
    const due =
      isOn(this.autoStart) &&
      this.isConnected &&
      !isPrerendering() &&
      state.phase === 'form' &&
      state.error === null &&
      externalId !== null &&
      this.#autoStarted !== externalId &&
      method === 'pix' &&
      asked.length === 0 &&
      !this.#draft.touched;
    if (!due) return;
    this.#autoStarted = externalId;
    this.#submit(false);
  }

  /** Dispatches `pix-submit`, and pays unless the page cancels the event. */
  #submit(pressed: boolean): void {
    const { externalId, method, faults } = this.#order;
    if (externalId === null || method === null || faults.length > 0) return;
    const submit = new PixSubmitEvent(method, externalId);
    if (!this.dispatchEvent(submit)) return;
    this.#pressed = pressed;
    this.#controller.submit(method);
  }

  /**
   * Reads the controls, because a password manager, or Chrome on iOS, may have filled one without any event. An empty control
   * tells nothing new.
   */
  #readControls(): void {
    const controls = this.renderRoot.querySelectorAll<HTMLInputElement>('form [part=input]');
    for (const control of controls) {
      if (control.value) control.dispatchEvent(new Event('change'));
    }
  }

  /** Checks the card form. @returns the name of its first faulty control, or the form itself while it is not loaded */
  #checkCard(): string | null {
    return this.#card.form ? this.#card.form.check() : 'card_number';
  }

  /** Whether the page fills the slot `card` with a provider's own fields. */
  get #slotted(): boolean {
    return this.querySelector(':scope > [slot="card"]') !== null;
  }

  /** Total of the chosen instalments, integer cents; `null` if none are offered. */
  get #cardTotal(): number | null {
    return this.#card.form?.choice?.totalCents ?? null;
  }

  /** Reads the page's values. While a payment runs, unusable values do not replace the former ones. */
  #readOrder(): void {
    this.#cardCents = this.#cardTotal;
    this.#warnOfUnread();
    const order = readOrder(this, this.#base, (text) => this.warn(text), this.#cardCents);
    const { state } = this.#controller;
    const isRunning = !/form|failed/.test(state.phase) || findWatch(state) !== null;
    this.#order = isRunning ? toCurrentOrder(this.#order, order) : order;
    if (this.#order !== order)
      this.warn('The order is gone from the page: what it said before holds');
    this.#installments = parseInstallments(this.installments, this.#order.totalCents);
    for (const fault of this.#installments.faults)
      this.warn(`${fault} is not as the documentation says; it is left out`);
  }

  /**
   * Warns of attributes under the property's name, and of properties under the attribute's, because nothing reads them. Also
   * warns of a tag that "closes itself", because it swallows the rest of the page.
   */
  #warnOfUnread(): void {
    if (this.querySelector(':scope>:is(script,main,footer):not([slot])'))
      this.warn('It holds the rest of the page: close its tag');
    const names: Record<string, { attribute?: string | boolean; converter?: unknown }> =
      PixCheckout.properties;
    for (const [name, { attribute = name }] of Object.entries(names)) {
      // A property that is set gives no warning: a framework may have written it as an attribute first.
      if (attribute === name || (!attribute && this[name as 'payer'])) continue;
      const words = [name.toLowerCase(), `${attribute}`.replaceAll('-', '_')];
      const unread =
        words.find((word) => this.hasAttribute(word)) ?? (`${attribute}` in this && attribute);
      const place = attribute ? `attribute ${attribute}` : 'property';
      if (unread) this.warn(`${unread} is not read: set ${name} (${place})`);
    }
  }

  /**
   * The language that the page asks for, or else that of the nearest `lang` around the element. pt-BR if there is none, or
   * until the language is loaded.
   */
  #language(): Locale {
    const asked = nearestLocale(this.locale);
    if (this.locale !== null && asked === null)
      this.warn(`locale is none of ${locales.join(', ')}`);
    const nearest = nearestLocale(this.closest('[lang]')?.getAttribute('lang'));
    const locale = asked ?? nearest ?? 'pt-BR';
    if (hasMessages(locale)) return locale;
    fetchMessages(locale, this.#order.endpoint).then(
      () => this.requestUpdate(),
      (error) => this.warn(`${locale} could not be loaded; pt-BR is shown: ${String(error)}`),
    );
    return 'pt-BR';
  }

  #model(): Model {
    const locale = this.#language();
    const { state, sinceMs, attention, offline } = this.#controller;
    if (state.phase === 'form') this.#formerError = state.error;
    return toModel({
      state,
      attention,
      offline,
      copyKeys: readCopyKeys(),
      order: this.#order,
      fields: this.#draft.fields(this.#order.asked),
      card: this.#order.method === 'credit_card' ? this.#cardPanel(locale) : null,
      letterKeypad: this.#letterKeypad,
      installments: this.#installments,
      pressed: this.#pressed,
      formerError: this.#formerError,
      wide: this.#room.isWide(),
      cardUsed: this.#cardUsed,
      locale,
      texts: chooseMessages(locale, this.texts, (text) => this.warn(text)),
      nowMs: this.environment.now(),
      sinceMs,
      wallClock: this.environment.wallClock(),
    });
  }

  #cardPanel(locale: Locale): CardPanel {
    const { form, failed } = this.#card;
    const { acceptedBrands } = this;
    const slotted = this.#slotted;
    const { asked, given, endpoint } = this.#order;
    const { offers: installments, atOnceCents } = this.#installments;
    const payerName = given.name ?? this.#draft.payer(asked).name;
    const model = {
      locale,
      acceptedBrands,
      installments,
      atOnceCents,
      slotted,
      payerName,
      endpoint,
      codeAgain: !!form && isCodeGone(this.#formerError),
    };
    return {
      failed,
      slotted,
      content: form?.render(model) ?? null,
      assurance: form?.assure(model),
      faults: form?.faults,
    };
  }

  readonly #actions: Actions = {
    input: (field, event) => {
      const input = event.target as HTMLInputElement;
      if (!this.#draft.input(field, input, (event as InputEvent).isComposing)) return;
      this.requestUpdate();
      if (field === 'address_zip') void this.#fillAddress();
    },
    blur: (field) => {
      // A field that disappears with its screen also fires `blur`, but the payer did not leave it.
      if (this.phase !== 'form') return;
      const asked = this.#order.asked.find((one) => one.field === field);
      if (asked) this.#draft.leave(asked);
      this.requestUpdate();
    },
    switchKeypad: (letters) => {
      this.#letterKeypad = letters;
      this.requestUpdate();
    },
    waive: (on) => {
      this.#draft.waive(on);
      this.requestUpdate();
    },
    submit: (event) => {
      event.preventDefault();
      // The payer pressed the form as it was rendered. If it was busy then, the press is ignored, even after the outcome.
      if (!(event.target as Element).matches('[aria-busy=true]')) this.start();
    },
    copy: () => void this.#copy(),
    checkNow: () => {
      this.refresh();
      void this.updateComplete.then(() => this.#reveal('.exits .status'));
    },
    chooseMethod: (method) => {
      this.method = method;
    },
    reloadCard: () => this.#card.load(),
    reportTrouble: () => this.#controller.reportTrouble(),
    newCode: () => this.#controller.askForNewCode(),
    startOver: (totalCents) => {
      const name = this.#order.pixTotalCents === null ? 'totalPriceCents' : 'pixTotalPriceCents';
      // The payer has accepted the new total.
      if (totalCents) {
        this[name] = totalCents;
        return;
      }
      // Nothing may begin automatically while the page unloads.
      this.#autoStarted = this.#order.externalId;
      this.reset();
      this.environment.reload();
    },
  };

  /** Copies the code. If the browser refuses, selects it for the payer to copy by hand. */
  async #copy(): Promise<void> {
    const code = findCurrentInvoice(this.#controller.state)?.code;
    if (!code) return;
    const shown = this.renderRoot.querySelector<HTMLTextAreaElement>('textarea[part~="code"]');
    const copied = await copyText(code.text, shown);
    this.#controller.noteCopy(copied);
    if (copied) return;
    // The code is now beside the text about it.
    await this.updateComplete;
    const moved = this.renderRoot.querySelector('textarea');
    moved?.focus();
    moved?.select();
    this.#reveal('textarea');
  }

  /** Asks the page for the address of a complete CEP, and fills the fields that the payer has left empty. */
  async #fillAddress(): Promise<void> {
    const typed = () => this.#draft.payer(this.#order.asked).address_zip ?? '';
    const cep = typed();
    if (!this.lookUpAddress || !/^\d{8}$/.test(cep)) return;
    try {
      const found = await this.lookUpAddress(cep);
      // The payer has corrected the CEP meanwhile, so this answer is for another street.
      if (typed() !== cep) return;
      const fields = ['address_line', 'address_city', 'address_state'] as const;
      for (const field of fields) {
        const value = found[field];
        if (typeof value === 'string') this.#draft.fill(field, value);
      }
      if (Object.keys(found).length > 0 && !fields.some((field) => field in found))
        this.warn(`lookUpAddress has to give {${fields.join(', ')}}; {} where nothing is known`);
      this.requestUpdate();
    } catch {
      this.warn('lookUpAddress failed');
    }
  }

  #focus(selector: string): void {
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }
}
