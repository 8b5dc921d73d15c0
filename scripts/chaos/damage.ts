/**
 * Damages the database. The service must notice each kind of damage: it does not start, or it answers `/readyz` with 503 and
 * stores nothing more.
 */
import { copyFileSync, mkdtempSync, openSync, renameSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { DeviceCloudClient } from '../../src/client/client.js';
import type { Verdict } from '../support/proof.js';
import { FREE_PORTS, type ServeProcess, startServe } from '../support/serve-process.js';
import { API_KEY } from './fleet.js';

const TAGS = 30;
const PAGE = 4096;
const PATIENCE_MS = 15_000;

interface Kind {
  readonly name: string;
  /** State of the service at the moment of the damage. */
  readonly state: 'running' | 'killed' | 'stopped';
  readonly damage: (db: string) => void;
}

const KINDS: readonly Kind[] = [
  { name: 'log removed', state: 'running', damage: (db) => rmSync(`${db}-wal`) },
  { name: 'log shortened', state: 'running', damage: (db) => truncateSync(`${db}-wal`, 0) },
  {
    name: 'file replaced',
    state: 'running',
    damage: (db) => {
      copyFileSync(db, `${db}.copy`);
      renameSync(`${db}.copy`, db);
    },
  },
  { name: 'log removed', state: 'killed', damage: (db) => rmSync(`${db}-wal`) },
  { name: 'end of the log cut off', state: 'killed', damage: (db) => halve(`${db}-wal`) },
  { name: 'log overwritten', state: 'killed', damage: (db) => overwrite(`${db}-wal`, statSync(`${db}-wal`).size / 2) },
  { name: 'file emptied', state: 'stopped', damage: (db) => truncateSync(db, 0) },
  { name: 'file shortened', state: 'stopped', damage: (db) => halve(db) },
  { name: 'page overwritten', state: 'stopped', damage: (db) => overwrite(db, pageOf(db, 'timeline_of_message')) },
];

/** @param rounds how often each kind happens */
export async function noticeDamage(rounds: number): Promise<Verdict> {
  const missed: string[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) {
      if (!(await isNoticed(kind))) missed.push(`${kind.name} (${kind.state})`);
    }
  }
  for (const what of missed) console.log(`     not noticed: ${what}`);
  const all = rounds * KINDS.length;
  return {
    what: `damage of ${KINDS.length} kinds, ${rounds} times each`,
    held: missed.length === 0,
    detail: `${all - missed.length} of ${all} noticed`,
  };
}

async function isNoticed({ state, damage }: Kind): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-chaos-'));
  const db = join(directory, 'cloud.db');
  const start = () => startServe(['--db', db, '--api-key', API_KEY], FREE_PORTS);
  let service: ServeProcess | undefined;
  try {
    service = await start();
    await createTags(service);
    if (state !== 'running') await service.end(state === 'killed' ? 'SIGKILL' : 'SIGTERM');
    damage(db);
    if (state !== 'running') service = await start().catch(() => undefined);
    // A service that does not start has noticed the damage.
    return service === undefined || (await refusesEverything(service));
  } finally {
    await service?.end('SIGKILL');
    rmSync(directory, { recursive: true });
  }
}

async function createTags({ api, spaceId }: ServeProcess): Promise<void> {
  const client = new DeviceCloudClient({ baseUrl: api, apiKey: API_KEY, spaceId });
  for (let n = 0; n < TAGS; n++) await client.createTag({ name: `tag-${n}`, color: '#00ff00' });
  await client.close();
}

async function refusesEverything({ api, spaceId }: ServeProcess): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  while ((await fetch(`${api}/readyz`)).status === 200) {
    // The pages are checked while the service is already running.
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'late', color: '#00ff00' });
  const answer = await fetch(`${api}/v2/spaces/${spaceId}/tags`, { method: 'POST', headers, body });
  return answer.status === 503 && (await answer.text()).includes('store-damaged');
}

function halve(path: string): void {
  truncateSync(path, Math.floor(statSync(path).size / 2));
}

function overwrite(path: string, at: number): void {
  writeSync(openSync(path, 'r+'), Buffer.alloc(64, 0xaa), 0, 64, Math.floor(at));
}

/** Offset of the root page of an index in the file. */
function pageOf(path: string, index: string): number {
  const db = new BetterSqlite(path);
  const row = db
    .prepare<[string], { page: number }>('SELECT rootpage AS page FROM sqlite_schema WHERE name = ?')
    .get(index);
  db.close();
  return ((row?.page ?? 1) - 1) * PAGE;
}
