/**
 * The Pix code as a QR, black on white in every theme: one SVG path, painted by a filter. Extensions that recolour a page
 * rewrite its styles and every `fill`, but not the result of a filter.
 */

import { html } from 'lit';
import { unrecorded } from '../../card/card-file-contract.js';
import { create } from 'qrcode/lib/core/qrcode.js';

/** Quiet zone in modules (ISO/IEC 18004), drawn inside the picture so that no style can take it away. */
const margin = 4;

/** The approximate side of a QR, pixels. A camera reads it off a screen at arm's length. */
const usualSize = 280;

/**
 * The mask is fixed, because scoring all eight takes a third of the drawing time, which a slow phone feels. Any mask is
 * legal, and cameras read Pix codes with this one as often as with the best: measured with 2,000 of each length, small,
 * tilted and blurred, by jsQR and ZXing.
 */
const options = { maskPattern: 2, errorCorrectionLevel: 'M' } as const;

/**
 * Runs of digits, and of QR's capitals, which take less room as segments of their own. `qrcode` could split the text by
 * itself, but that takes twice as long as everything else, and Pix codes would be no smaller.
 */
const denseRuns = /([0-9]{8,}|[A-Z0-9 $%*+\-./:]{12,})/;

/** Surrogates without their pair, because `qrcode` throws on them. They do not exist in UTF-8, which a camera reads. */
const halfCharacters = /\p{Surrogate}/gu;

/**
 * Renders the QR as an image, also for screen readers.
 *
 * @param text exactly what the copy button copies
 * @param name what a screen reader says
 */
export function renderQr(text: string, name: string) {
  if (drawn.text !== text) drawn = { text, ...drawQr(text) };
  const side = drawn.size + 2 * margin;
  // A module has whole pixels. With level M a Pix code has between 45 and 89 modules.
  const scale = Math.round(usualSize / side);
  return html`<svg
    part="qr"
    class="plate ${unrecorded}"
    role="img"
    aria-label=${name}
    width=${side * scale}
    viewBox="0 0 ${side} ${side}"
    shape-rendering="crispEdges"
  >
    <filter id="pix-qr" filterUnits="userSpaceOnUse" x="0" y="0" width=${side} height=${side}>
      <feFlood flood-color="#fff" />
      <feBlend in="SourceAlpha" />
    </filter>
    <path fill="#fff" d="M0 0h${side}v${side}H0z" />
    <path filter="url(#pix-qr)" d=${drawn.path} />
  </svg>`;
}

/** The last drawing is kept, because a countdown renders every second. */
let drawn = { text: '', size: 0, path: '' };

/** Each run of dark modules in a row is one rectangle. */
function drawQr(text: string): { size: number; path: string } {
  const whole = text.replace(halfCharacters, '\ufffd');
  const { size, data } = create(whole.split(denseRuns).filter(Boolean), options).modules;
  let path = '';
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const start = column;
      while (column < size && data[row * size + column]) column++;
      const run = column - start;
      if (run > 0) path += `M${start + margin} ${row + margin}h${run}v1h-${run}z`;
    }
  }
  return { size, path };
}
