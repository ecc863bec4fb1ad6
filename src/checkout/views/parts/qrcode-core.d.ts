/**
 * Types for the core of `qrcode`, imported alone: the package's entry would bring renderers that the element does not use.
 */
declare module 'qrcode/lib/core/qrcode.js' {
  export { create } from 'qrcode';
}
