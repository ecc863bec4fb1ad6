/**
 * The reminder that a shop sends with an open Pix code: copy it. Tables and inline styles, because mail programs know little
 * else; the code as a picture (they show no SVG), as text to copy, and a link.
 */

import type { Hook, PixWaitingNotice } from 'pix-checkout/proxy';

/** What the reminder says beside the notice. */
interface ReminderParts {
  readonly notice: PixWaitingNotice;
  readonly shop: string;
  /** Where the payer pays on a page: `notice.paymentUrl`, or the shop's own page of the order. */
  readonly link: string;
}

const text = 'font:400 16px/1.5 -apple-system,Segoe UI,Roboto,Arial,sans-serif;color:#1d2b28';
const small = 'font-size:14px;line-height:1.5;color:#5a6966';

/**
 * Keeps the last e-mail of each order, to be looked at under `/emails/{reference}`. A real shop sends it, and stores no copy.
 * @param url the shop's, without a trailing slash
 */
export function createMailbox(shop: string, url: string) {
  const emails = new Map<string, string>();
  const onPixWaiting: Hook<PixWaitingNotice> = (notice) => {
    const link = notice.paymentUrl ?? `${url}/pages/${notice.externalId}`;
    emails.set(notice.externalId, toReminder({ notice, shop, link }));
  };
  const answer = (request: Request): Response => {
    const email = emails.get(new URL(request.url).pathname.split('/').at(-1) ?? '');
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
    return new Response(email ?? 'No e-mail yet', { status: email ? 200 : 404, headers });
  };
  return { onPixWaiting, answer };
}

/** Writes the e-mail's HTML, in Portuguese. */
function toReminder({ notice, shop, link }: ReminderParts): string {
  const { externalId, totalCents, code, expiresAt, qrImageUrl } = notice;
  const amount = (totalCents / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
  const until =
    expiresAt &&
    new Date(expiresAt)
      .toLocaleString('pt-BR', {
        timeZone: 'America/Sao_Paulo',
        dateStyle: 'short',
        timeStyle: 'short',
      })
      .replace(',', ' às');
  const picture = `<img src="${escapeHtml(qrImageUrl ?? '')}" width="290" alt="QR Code Pix de ${amount}. Se a imagem não aparecer, copie o código abaixo." style="display:block;width:290px;max-width:100%;height:auto;margin:0 auto;border:0;${small}">`;
  return `<!doctype html>
<html lang="pt-BR">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light">
<title>Falta só o pagamento do pedido ${escapeHtml(externalId)}</title>
<body style="margin:0;padding:0;background:#f2f5f4">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f2f5f4"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#fff;border-radius:16px;${text}">
<tr><td style="padding:32px 24px 8px">
<p style="margin:0 0 4px;${small}">${escapeHtml(shop)} · Pedido ${escapeHtml(externalId)}</p>
<h1 style="margin:0;font-size:22px;line-height:1.3">Falta só o pagamento</h1>
<p style="margin:8px 0 0;font-size:32px;line-height:1.2;font-weight:700">${amount}</p>
${until ? `<p style="margin:4px 0 0;${small}">Pague até ${until}</p>` : ''}
</td></tr>
${qrImageUrl ? `<tr><td align="center" style="padding:16px 24px 0">${picture}<p style="margin:8px 0 0;${small}">Aponte a câmera do app do banco para o QR Code.</p></td></tr>` : ''}
<tr><td style="padding:24px 24px 0">
<p style="margin:0 0 8px">No celular, copie o código e escolha Pix Copia e Cola no app do banco:</p>
<p style="margin:0;padding:12px 14px;background:#f2f5f4;border-radius:8px;font:400 13px/1.5 Consolas,Menlo,monospace;word-break:break-all">${escapeHtml(code)}</p>
</td></tr>
<tr><td align="center" style="padding:24px"><a href="${escapeHtml(link)}" style="display:block;padding:14px 16px;background:#136a58;border-radius:12px;color:#fff;font-weight:600;text-decoration:none">Abrir a página de pagamento</a></td></tr>
<tr><td style="padding:0 24px 32px;${small}">Já pagou? Não pague de novo: este aviso e o seu pagamento se cruzaram.</td></tr>
</table></td></tr></table>
</html>`;
}

function escapeHtml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
