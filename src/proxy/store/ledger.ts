/** The part of a store that merchants see. */

/** Where a proxy keeps its orders: made by `openLedger`, and opaque. Close it yourself, after the proxy. */
export interface Ledger {
  /** Lets go of the database, once what is in flight has ended. What is asked of the ledger afterwards fails. */
  close(): Promise<void>;
}
