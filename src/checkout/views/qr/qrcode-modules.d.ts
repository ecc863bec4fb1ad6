/**
 * Types of the only module of `qrcode` that is bundled, because the package's entry would add renderers that are not used.
 */
declare module 'qrcode/lib/core/qrcode.js' {
  import type { QRCode, QRCodeOptions } from 'qrcode';

  /** Each segment takes the mode that needs the least room. @types/qrcode does not know plain texts here. */
  export function create(segments: readonly string[], options: QRCodeOptions): QRCode;
}
