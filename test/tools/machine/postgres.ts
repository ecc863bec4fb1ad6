/**
 * A PostgreSQL server of the tests' own: made when it is asked for, gone when the tests are.
 *
 * Owns where the server's programs are and how they are run; knows no table. Data are on a disk that need not be safe, so
 * that it is quick.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { isExecutable } from './browsers.js';
import { whyMissing } from './debian-packages.js';
import { makeOnce } from './own-packages.js';

/** A server, and room for tables on it. */
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/** @see {@link whyMissing} */
export const whyNoPostgres = () => whyMissing('PostgreSQL', ['postgresql'], findPrograms);

/** Starts a server. It ends with {@link PostgresServer.stop}, or with this process, however that ends. */
export async function startPostgres() {
  const programs = findPrograms();
  if (programs === null) throw new Error(whyNoPostgres());
  const owner = findOwner();
  const folder = mkdtempSync(join(tmpdir(), 'pix-postgres-'));
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  await layOutData(data);
  const environment = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const settings = {
    listen_addresses: '',
    unix_socket_directories: folder,
    fsync: 'off',
    full_page_writes: 'off',
    // A commit is answered only after it is written, as in earnest: else a test that kills would prove nothing.
    synchronous_commit: 'on',
    max_connections: '200',
    shared_buffers: '16MB',
    max_wal_size: '64MB',
  };
  const server = spawn(
    '/bin/sh',
    // The pipe from this process closes when it ends, even if it is killed.
    [
      '-c',
      '"$@" & server=$!; cat > /dev/null; kill -INT $server; wait $server; rm -rf "$0"',
      folder,
      join(programs, 'postgres'),
      '-D',
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...owner, cwd: folder, env: environment, stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  // It must not keep a test process alive that forgot to stop it.
  server.unref();
  await ready(server);

  const address = `postgres://owner@localhost/postgres?host=${encodeURIComponent(folder)}`;
  const query = (sql: string) => queryAt(address, sql);
  let schemas = 0;

  return {
    /** Runs a statement as the server's owner, in a schema of no test. */
    query,
    /** Makes an empty database: in truth a schema, which is as good and made in no time. @returns a URL that leads into it */
    async createDatabase() {
      schemas += 1;
      const name = `test_${schemas}`;
      await query(`CREATE SCHEMA ${name}`);
      return `${address}&options=${encodeURIComponent(`-c search_path=${name}`)}`;
    },
    async stop() {
      if (server.exitCode !== null) return;
      server.ref();
      const ended = once(server, 'exit');
      server.stdin?.end();
      await ended;
    },
  };
}

/** Makes an empty server's data: once on a machine, for `initdb` starts several servers, and then as a copy. */
export async function layOutData(data: string): Promise<void> {
  const programs = findPrograms() ?? '';
  const owner = findOwner();
  const { mtimeMs } = statSync(join(programs, 'postgres'));
  const flags = '--auth=trust --encoding=UTF8 --no-locale --no-sync --wal-segsize=1';
  const facts = [programs, mtimeMs, owner?.uid ?? process.getuid?.(), flags].join(' ');
  const hash = createHash('sha256').update(facts).digest('hex').slice(0, 16);
  const run = (cwd: string, program: string, args: readonly string[]) =>
    promisify(execFile)(program, args, { ...owner, cwd, env: { ...process.env, LC_ALL: 'C' } });

  const made = await makeOnce(join(tmpdir(), `pix-checkout-postgres-${hash}`), async (folder) => {
    if (owner !== null) chownSync(folder, owner.uid, owner.gid);
    const args = ['-D', 'data', '-U', 'owner', ...flags.split(' ')];
    await run(folder, join(programs, 'initdb'), args);
  });
  await run(dirname(data), 'cp', ['-r', join(made, 'data'), data]);
}

/** Works on a connection of its own. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // The query rejects, too, where the server ends meanwhile.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @returns the rows */
export const queryAt = (url: string, sql: string) =>
  withClient(url, async (client) => (await client.query(sql)).rows as unknown[]);

/** Waits for the line that says so, and for nothing else the server may say. */
async function ready(server: ChildProcess): Promise<void> {
  const { stderr } = server;
  if (stderr === null) throw new Error('The server was started without its log');
  const lines = createInterface({ input: stderr });
  const log: string[] = [];
  for await (const line of lines) {
    log.push(line);
    if (line.includes('ready to accept connections')) {
      stderr.resume();
      (stderr as unknown as { unref?: () => void }).unref?.();
      return;
    }
  }
  throw new Error(`PostgreSQL did not start\n${log.join('\n')}`);
}

/** The folder of `initdb` and `postgres`: the newest of Debian's, else what PATH names. */
export function findPrograms(): string | null {
  const folders = [
    ...debianVersions().map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
  ];
  return (
    folders.find((folder) =>
      ['initdb', 'postgres'].every((name) => isExecutable(join(folder, name))),
    ) ?? null
  );
}

function debianVersions(): string[] {
  try {
    const versions = readdirSync('/usr/lib/postgresql');
    return versions.toSorted((one, other) => Number(other) - Number(one));
  } catch {
    return [];
  }
}

/** The server refuses to run as root: then as Debian's own user for it, else as the one without rights. */
export function findOwner(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', '65534']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] })),
      );
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // There is no such user.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no other user');
}
