/** Types of the one module of `qrcode` that is bundled: the package's entry brings renderers along that have no use here. */
declare module 'qrcode/lib/core/qrcode.js' {
  import type { QRCode, QRCodeOptions } from 'qrcode';

  /** Each segment in the mode that holds it in the least room; @types/qrcode does not know plain texts. */
  export function create(segments: readonly string[], options: QRCodeOptions): QRCode;
}
