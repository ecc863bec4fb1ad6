/**
 * Reads what the service says of an invoice: compares it with what was created, and puts it into the words of the order. All that
 * decides what an answer means stands here; what follows from it, in `order/heard.ts`.
 */

import type { InvoiceStatus } from '../../contract/types.js';
import type { WireInvoice } from '../../service.js';
import type { Settings } from '../set-up/options/read-options.js';
import type { Heard, Meaning } from '../order/heard.js';
import type { IssuedInvoice, SentAs } from '../order/order.js';
import { differsIn, toFoundInvoice, toInvoiceStatus, toMismatchStatus } from './invoice-forms.js';
import type { Sandbox } from './service-calls.js';
import { isListed, isStatusWord, toEndToEndId, unknownStatus } from './wire-texts.js';

/** What an answer is compared with. */
export interface Expected {
  readonly issued: IssuedInvoice;
  /** Whether the proxy itself created the invoice for this order. A named one is only said to be of it. */
  readonly isOurs: boolean;
  readonly isNamed: boolean;
  /** It was paid. Another word of it, but pending, is a return. */
  readonly wasPaid: boolean;
}

/** When its look-up began, milliseconds since 1970. */
type Asked = Expected & { readonly beganMs: number };

/** What the service said: for the order, and as a page may see it. */
export interface Answered extends Heard {
  /** `paid` only if that is the meaning. */
  readonly data: InvoiceStatus;
  /** The word if no list of the options has it, empty if it is no plain word; null: one has it. */
  readonly unlisted: string | null;
}

type Answer = WireInvoice & { readonly isSandbox: boolean };

type ReadSettings = Pick<Settings, 'statuses' | 'allowUnverifiedCodes' | 'cardLookUpTotal' | 'now'>;

/** @param withhold a payment at the sandbox stays `pending` */
export function createReadAnswer(settings: ReadSettings, { withhold }: Pick<Sandbox, 'withhold'>) {
  const { statuses, cardLookUpTotal, now } = settings;

  return { readAnswer, findSentAs };

  function readAnswer(
    wire: Answer,
    { issued, isNamed, wasPaid, beganMs, ...expected }: Asked,
  ): Answered {
    const isOurs = expected.isOurs || wire.external_id === issued.externalId;
    const means = readWord(wire.status);
    const isReturn = isOurs && (means.returned || (wasPaid && !means.paid && !means.pending));
    const compared = isReturn ? asCreated(wire, issued) : wire;
    const seen = withhold(toSeen(compared, issued), wire.isSandbox);
    // Fulfilling what was paid for another invoice, or another sum, is how shops were robbed (CVE-2026-9189).
    const field = differsIn(seen, issued);
    const isMismatch = field !== null && seen.status === 'paid';
    const data = isMismatch ? toMismatchStatus(seen, issued, field) : seen;
    const isWord = isStatusWord(wire.status);
    return {
      data,
      invoice: toFoundInvoice(issued, data, now()),
      meaning: toMeaning(),
      word: isWord ? wire.status : unknownStatus,
      // Assumed: a paid invoice that reads as pending is an old answer, and no return (service spec shows no return at all). A
      // word that no list has may be one: a return that is missed is worse than a question too many.
      wordIs: means.returned ? 'returned' : means.paid || means.pending ? 'none' : 'other',
      unlisted: Object.values(means).includes(true) ? null : isWord ? wire.status : '',
      field,
      endToEndId: toEndToEndId(wire),
      isOver: issued.method === 'pix' && means.refused,
      isNamed,
      of: { beganMs, updatedAtMs: toTimeMs(data.updated_at) },
    };

    function toMeaning(): Meaning {
      if (field !== null) return isMismatch && isOurs ? 'mismatch' : 'foreign';
      if (data.status === 'paid') return 'paid';
      // The page's status does not tell it.
      return issued.method === 'credit_card' && means.refused ? 'refused' : 'open';
    }
  }

  /** What an unknown invoice was sent as: the creation that it agrees with, else the likeliest. */
  function findSentAs(
    wire: WireInvoice,
    unknown: Omit<IssuedInvoice, keyof SentAs>,
    likeliestFirst: readonly SentAs[],
  ): IssuedInvoice {
    const all = likeliestFirst.map((sentAs) => ({ ...unknown, ...sentAs }));
    return all.find((one) => differsIn(toSeen(wire, one), one) === null) ?? all[0]!;
  }

  /** The lists that have a word of the service: there may be several. */
  function readWord(status: string): Record<keyof typeof statuses, boolean> {
    const { paid, pending, refused, returned } = statuses;
    return {
      paid: isListed(paid, status),
      pending: isListed(pending, status),
      refused: isListed(refused, status),
      returned: isListed(returned, status),
    };
  }

  /** With `cardLookUpTotal: 'any'`, the total that was sent stands for the one in a card's look-up. */
  function toSeen(wire: WireInvoice, issued: IssuedInvoice): InvoiceStatus {
    const isCompared = issued.method !== 'credit_card' || cardLookUpTotal === 'sent';
    const compared = isCompared ? wire : { ...wire, total_cents: issued.totalCents };
    return toInvoiceStatus(compared, issued, settings);
  }
}

function toTimeMs(time: string): number | null {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? null : ms;
}

/** What is left of a payment that was given back may be less, and may name no order any more. */
function asCreated(wire: Answer, { externalId, totalCents }: IssuedInvoice): Answer {
  return { ...wire, total_cents: totalCents, external_id: wire.external_id ?? externalId };
}
