/** Types of the one module of `qrcode` that is bundled: its entry would bring renderers, tables and modes without use here. */
declare module 'qrcode/lib/core/polynomial.js' {
  /** The divisor whose remainder are so many correcting codewords. */
  export function generateECPolynomial(degree: number): Uint8Array;
  /** The remainder of a division, without leading zeros. */
  export function mod(dividend: Uint8Array, divisor: Uint8Array): Uint8Array;
}
