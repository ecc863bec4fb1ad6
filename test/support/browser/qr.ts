/** Reads a QR code off a screenshot with a decoder that shares no code with the encoder. */
import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/** The text of the QR code in a PNG, or null if none can be read. */
export function decodeQr(png: Uint8Array): string | null {
  const { data, width, height } = PNG.sync.read(Buffer.from(png));
  return jsQR(new Uint8ClampedArray(data), width, height)?.data ?? null;
}
