/**
 * The one error a ledger rejects with. Made fresh: never a driver's message, its SQL, its parameters or its address.
 */

/** The ledger cannot be reached, or refused. The operation may have happened all the same. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  /** The driver's own code, such as an SQLSTATE, where it has one. */
  readonly code?: string;

  constructor(code?: string) {
    super(code === undefined ? 'the ledger failed' : `the ledger failed: ${code}`);
    if (code !== undefined) this.code = code;
  }
}
