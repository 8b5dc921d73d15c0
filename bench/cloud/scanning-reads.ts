/**
 * Repeats reads that scan all messages of a large store and find none. Meanwhile, health checks and lists of a few devices of
 * the same space must be answered within {@link LIMIT_MS} at p99.
 */
import { Pool } from 'undici';
import type { BenchResult } from '../result.js';
import { size } from '../size.js';
import { API_KEY } from './fleet.js';
import type { LargeService } from './large-store.js';

const SCANNERS = 4;
const SECONDS = size({ quick: 4, usual: 10 });
/** Pause between two requests of the same kind. */
const PAUSE_MS = 5;
const LIMIT_MS = 50;

export async function measureScans({ api, spaceId, messages }: LargeService): Promise<readonly BenchResult[]> {
  const pool = new Pool(api, { connections: 20 });
  const ask = async (path: string) => {
    const { statusCode, body } = await pool.request({ path, method: 'GET', headers: { 'x-api-key': API_KEY } });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${path} was answered with ${statusCode}: ${text}`);
  };
  const base = `/v2/spaces/${spaceId}`;
  await ask(`${base}/devices?limit=1`);
  let running = true;
  const scans: number[] = [];
  const repeat = async (path: string, pause: number, into: number[]) => {
    while (running) {
      const began = performance.now();
      await ask(path);
      into.push(performance.now() - began);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  const [health, reads]: [number[], number[]] = [[], []];
  const work = [
    ...Array.from({ length: SCANNERS }, () => repeat(`${base}/messages?type=zzz`, 0, scans)),
    repeat('/healthz', PAUSE_MS, health),
    repeat(`${base}/devices?limit=20`, PAUSE_MS, reads),
  ];
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  running = false;
  await Promise.all(work);
  await pool.close();
  const detail = `${scans.length} scans, median ${percentile(scans, 0.5).toFixed(0)} ms`;
  const scanned = `${messages.toLocaleString('en')} messages are scanned`;
  return [
    result(`/healthz while ${scanned}`, health, detail),
    result(`a list of 20 devices while ${scanned}`, reads, detail),
  ];
}

function result(what: string, took: readonly number[], detail: string): BenchResult {
  const [p50, p99, most] = [percentile(took, 0.5), percentile(took, 0.99), percentile(took, 1)];
  return {
    what: `${what}: p99 against ${LIMIT_MS} ms`,
    ratio: LIMIT_MS / p99,
    limit: 1,
    detail: `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${most.toFixed(1)} ms of ${took.length}; ${detail}`,
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
