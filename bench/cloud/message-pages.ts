/**
 * Measures the time for a page of messages in a large store, while devices report. It is compared with the time for a health
 * check, which the same process answers without reading from the store, and with that for a page of an idle service.
 */
import { Pool } from 'undici';
import type { BenchResult } from '../result.js';
import { size } from '../size.js';
import { API_KEY } from './fleet.js';
import { postUplinks } from './http-load.js';
import type { LargeService } from './large-store.js';
import { percentile } from './scanning-reads.js';

/** Devices that report as fast as they are acknowledged, one connection each. */
const WRITERS = 8;
const SECONDS = size({ quick: 5, usual: 10 });
/** Pause between two pages of a reader. */
const PAUSE_MS = 5;
/** Pages that are read from the idle service, one after another. */
const ALONE = 60;
/** A page may take as much longer than a health check as this number of pages of the idle service, whose reads no write delays. */
const MORE = 10;

export async function measurePages(service: LargeService): Promise<readonly BenchResult[]> {
  const { api, ports, spaceId, ids, messages } = service;
  const pool = new Pool(api, { connections: 4 });
  const ask = async (path: string): Promise<string> => {
    const { statusCode, body } = await pool.request({ path, method: 'GET', headers: { 'x-api-key': API_KEY } });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}: ${text}`);
    return text;
  };
  const base = `/v2/spaces/${spaceId}/messages`;
  const day = `direction=up&after=${hourFromNow(-24)}&before=${hourFromNow(1)}&limit=100`;
  const dayOf = (id = '') => `${base}?device_id=${id}&${day}`;
  /** Paths of the second page of a day, for some devices. */
  const seconds: string[] = [];
  for (const id of ids.slice(0, 50)) {
    const page: readonly { readonly id: string }[] = JSON.parse(await ask(dayOf(id)));
    seconds.push(`${dayOf(id)}&offset=${page.at(-1)?.id}`);
  }
  /** Paths of pages, by description; `n` selects the device, so that successive requests differ. */
  const pages: Readonly<Record<string, (n: number) => string>> = {
    'the newest 100 of the space': () => `${base}?limit=100`,
    'the newest 100 data of a device': (n) => `${base}?device_id=${ids[(n * 7919) % ids.length]}&type=data&limit=100`,
    'the second page of a day of a device': (n) => seconds[n % seconds.length] ?? '',
  };
  const alone: number[] = [];
  const read = async (path: string, into: number[]) => {
    const began = performance.now();
    await ask(path);
    into.push(performance.now() - began);
  };
  for (let n = 0; n < ALONE; n++) for (const path of Object.values(pages)) await read(path(n), alone);
  const more = MORE * percentile(alone, 0.5);
  const health: number[] = [];
  const times = new Map(Object.keys(pages).map((what) => [what, [] as number[]]));
  let running = true;
  const repeat = async (path: (n: number) => string, into: number[]) => {
    for (let n = 0; running; n++) {
      await read(path(n), into);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const writing = postUplinks({ port: ports.http, devices: WRITERS, milliseconds: SECONDS * 1000 });
  const reading = [
    ...Object.entries(pages).map(([what, path]) => repeat(path, times.get(what) ?? [])),
    repeat(() => '/healthz', health),
  ];
  const written = await writing;
  running = false;
  await Promise.all(reading);
  await pool.close();
  const [healthTypical, ofHealth] = [percentile(health, 0.5), percentile(health, 0.99)];
  const results = [...times].map(([what, took]) => {
    const [p50, p99] = [percentile(took, 0.5), percentile(took, 0.99)];
    const of = `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms of ${took.length}, /healthz p50 ${healthTypical.toFixed(1)}, p99 ${ofHealth.toFixed(1)} ms, idle ${(more / MORE).toFixed(1)} ms`;
    return {
      what: `${what} among ${messages.toLocaleString('en')} messages: p99 is at most that of /healthz + ${MORE} × a page of the idle service`,
      ratio: (ofHealth + more) / p99,
      limit: 1,
      detail: `${of}; ${Math.round(written)} uplinks/s meanwhile`,
      p99,
    };
  });
  const slowest = results.toSorted((one, other) => other.p99 - one.p99)[0];
  return results.map((each) => (each === slowest ? { ...each, goals: { page: each.p99 } } : each));
}

function hourFromNow(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}
