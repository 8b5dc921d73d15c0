/**
 * A disk that is full for a while: writes are answered with 503 and `Retry-After`, the service stays alive, continues when
 * there is space again, and has everything that it acknowledged. As root, the trial uses a small disk in memory; otherwise, it
 * limits the size of the files instead.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Verdict } from '../support/proof.js';
import { FREE_PORTS, type ServeProcess, startServe } from '../support/serve-process.js';
import { API_KEY, Fleet } from './fleet.js';
import { settle } from './settle.js';

const DISK = '64m';
const MIB = Buffer.alloc(1024 * 1024);
/** Duration of the traffic each time before the disk is filled. */
const LIFE_MS = 1000;
const PATIENCE_MS = 30_000;

/** @param times how often the disk is full */
export async function surviveFullDisk(times: number): Promise<Verdict> {
  const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-chaos-'));
  const isDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', directory]).status === 0;
  const db = join(directory, 'cloud.db');
  let service: ServeProcess | undefined;
  try {
    service = await startServe(['--db', db, '--api-key', API_KEY], FREE_PORTS);
    const { api, ports, spaceId, pid } = service;
    const fleet = new Fleet({ apis: [api], udpPorts: [ports.udp], spaceId });
    await fleet.start();
    let noticed = 0;
    for (let time = 0; time < times; time++) {
      await sleep(LIFE_MS);
      const free = isDisk ? fill(join(directory, 'filler')) : limitFiles(pid, `${db}-wal`);
      if (await becomes(() => isRefused(api, spaceId))) noticed++;
      free();
      await becomes(async () => (await fetch(`${api}/readyz`)).status === 200);
    }
    const { held, counts } = await settle(fleet);
    return {
      what: `a full disk, ${times} times (${isDisk ? 'a small disk' : 'a limit on files'})`,
      held: noticed === times && service.alive && held,
      detail: `${noticed} times 503 with Retry-After; ${counts}`,
    };
  } finally {
    await service?.end('SIGKILL');
    if (isDisk) spawnSync('umount', [directory]);
    rmSync(directory, { recursive: true });
  }
}

/** Fills the disk. Returns a function that frees the space. */
function fill(path: string): () => void {
  try {
    for (;;) appendFileSync(path, MIB);
  } catch {
    return () => rmSync(path);
  }
}

/** Limits the files of the process to the present size of the log. Returns a function that removes the limit. */
function limitFiles(pid: number, log: string): () => void {
  const limit = (bytes: number | 'unlimited') => spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
  if (limit(statSync(log).size).status !== 0) throw new Error('this trial needs the right to mount, or prlimit');
  return () => void limit('unlimited');
}

/** Whether the service rejects a write with 503 and `Retry-After`. */
async function isRefused(api: string, spaceId: string): Promise<boolean> {
  const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: `tag-${performance.now()}`, color: '#00ff00' });
  const answer = await fetch(`${api}/v2/spaces/${spaceId}/tags`, { method: 'POST', headers, body });
  return answer.status === 503 && Number(answer.headers.get('retry-after')) > 0;
}

async function becomes(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    if (await condition()) return true;
    await sleep(50);
  }
  return false;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
