/**
 * What a scenario works with: the element on the page, its order, and the hands of payer and bank.
 *
 * Owns how each is done. Knows no single scenario.
 */

import type { Phase, PixCheckout } from '../../src/index.js';
import type { Fault } from '../../src/sandbox/faults.js';
import type { ShopOrder } from '../checkout.js';
import { listInvoices, settle } from './api.js';
import type { Options } from './options.js';

/** One run of a scenario. */
export interface Stage {
  readonly checkout: PixCheckout;
  readonly order: ShopOrder;
  /** Changes options, as if QA had done it by hand. */
  readonly choose: (some: Partial<Options>) => Promise<void>;
}

/** One state, and the way into it. */
export interface Scenario {
  readonly id: string;
  readonly label: string;
  /** Where the element ends up when the steps are done. */
  readonly phase: Phase;
  readonly options?: Partial<Options>;
  /** Faults of the service from the beginning. */
  readonly faults?: readonly Fault[];
  /** Starts when the element is on the page. */
  readonly steps?: (stage: Stage) => Promise<void>;
}

/** A payer that does not exist; the document's check digits are right. */
const testPayer: Readonly<Record<string, string>> = {
  name: 'Maria Teste da Silva',
  cpf_cnpj: '529.982.247-25',
  email: 'maria@example.com',
  phone: '(11) 98765-4321',
  address_zip: '01310-100',
  address_line: 'Rua das Araucárias',
  address_number: '1000',
  address_complement: 'Casa 2',
  address_city: 'Campos do Jordão',
  address_state: 'SP',
};

/** Types a test payer into the fields that are asked. */
export function fillForm(checkout: PixCheckout): void {
  const controls = checkout.shadowRoot?.querySelectorAll<HTMLInputElement>('form [name]') ?? [];
  for (const control of controls) {
    control.value = testPayer[control.name] ?? '';
    control.dispatchEvent(new Event(control.localName === 'select' ? 'change' : 'input'));
  }
}

/** What goes with every test card; the sandbox looks at none of it. */
const testCardFields: Readonly<Record<string, string>> = {
  card_name: 'MARIA TESTE DA SILVA',
  card_expiry: `12/${String(new Date().getFullYear() + 3).slice(-2)}`,
};

/** Types a test card into the fields that are there: the element's own, or the provider's in the slot. */
export function fillTestCard(checkout: PixCheckout, number: string): void {
  const code = number.length === 15 ? '1234' : '123';
  const values = { ...testCardFields, card_number: number, card_code: code };
  for (const [id, value] of Object.entries(values)) {
    type(checkout.shadowRoot?.querySelector(`#${id}`), value);
  }
  type(checkout.querySelector('[slot="card"] input'), number);
}

function type(control: HTMLInputElement | null | undefined, value: string): void {
  if (!control) return;
  control.value = value;
  control.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
}

/** Waits until a card can be typed in. */
export function untilCardForm({ checkout }: Stage): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!checkout.shadowRoot?.querySelector('slot[name="card"]')) return;
      observer.disconnect();
      resolve();
    };
    const observer = new MutationObserver(look);
    observer.observe(checkout.renderRoot, { childList: true, subtree: true });
    look();
  });
}

/** As if the payer had pressed the button. */
export async function startUntil(stage: Stage, phase: Phase): Promise<void> {
  stage.checkout.start();
  await untilPhase(stage, 'creating');
  await untilPhase(stage, phase);
}

/** Waits until the element is in a phase. */
export function untilPhase({ checkout }: Stage, phase: Phase): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (checkout.phase !== phase) return;
      checkout.removeEventListener('pix-status', look);
      resolve();
    };
    checkout.addEventListener('pix-status', look);
    look();
  });
}

/** Pays the order's newest invoice at the bank. */
export async function pay(stage: Stage): Promise<void> {
  await settle(await newestInvoiceId(stage));
}

/** Id of the order's newest invoice, as the sandbox knows it. */
export async function newestInvoiceId({ order }: Stage): Promise<string> {
  const invoices = await listInvoices();
  const newest = invoices.find(({ external_id }) => external_id === order.externalId);
  if (!newest) throw new Error('This order has no invoice yet');
  return newest.invoice_id;
}

/** Presses the payer's copy button. */
export function pressCopy({ checkout }: Stage): void {
  checkout.shadowRoot?.querySelector<HTMLElement>('[part~="copy-button"]')?.click();
}

/** Makes the record of the payer's browser older, and loads the page again: as if the code were from before. */
export function ageRecord({ order }: Stage, byMs: number): void {
  const name = Object.keys(localStorage).find((key) => key.endsWith(` ${order.externalId}`));
  if (name === undefined) throw new Error('There is no record of this order');
  const record = JSON.parse(localStorage.getItem(name) ?? '{}') as { createdAt: number };
  localStorage.setItem(name, JSON.stringify({ ...record, createdAt: record.createdAt - byMs }));
  location.reload();
}

/** From now on this page can write nothing to the clipboard, in any way. */
export function denyClipboard(): void {
  Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
  document.execCommand = () => false;
}
