/** The ledger in PostgreSQL keeps the contract, and what only a server can show. */
import { after, before, describe, it } from 'node:test';
import { startPostgres, whyNoPostgres, type PostgresServer } from '../../support/postgres.js';
import { describeLedger } from './contract.js';
import { withSchema } from './stores.js';

const skip = whyNoPostgres();

describe('with PostgreSQL', () => {
  if (skip !== undefined) {
    it('everything', { skip });
    return;
  }
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  describeLedger(
    'the ledger in PostgreSQL',
    withSchema(() => server),
  );
});
