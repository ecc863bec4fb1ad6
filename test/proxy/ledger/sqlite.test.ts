/** The ledger in a SQLite file keeps the contract, and what only a file can show. */
import { describeLedger } from './contract.js';
import { withFile } from './stores.js';

describeLedger('the ledger in a file', withFile);
