/** Types of the one module of `qrcode` that is bundled: the package's entry brings renderers along that have no use here. */
declare module 'qrcode/lib/core/qrcode.js' {
  export { create } from 'qrcode';
}
