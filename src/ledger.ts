/** Package entry `pix-checkout/ledger`: a ledger that outlives the process, for `createProxy({ledger})`. Needs `kysely`. */

export { openLedger } from './proxy/ledger/open.js';
export type { LedgerOptions, OpenLedger } from './proxy/ledger/open.js';
export { LedgerError } from './proxy/orders/ledger-error.js';
