/** The ledger in a file keeps the contract. */
import { describeLedger } from './contract.js';
import { withFile } from './stores.js';

describeLedger('the ledger in a file', withFile);
