/**
 * What a scenario works with: the element on the page, its order, and the hands of payer and bank.
 *
 * Owns how each is done. Knows no scenario.
 */

import type { Phase, PixCheckout } from '../../src/index.js';
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
