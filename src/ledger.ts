/** Package entry `pix-checkout/ledger`: a ledger that outlives the process, for `createProxy({ledger})`. Needs `kysely`. */

export { openLedger } from './proxy/ledger/sql/open-ledger.js';
export type { LedgerOptions, OpenLedger } from './proxy/ledger/sql/open-ledger.js';
export { LedgerError } from './proxy/ledger/ledger-error.js';
