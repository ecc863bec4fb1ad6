/**
 * What the payer did while a code is on the screen, and what the page answered: copied it, asked whether it is paid, said that
 * it does not work. Forgotten with the code. Decides nothing about the payment. Pure.
 */

import type { CheckoutEvent } from '../machine/events-and-commands.js';
import type { State } from '../machine/state.js';
import type { Attention } from '../views/model.js';

/** With the times when "Conferindo…" gives way and the copy button reads as one again, monotonic milliseconds. */
export interface TimedAttention extends Omit<Attention, 'justCopied'> {
  readonly checkUntilMs: number;
  readonly copiedUntilMs: number;
}

/** How long "Conferindo…" stands, milliseconds: long enough to be read, and not for ever without an answer. */
const leastCheckMs = 600;
const mostCheckMs = 10_000;

/** How long the copy button confirms that it has copied. */
const copiedForMs = 3_000;

/** Nothing was done yet. */
export const calm: TimedAttention = {
  copy: 'none',
  presses: 0,
  copiedUntilMs: Infinity,
  check: 'none',
  checkUntilMs: Infinity,
  trouble: 'none',
};

/** Follows one event of the machine. */
export function attend(
  attention: TimedAttention,
  event: CheckoutEvent,
  before: State,
  after: State,
  nowMs: number,
): TimedAttention {
  if (after.phase !== 'awaiting' || before.phase !== 'awaiting') return calm;
  const [{ invoiceId }] = after.watch.invoices;
  if (invoiceId !== before.watch.invoices[0].invoiceId) return calm;
  switch (event.type) {
    case 'check_asked':
      return { ...startCheck(attention, nowMs), presses: attention.presses + 1 };
    case 'returned':
      return startCheck(attention, nowMs);
    case 'looked_up': {
      if (event.invoiceId !== invoiceId) return attention;
      const isAnswered = after !== before && after.watch.failures === 0;
      // After a bad line the news is what was found, not that there is a code.
      if (isAnswered && before.watch.failures > 1) return { ...attention, check: 'not_yet' };
      const isOffered = attention.trouble === 'checking' && isAnswered;
      return hasten(isOffered ? { ...attention, trouble: 'offered' } : attention, nowMs);
    }
    case 'ticked':
      if (after.closing && !before.closing) return startCheck(attention, nowMs);
      return endCheck(endCopied(attention, nowMs), nowMs);
    default:
      return attention;
  }
}

/** The clipboard has the code, or not: that is the news now, and no longer that no payment has come. */
export function noteCopy(
  attention: TimedAttention,
  copied: boolean,
  nowMs: number,
): TimedAttention {
  return {
    ...attention,
    check: copied && attention.check === 'checking' ? 'checking' : 'none',
    copy: copied ? 'copied' : 'failed',
    presses: attention.presses + 1,
    copiedUntilMs: copied ? nowMs + copiedForMs : Infinity,
  };
}

function endCopied(attention: TimedAttention, nowMs: number): TimedAttention {
  return attention.copiedUntilMs > nowMs ? attention : { ...attention, copiedUntilMs: Infinity };
}

function startCheck(attention: TimedAttention, nowMs: number): TimedAttention {
  return { ...attention, check: 'checking', checkUntilMs: nowMs + mostCheckMs };
}

/** The look-up has come back. */
function hasten(attention: TimedAttention, nowMs: number): TimedAttention {
  const readMs = attention.checkUntilMs - mostCheckMs + leastCheckMs;
  return attention.check === 'checking'
    ? endCheck({ ...attention, checkUntilMs: Math.min(attention.checkUntilMs, readMs) }, nowMs)
    : attention;
}

function endCheck(attention: TimedAttention, nowMs: number): TimedAttention {
  if (attention.checkUntilMs > nowMs) return attention;
  const { trouble } = attention;
  return {
    ...attention,
    check: 'not_yet',
    checkUntilMs: Infinity,
    // Trouble that no look-up has answered may be reported again.
    trouble: trouble === 'checking' ? 'none' : trouble,
  };
}
