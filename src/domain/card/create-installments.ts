/** Computes the table of instalments that page and server both show: the merchant's rate, and the Price table. Pure. */

import { isTotalCents } from '../money.js';
import { maxInstallments } from './installments.js';

/** The terms of a table of instalments. */
export interface InstallmentTerms {
  /** The price in one payment, integer cents. */
  readonly totalCents: number;
  /** The most instalments, 1 to 99. */
  readonly most: number;
  /** The smallest instalment to offer, integer cents; default 1. A single payment is always offered. */
  readonly leastCents?: number;
  /** Up to how many instalments there is no interest; default 1. */
  readonly interestFree?: number;
  /** The interest of a month as a fraction: 0.0199 is 1.99 %. Default 0: no interest. */
  readonly monthlyRate?: number;
}

/** A row as the element's property `installments` takes it. */
export interface InstallmentRow {
  readonly installment: number;
  readonly total_cents: number;
  readonly interest_free: boolean;
}

/**
 * The ways to pay in instalments, fewest first. With interest, equal instalments by the French system (in Brazil "tabela
 * Price"), the first after a month: `total × i ÷ (1 − (1 + i)^−n)` each, the usual formula of financial
 * mathematics (the Banco Central's Calculadora do Cidadão simulates it as "financiamento com prestações fixas"). Each total is in whole cents and adds up: what does not divide
 * is in the last instalment. Call it in `resolveOrder`, too: the browser's total is never believed.
 *
 * @example createInstallments({ totalCents: 12_990, most: 12, leastCents: 500, interestFree: 3, monthlyRate: 0.0199 })
 * @throws TypeError naming what is wrong
 */
export function createInstallments(terms: InstallmentTerms): InstallmentRow[] {
  const { totalCents, most, leastCents = 1, interestFree = 1, monthlyRate = 0 } = terms;
  if (!isTotalCents(totalCents)) throw new TypeError('totalCents must be whole cents from 1');
  checkWhole('most', most, 1, maxInstallments);
  checkWhole('leastCents', leastCents, 1, Number.MAX_SAFE_INTEGER);
  checkWhole('interestFree', interestFree, 0, maxInstallments);
  if (!(monthlyRate >= 0 && monthlyRate < 1)) {
    throw new TypeError('monthlyRate must be from 0 to less than 1');
  }
  const rows: InstallmentRow[] = [];
  for (let installment = 1; installment <= most; installment += 1) {
    const isFree = installment === 1 || installment <= interestFree || monthlyRate === 0;
    const total_cents = isFree ? totalCents : toPriceTotal(totalCents, installment, monthlyRate);
    // Interest can make each instalment larger although there are more of them, so later rows may be offered all the same.
    const isOffered = installment === 1 || Math.floor(total_cents / installment) >= leastCents;
    if (isOffered && isTotalCents(total_cents)) {
      rows.push({ installment, total_cents, interest_free: isFree });
    }
  }
  return rows;
}

/** Computes the total with interest. It uses logarithms, because `1 − (1 + i)^−n` loses its digits when the rate is small. */
function toPriceTotal(totalCents: number, count: number, rate: number): number {
  const each = (totalCents * rate) / -Math.expm1(-count * Math.log1p(rate));
  return Math.max(totalCents, Math.round(each * count));
}

function checkWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new TypeError(`${name} must be a whole number from ${least} to ${most}`);
}
