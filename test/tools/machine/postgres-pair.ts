/**
 * What operators put around PostgreSQL: a primary, a standby that has each commit before it is answered, and PgBouncer in
 * transaction mode before both. All of Debian's packages, in a folder of the test's own.
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../support/until.js';
import { findOwner, findPrograms, layOutData, queryAt, whyNoPostgres } from './postgres.js';

const bouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

/** A running pair. */
export type PostgresPair = Awaited<ReturnType<typeof startPair>>;

/** Why there is none here; undefined: there is. */
export function whyNoPair(): string | undefined {
  const reason = 'PgBouncer is missing: install it (Debian: apt-get install pgbouncer)';
  return whyNoPostgres() ?? (bouncer === undefined ? reason : undefined);
}

export async function startPair() {
  const programs = findPrograms() ?? '';
  const owner = findOwner();
  const folder = mkdtempSync(join(tmpdir(), 'pix-pair-'));
  const socketOf = (name: string) => join(folder, name);
  for (const path of [folder, socketOf('primary'), socketOf('standby')]) {
    mkdirSync(path, { recursive: true });
    if (owner) chownSync(path, owner.uid, owner.gid);
  }
  const environment = { ...owner, cwd: folder, env: { ...process.env, LC_ALL: 'C' } };
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(join(programs, program), args, environment);
  const running = new Set<ChildProcess>();

  await layOutData(join(folder, 'primary/data'));
  const primary = await startServer('primary');
  await query('primary', 'CREATE DATABASE shop');
  const conninfo = `host=${socketOf('primary')} user=owner application_name=standby`;
  await run('pg_basebackup', '-D', 'standby/data', '-R', '-d', conninfo, '--checkpoint=fast');
  await startServer('standby');
  await query('primary', "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await query('primary', 'SELECT pg_reload_conf()');
  await until(async () => {
    const rows = await query(
      'primary',
      'SELECT 1 FROM pg_stat_replication WHERE sync_state = $$sync$$',
    );
    return rows.length === 1;
  });
  pointTo('primary');
  const pooler = start(bouncer ?? '', ['bouncer.ini']);
  await until(() => existsSync(join(folder, '.s.PGSQL.6432')));

  return {
    /** Through PgBouncer, wherever the primary is. */
    url: `postgres://owner@localhost:6432/shop?host=${encodeURIComponent(folder)}`,
    /** Ends the primary by force, and makes the standby the primary. Resolves when it takes writes. */
    async promote() {
      primary.kill('SIGQUIT');
      await once(primary, 'exit');
      await run('pg_ctl', 'promote', '-w', '-D', 'standby/data');
      pointTo('standby');
      pooler.kill('SIGHUP');
    },
    async stop() {
      const ends = [...running].map((child) => once(child, 'exit'));
      for (const child of running) child.kill('SIGQUIT');
      await Promise.all(ends);
      rmSync(folder, { recursive: true, force: true });
    },
  };

  function start(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(program, args, { ...environment, stdio: 'ignore' });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  async function startServer(name: string): Promise<ChildProcess> {
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${socketOf(name)}`,
      'fsync=off',
      'hot_standby=on',
      'max_connections=100',
      'shared_buffers=16MB',
    ];
    const flags = settings.flatMap((setting) => ['-c', setting]);
    const server = start(join(programs, 'postgres'), ['-D', `${name}/data`, ...flags]);
    await until(() => query(name, 'SELECT 1').then(Boolean, () => false));
    return server;
  }

  function query(name: string, sql: string): Promise<unknown[]> {
    const socket = encodeURIComponent(socketOf(name));
    return queryAt(`postgres://owner@localhost/postgres?host=${socket}`, sql);
  }

  /** As an operator's script does it when the standby takes over. */
  function pointTo(name: string): void {
    const lines = [
      '[databases]',
      `shop = host=${socketOf(name)} port=5432 dbname=shop user=owner`,
      '[pgbouncer]',
      'pool_mode = transaction',
      'auth_type = any',
      'listen_addr =',
      'listen_port = 6432',
      `unix_socket_dir = ${folder}`,
      'default_pool_size = 20',
      'max_client_conn = 200',
      'server_login_retry = 1',
      'query_wait_timeout = 4',
    ];
    writeFileSync(join(folder, 'bouncer.ini'), lines.join('\n'));
  }
}
