/**
 * Reads the merchant's table of instalments and sorts it. Every total is the merchant's own: no interest is computed here,
 * and the proxy asks for the price again.
 */

import { isTotalCents } from '../money.js';

/** One way to pay. */
export interface InstallmentOffer {
  /** How many instalments. */
  readonly installment: number;
  /** What all of them cost, integer cents. */
  readonly totalCents: number;
  /** Whether the merchant says that it contains no interest, and its total does not say otherwise. */
  readonly interestFree: boolean;
  /** One instalment, for display, integer cents. Do not multiply it: the acquirer splits the total to the cent. */
  readonly eachCents: number;
}

/** The merchant's table after it was read. */
export interface Installments {
  /** Fewest instalments first. If several rows have the same number, the first one counts. */
  readonly offers: readonly InstallmentOffer[];
  /** The price in a single instalment, integer cents: from the table, or else the order's price; null if it is not known. */
  readonly atOnceCents: number | null;
  /** Names of all values that were ignored, such as `installments[2].total_cents`. An absent table is no fault. */
  readonly faults: readonly string[];
}

/** Most instalments of one offer. The contract allows no more. */
export const maxInstallments = 99;

/**
 * Reads the `installments` property: rows of `{installment, total_cents, interest_free?}`. A row counts as free of interest
 * only if the merchant says so with `interest_free`, and it costs no more than a single instalment.
 *
 * @param priceCents of the order, integer cents; null if it is not known
 */
export function parseInstallments(value: unknown, priceCents: number | null = null): Installments {
  const offers: InstallmentOffer[] = [];
  const faults: string[] = [];
  const rows: readonly unknown[] | null = Array.isArray(value) ? value : null;
  if (!rows && value !== undefined && value !== null) faults.push('installments');
  let index = 0;
  for (const row of rows ?? []) {
    const offer = readRow(row);
    const path = `installments[${index++}]`;
    if (typeof offer === 'string') faults.push(path + offer);
    else if (offers.some(({ installment }) => installment === offer.installment)) {
      faults.push(`${path}.installment`);
    } else offers.push(offer);
  }
  offers.sort((one, other) => one.installment - other.installment);
  const [first] = offers;
  const atOnceCents = first?.installment === 1 ? first.totalCents : priceCents;
  return {
    atOnceCents,
    offers: offers.map((offer) => {
      const { installment, totalCents, interestFree } = offer;
      if (!interestFree || totalCents <= (atOnceCents ?? Infinity)) return offer;
      faults.push(`interest_free of ${installment}x, dearer than 1x,`);
      return { ...offer, interestFree: false };
    }),
    faults,
  };
}

/** Reads a row. @returns the offer, or the path of the fault within the row */
function readRow(row: unknown): InstallmentOffer | string {
  if (!isRecord(row)) return '';
  const { installment, total_cents, interest_free } = row;
  if (!isInstallment(installment)) return '.installment';
  if (!isTotalCents(total_cents)) return '.total_cents';
  if (interest_free !== undefined && typeof interest_free !== 'boolean') return '.interest_free';
  return {
    installment,
    totalCents: total_cents,
    interestFree: interest_free ?? false,
    eachCents: toEachCents(total_cents, installment),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isInstallment(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxInstallments;
}

/**
 * Computes one instalment, rounded to the cent, and half a cent to the even one (ABNT NBR 5891). Integer arithmetic keeps it
 * exact.
 */
function toEachCents(cents: number, parts: number): number {
  const rest = cents % parts;
  const floor = (cents - rest) / parts;
  const isUp = rest * 2 === parts ? floor % 2 === 1 : rest * 2 > parts;
  return isUp ? floor + 1 : floor;
}
