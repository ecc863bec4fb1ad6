/**
 * What the payer has done beside a code and was told of it: copied, asked whether it is paid, reported that it does not
 * work. It lasts while the code stands on the screen, and decides nothing about the payment. Pure.
 */

import type { CheckoutEvent } from '../machine/events-and-commands.js';
import type { State } from '../machine/state.js';
import type { Attention } from '../views/model.js';

/** With the times when "Conferindo…" gives way and the copy button reads as one again, monotonic milliseconds. */
export interface TimedAttention extends Omit<Attention, 'justCopied'> {
  readonly checkUntilMs: number;
  readonly copiedUntilMs: number;
}

/** How long "Conferindo…" may stand. */
const checkForMs = 10_000;

/** How long the copy button confirms that it has copied. */
const copiedForMs = 3_000;

/** Nothing was done yet. */
export const calm: TimedAttention = {
  copy: 'none',
  copies: 0,
  copiedUntilMs: Infinity,
  check: 'none',
  checkAsked: false,
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
    case 'returned':
      return startCheck(attention, false, nowMs);
    case 'check_asked':
      return startCheck(attention, true, nowMs);
    case 'looked_up': {
      const isAnswered = after !== before && after.watch.failures === 0;
      const isOffered =
        attention.trouble === 'checking' && isAnswered && event.invoiceId === invoiceId;
      return isOffered ? { ...attention, trouble: 'offered' } : attention;
    }
    case 'ticked':
      if (after.closing && !before.closing) return startCheck(attention, true, nowMs);
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
    check: copied && attention.check === 'not_yet' ? 'none' : attention.check,
    copy: copied ? 'copied' : 'failed',
    copies: attention.copies + 1,
    copiedUntilMs: copied ? nowMs + copiedForMs : Infinity,
  };
}

function endCopied(attention: TimedAttention, nowMs: number): TimedAttention {
  return attention.copiedUntilMs > nowMs ? attention : { ...attention, copiedUntilMs: Infinity };
}

function startCheck(attention: TimedAttention, checkAsked: boolean, nowMs: number): TimedAttention {
  return { ...attention, check: 'checking', checkAsked, checkUntilMs: nowMs + checkForMs };
}

/** After a return that was no answer to "Já paguei", only a payer who copied the code is told "not yet". */
function endCheck(attention: TimedAttention, nowMs: number): TimedAttention {
  if (attention.checkUntilMs > nowMs) return attention;
  const { checkAsked, copy, trouble } = attention;
  return {
    ...attention,
    check: checkAsked || copy === 'copied' ? 'not_yet' : 'none',
    checkUntilMs: Infinity,
    // Trouble that no look-up has answered may be reported again.
    trouble: trouble === 'checking' ? 'none' : trouble,
  };
}
