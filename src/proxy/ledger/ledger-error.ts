/** Moved: see the store. */
export * from '../store/ledger-error.js';
