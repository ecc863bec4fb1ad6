/**
 * The one error a ledger rejects with. Made fresh: never a driver's message, its SQL, its parameters or its address. Only
 * the path of a file that cannot be opened is named.
 */

/** What to do about a code that is ours. */
const advice: Readonly<Record<string, string>> = {
  IN_USE: 'a process runs with it, or did within two minutes: end them all, and wait',
  NOT_EMPTY: 'there are orders in it',
  OLD_TABLES:
    'the database holds tables of an earlier version, which this one does not read. They were left as they are: open an ' +
    'empty database (another file, or another schema), and settle the orders in this one with the version that wrote them',
};

/** The ledger cannot be reached, or refused. The operation may have happened all the same. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  /** The driver's own code, such as an SQLSTATE, where it has one. */
  readonly code?: string;

  /** @param about more than its code says: the file that could not be opened and why, or what to do */
  constructor(code?: string, about?: string) {
    const more = code === undefined ? undefined : (advice[code] ?? code);
    super(['the ledger failed', more, about].filter(Boolean).join(': '));
    if (code !== undefined) this.code = code;
  }
}

/**
 * Whether the database is well and had no time: nothing happened, and a later try may do. `BUSY` is a line of this process
 * that was too long, `55P03` a row that PostgreSQL waited for.
 */
export function isBusy(thrown: unknown): boolean {
  return thrown instanceof LedgerError && /^(?:SQLITE_)?BUSY|^55P03$/.test(thrown.code ?? '');
}
