/**
 * Measures a large store: the time until the service is ready, the most frequent query of clients, reads that scan it
 * (scanning-reads.ts), and pages of messages while devices report (message-pages.ts). `MESSAGES` in the environment selects
 * another number of messages; ten million take seven minutes to store.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServe } from '../../scripts/support/serve-process.js';
import type { Change, MessageRow } from '../../src/cloud/store/store.js';
import type { Bench } from '../result.js';
import { size, sizeOf } from '../size.js';
import { API_KEY, type Fleet, registerFleet } from './fleet.js';
import { measurePages } from './message-pages.js';
import { measureScans } from './scanning-reads.js';

const DEVICES = 1000;
const MESSAGES = sizeOf('MESSAGES', { quick: 100_000, usual: 1_000_000, full: 10_000_000 });
const AT_ONCE = 5000;
/** A message or more for each device, so that a query of the small store also reads one. */
const FEW_MESSAGES = AT_ONCE;
const STARTS = size({ quick: 2, usual: 3 });
const READY_MS = 1000;
const QUESTIONS = size({ quick: 5000, usual: 20_000 });
/** A query of the large store may take twice as long as a query of the small store. */
const QUERY_LIMIT = 0.5;

export const largeStore: Bench = {
  name: 'large-store',
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-bench-'));
    try {
      const [small, large] = [join(directory, 'small.db'), join(directory, 'large.db')];
      const few = await registerFleet(small, DEVICES);
      const many = await registerFleet(large, DEVICES);
      await fill(few, FEW_MESSAGES);
      const began = performance.now();
      await fill(many, MESSAGES);
      const filled = Math.round((performance.now() - began) / 1000);
      await latestValues(few);
      const [fewTook, manyTook] = [await latestValues(few), await latestValues(many)];
      await few.store.close();
      await many.store.close();
      const bytes = Math.round(statSync(large).size / MESSAGES);

      const starts: number[] = [];
      for (let n = 0; n < STARTS; n++) starts.push(await timeToReady(large));
      const ready = Math.min(...starts);
      const service = await startServe(['--db', large, '--api-key', API_KEY]);
      const served = { ...service, spaceId: many.spaceId, messages: MESSAGES, ids: many.devices.map(({ id }) => id) };
      const read = [...(await measureScans(served)), ...(await measurePages(served))];
      await service.end('SIGKILL');
      return [
        {
          what: `latest value of a device among ${MESSAGES.toLocaleString('en')} messages, against ${FEW_MESSAGES.toLocaleString('en')}`,
          ratio: fewTook / manyTook,
          limit: QUERY_LIMIT,
          detail: `${(manyTook * 1000).toFixed(1)} µs, ${(fewTook * 1000).toFixed(1)} µs; ${bytes} bytes a message, filled in ${filled} s`,
        },
        {
          what: `serve is ready with ${MESSAGES.toLocaleString('en')} messages stored, against ${READY_MS} ms`,
          ratio: READY_MS / ready,
          limit: 1,
          detail: `${starts.map((took) => Math.round(took)).join(', ')} ms`,
          goals: { ready: ready / 1000 },
        },
        ...read,
      ];
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
};

/** A service with a large store. */
export interface LargeService {
  readonly api: string;
  readonly ports: { readonly http: number };
  readonly spaceId: string;
  readonly messages: number;
  /** Ids of its devices. */
  readonly ids: readonly string[];
}

/** Stores messages of all devices in turn. */
async function fill({ store, spaceId, devices, uuid }: Fleet, messages: number): Promise<void> {
  const now = Date.now();
  for (let number = 0; number < messages; number += AT_ONCE) {
    const changes = Array.from({ length: AT_ONCE }, (_, index): Change => {
      const device = devices[(number + index) % devices.length];
      const row: MessageRow = {
        ...{ id: uuid(), spaceId, deviceId: device?.id ?? '', createdAt: now, type: 'data', direction: 'up' },
        ...{ body: { message: { sequence: number + index }, thermometer: { temperature: 21.5 } }, codecHash: null },
        ...{
          raw: null,
          fingerprint: (number + index).toString(16).padStart(16, '0'),
          downState: null,
          downStateAt: null,
        },
        ...{ downScheduledAt: null, downAttempt: 0, downAnsweredAt: null },
      };
      return { kind: 'message.insert', row };
    });
    await store.commit(changes);
  }
}

/** Queries the latest value of a device, as clients do. Returns ms per query, in the fastest of several rounds. */
async function latestValues({ store, spaceId, devices }: Fleet): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    for (let n = 0; n < QUESTIONS / 5; n++) {
      const deviceId = devices[(n * 7919) % DEVICES]?.id;
      await store.messages(spaceId, { deviceId, types: ['data'], limit: 1, createdAfter: Date.now() - 86_400_000 });
    }
    best = Math.min(best, (performance.now() - began) / (QUESTIONS / 5));
  }
  return best;
}

async function timeToReady(db: string): Promise<number> {
  const began = performance.now();
  const service = await startServe(['--db', db]);
  const took = performance.now() - began;
  await service.end('SIGKILL');
  return took;
}
