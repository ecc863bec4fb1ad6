/** Types of the one module of `qrcode` that is bundled: its entry would bring renderers, tables and modes without use here. */
declare module 'qrcode/lib/core/reed-solomon-encoder.js' {
  class ReedSolomonEncoder {
    /** @param degree how many codewords correct a block */
    constructor(degree: number);
    encode(data: Uint8Array): Uint8Array;
  }
  export = ReedSolomonEncoder;
}
