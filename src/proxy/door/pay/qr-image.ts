/**
 * Serves Pix codes as pictures for e-mails, because mail programs show no SVG: `GET /qr/<token>.png`. The signed token names
 * one invoice, so a stranger cannot guess addresses. After payment or expiry the address shows another picture, which says
 * so.
 */

import { qrEndings as en } from '../../../checkout/locales/outside-element/en.js';
import { qrEndings as es } from '../../../checkout/locales/outside-element/es.js';
import { qrEndings as ptBr } from '../../../checkout/locales/outside-element/pt-br.js';
import type { QrEndings } from '../../../checkout/locales/outside-element/pt-br.js';
import type { Locale } from '../../../checkout/locales/choose-messages.js';
import type { Settings } from '../../set-up/options/read-options.js';
import { priceOrder } from '../../outside/merchant.js';
import { findPayableCode, type KeptInvoice, type PixWaitingNotice } from '../../order/order.js';
import type { CountRequest } from '../address-limit.js';
import type { PageQuestion } from '../create.js';
import { requireReading, type PlainResponse } from '../request.js';
import type { Showings } from '../../run/pix.js';
import { readOrder, type OrderStore } from '../../store/order-store.js';
import { createSigner, rememberOpened, toPaymentLink } from '../tokens/tokens.js';

const languages: Readonly<Record<Locale, QrEndings>> = { 'pt-BR': ptBr, en, es };

/** The approximate side of a picture, pixels. */
const usualSide = 290;

/** Quiet zone, modules (ISO/IEC 18004). */
const margin = 4;

/** One byte per pixel and no filter make the smallest file that the renderer can write. */
const rendererOpts = { colorType: 0, filterType: 0, deflateLevel: 9, deflateStrategy: 0 };

/** How long a mail program may show the picture without asking again, seconds. */
const cachedSeconds = 60;

type QrRequest = Readonly<Record<'method' | 'token', string>> & Pick<PageQuestion, 'clientAddress'>;

export type QrImages = ReturnType<typeof createQrImages>;

interface QrImageParts {
  readonly settings: Settings;
  readonly store: Pick<OrderStore, 'read'>;
  readonly showings: Pick<Showings, 'note'>;
  readonly countRequest: CountRequest;
}

/** Creates the pictures: `serve` draws them, `addLinks` writes their addresses. */
export function createQrImages(parts: QrImageParts) {
  const { settings, store, showings, countRequest } = parts;
  const { publicUrl, paymentPage, now } = settings;
  const { paid, ended } = languages[paymentPage?.locale ?? 'pt-BR'];
  const signer = rememberOpened(createSigner<Readonly<Record<'e' | 'i', string>>>('qr', settings));

  return {
    /**
     * Serves a picture. @returns null for a token that the proxy did not sign, which is answered like a path that does not
     * exist. @throws ProxyError
     */
    async serve(
      this: void,
      { method, token, clientAddress }: QrRequest,
    ): Promise<PlainResponse | null> {
      const payload = await signer.open(token);
      const draw = payload && (await loadRenderer());
      if (!draw) return null;
      requireReading(method);
      const { e: externalId, i: invoiceId } = payload;
      countRequest({ externalId, clientAddress });
      const order = await readOrder(store, externalId);
      const payable = findPayableCode(order, invoiceId, now());
      const invoice = payable && (await isStillOwed(payable)) ? payable : null;
      if (invoice) await showings.note(invoice);
      const body = invoice
        ? await draw(invoice.code)
        : fromBase64(order.paidId === null ? ended : paid);
      const headers = {
        'Content-Type': 'image/png',
        'Cache-Control': `private, max-age=${cachedSeconds}`,
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
        'X-Robots-Tag': 'noindex',
      };
      return { status: invoice ? 200 : 410, headers, body };
    },

    /** Adds `qrImageUrl` if a renderer is installed, and `paymentUrl` if there is a payment page. */
    async addLinks(this: void, notice: PixWaitingNotice): Promise<PixWaitingNotice> {
      const { externalId, invoiceId } = notice;
      const hasRenderer = (await loadRenderer()) !== null;
      const token = hasRenderer && (await signer.sign({ e: externalId, i: invoiceId }));
      const link = paymentPage && (await toPaymentLink({ ...settings, externalId }));
      return {
        ...notice,
        ...(token && { qrImageUrl: `${publicUrl}/qr/${token}.png` }),
        ...(link && { paymentUrl: link.url }),
      };
    },
  };

  /**
   * Whether the shop still asks for this amount. If the shop closed the order or changed the price, the code must not be
   * paid.
   */
  async function isStillOwed({ externalId, totalCents }: KeptInvoice): Promise<boolean> {
    const question = { externalId, orderToken: null, method: 'pix', installment: 1 } as const;
    const order = await priceOrder(settings, { ...question, request: null });
    return typeof order === 'object' && order.total_price_cents === totalCents;
  }
}

type Draw = (text: string) => Promise<Uint8Array<ArrayBuffer>>;

/** Loads the renderer once. @returns null if there is none */
export function loadRenderer(): Promise<Draw | null> {
  return (renderer ??= importRenderer());
}

let renderer: Promise<Draw | null> | undefined;

/**
 * Imports `qrcode`. @returns null if it is not installed, or if a bundler chose its build for browsers, which writes no
 * files. The `try` is around the `import()` itself, so that bundlers warn of a missing package and do not fail
 */
async function importRenderer(): Promise<Draw | null> {
  try {
    const { create, toBuffer } = (await import('qrcode')).default;
    if (typeof toBuffer !== 'function') return null;
    return async (text) => {
      const side = create(text, { errorCorrectionLevel: 'M' }).modules.size + 2 * margin;
      const scale = Math.max(1, Math.round(usualSide / side));
      const options = { errorCorrectionLevel: 'M', margin, scale, rendererOpts } as const;
      return new Uint8Array(await toBuffer(text, { type: 'png', ...options }));
    };
  } catch {
    return null;
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
