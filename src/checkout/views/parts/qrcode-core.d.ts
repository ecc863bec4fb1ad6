/**
 * Types for the core of `qrcode`, imported alone because the package's front door brings renderers that nobody here
 * uses. Knows nothing of how the matrix is drawn.
 */
declare module 'qrcode/lib/core/qrcode.js' {
  export { create } from 'qrcode';
}
