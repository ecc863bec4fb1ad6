/** The least that does the same work with the same libraries: one Lit element, the whole `qrcode`, a copy button. */
import { LitElement, html, svg } from 'lit';
import { create } from 'qrcode';

declare global {
  interface Window {
    /** An answer that the page asked for beside its script. */
    early?: Promise<Response>;
  }
}

interface Invoice {
  readonly qr_code_pix: string;
  readonly total_cents: number;
}

class PixFloor extends LitElement {
  static override properties = { invoice: { state: true } };
  declare invoice: Invoice | null;

  override async connectedCallback(): Promise<void> {
    super.connectedCallback();
    this.invoice = null;
    const answer = await (window.early ?? fetch('/pix/invoices', { method: 'POST' }));
    this.invoice = ((await answer.json()) as { data: Invoice }).data;
  }

  override render() {
    if (!this.invoice) return html`<p>…</p>`;
    const { qr_code_pix: code, total_cents: cents } = this.invoice;
    const { size, data } = create(code, { errorCorrectionLevel: 'M' }).modules;
    let path = '';
    for (const [index, dark] of data.entries()) {
      if (dark) path += `M${index % size} ${Math.floor(index / size)}h1v1h-1z`;
    }
    return html`<p>R$ ${(cents / 100).toFixed(2)}</p>
      ${svg`<svg width="240" height="240" viewBox="0 0 ${size} ${size}"><path d=${path} /></svg>`}
      <button @click=${() => navigator.clipboard.writeText(code)}>Copiar</button>`;
  }
}

customElements.define('pix-floor', PixFloor);
