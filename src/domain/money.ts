/** Money: whole cents of Brazilian reais. */

/** Whether an untrusted value is an amount that can be owed: a safe integer of cents, one or more. */
export function isTotalCents(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
