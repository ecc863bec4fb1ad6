/**
 * What scenarios are made of: the element on the page, its order, and the actions of payer and bank.
 */

import type { Phase, PixCheckout } from '../../src/index.js';
import type { Fault } from '../../src/sandbox/faults.js';
import type { ShopOrder } from '../shop-order.js';
import { listInvoices, pay as payInvoice } from './api.js';
import type { Options } from './options.js';

/** One run of a scenario. */
export interface Stage {
  readonly checkout: PixCheckout;
  readonly order: ShopOrder;
  /** Changes options, like the options panel. */
  readonly choose: (some: Partial<Options>) => Promise<void>;
  /** Puts a new element in the place of this one, as a page does that is loaded again. The options are for it alone. */
  readonly reopen: (some?: Partial<Options>) => Promise<void>;
}

/** One state and the steps that lead to it. */
export interface Scenario {
  readonly id: string;
  readonly label: string;
  /** Phase of the element after the steps. */
  readonly phase: Phase;
  readonly options?: Partial<Options>;
  /** Faults of the service from the beginning. */
  readonly faults?: readonly Fault[];
  /** Starts when the element is on the page. */
  readonly steps?: (stage: Stage) => Promise<void>;
}

/** A payer who does not exist; the check digits of the document are valid. */
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

/** Types a test payer into the fields that are shown. */
export function fillForm(checkout: PixCheckout): void {
  const controls = checkout.shadowRoot?.querySelectorAll<HTMLInputElement>('form [name]') ?? [];
  for (const control of controls) {
    control.value = testPayer[control.name] ?? '';
    control.dispatchEvent(new Event(control.localName === 'select' ? 'change' : 'input'));
  }
}

/** The values that fill the card's fields for a test card, by the fields' ids; the sandbox checks only the number. */
export function toCardValues(number: string) {
  return {
    card_number: number,
    card_name: 'MARIA TESTE DA SILVA',
    card_expiry: `12/${String(new Date().getFullYear() + 3).slice(-2)}`,
    card_code: number.length === 15 ? '1234' : '123',
  };
}

/** Types a test card into the element's own fields, or into the provider's in the slot. */
export function fillTestCard(checkout: PixCheckout, number: string): void {
  for (const [id, value] of Object.entries(toCardValues(number))) {
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

/** Presses the button of the form. */
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
  await payInvoice(await newestInvoiceId(stage));
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

/** What the element has stored of this order's attempt. @throws Error if there is nothing */
export function readRecord({ order }: Stage): { readonly createdAt: number } {
  return JSON.parse(localStorage.getItem(recordName(order)) ?? '{}') as { createdAt: number };
}

/** Ages the stored record, as if the code were old, and opens the order again. */
export async function ageRecord(stage: Stage, byMs: number): Promise<void> {
  const record = readRecord(stage);
  const aged = { ...record, createdAt: record.createdAt - byMs };
  localStorage.setItem(recordName(stage.order), JSON.stringify(aged));
  await stage.reopen();
}

function recordName({ externalId }: ShopOrder): string {
  const name = Object.keys(localStorage).find((key) => key.includes(` ${externalId} `));
  if (name === undefined) throw new Error('There is no record of this order');
  return name;
}

/** Blocks every way to write to the clipboard. */
export function denyClipboard(): void {
  Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
  document.execCommand = () => false;
}
