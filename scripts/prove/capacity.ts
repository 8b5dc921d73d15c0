/**
 * `capacity` finds the limit of an embedded cloud with a rate limit, and of a server with a queue, within its precision; and a
 * generator without enough CPU time says that it is the limit itself.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import PQueue from 'p-queue';
import { type CapacityResult, capacity } from '../../src/index.js';
import { program } from '../support/program.js';
import type { Proof, Verdict } from '../support/proof.js';
import { limitedServer } from './start-limited-server.js';

const SEARCHES = 20;
const CAPPED = 10;
const PRECISION = 0.05;

/** The radio of the device is off, so that a run in real time does not wait for it. */
const SCENARIO = `name: limit
duration: 2m
fleet: [{ name: clime, profile: clime, count: 1, config: { mode: none } }]
load: [{ latest-value:, rate: 1/s }]
`;

export const capacityProof: Proof = {
  name: 'capacity',
  async run() {
    return [await rateLimits(), await queues(), await cappedGenerators()];
  },
};

/** The limits are different from search to search, and so are their places in the range. */
async function rateLimits(): Promise<Verdict> {
  const found: CapacityResult[] = [];
  let right = 0;
  for (let seed = 1; seed <= SEARCHES; seed++) {
    const limit = 60 + 17 * seed;
    const scenario = `${SCENARIO}cloud: { rate-limit: ${limit}/m }\nexpect: [call.refused == 0]\n`;
    const result = await capacity(scenario, { vary: 'load.1.rate', from: '30/m', to: '2000/m', seed, workers: 2 });
    const { holds, fails } = result;
    found.push(result);
    // Half a request more than the limit is still within it.
    if (isNear(result, limit) && (holds ?? 0) <= limit + 0.5 && (fails ?? 0) > limit) right++;
  }
  return {
    what: `${SEARCHES} searches find the rate limit of the embedded cloud`,
    held: right === SEARCHES,
    detail: `${right} of ${SEARCHES}; ${runsOf(found)} runs`,
  };
}

/** Requests a second of the server with a queue. */
const QUEUE = 20;

async function queues(): Promise<Verdict> {
  const scenario = `${SCENARIO}expect: ["call.latency p(95) < 200ms"]\n`;
  // A search mostly waits: it needs about a twentieth of a core.
  const queue = new PQueue({ concurrency: 7 });
  const seeds = Array.from({ length: SEARCHES }, (_, i) => i + 1);
  const results = await Promise.all(seeds.map((seed) => queue.add(() => searchQueue(scenario, seed))));
  const right = results.filter((result) => isNear(result, QUEUE)).length;
  const wrong = results.filter((result) => !isNear(result, QUEUE)).map(({ sentence }) => sentence);
  return {
    what: `${SEARCHES} searches find the limit of a server that serves ${QUEUE} requests a second`,
    held: right === SEARCHES,
    detail: [`${right} of ${SEARCHES}; ${runsOf(results)} runs`, ...wrong].join('; '),
  };
}

async function searchQueue(scenario: string, seed: number): Promise<CapacityResult> {
  const server = await limitedServer(QUEUE);
  try {
    return await capacity(scenario, {
      ...{ vary: 'load.1.rate', from: 14, to: 45, hold: '8s', seed },
      cloud: { ...server.cloud, spaceId: null, keyOf: () => '', gateway: null, pace: { atOnce: 16, perSecond: null } },
    });
  } finally {
    server.child.kill('SIGKILL');
  }
}

/** A generator that gets a tenth of a core, against a server that serves far more than it can send. */
async function cappedGenerators(): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-prove-'));
  const file = join(folder, 'limit.yaml');
  writeFileSync(file, `${SCENARIO}expect: [call.failed == 0]\n`);
  const server = await limitedServer(1_000_000);
  try {
    const outcomes: string[] = [];
    for (let seed = 1; seed <= CAPPED; seed++) {
      const words = ['--vary', 'load.1.rate', '--from', '100', '--to', '51200', '--hold', '3s', '--precision', '50%'];
      const args = [program(), 'capacity', file, ...words, '--seed', String(seed), '--json', '--link', 'http'];
      const child = spawn(process.execPath, [...args, '--target', server.cloud.api], {
        env: { ...process.env, GHOSTFLEET_API_KEY: server.cloud.apiKey },
      });
      // The lowest level holds before the cap begins.
      let uncap = () => {};
      child.stderr.once('data', () => {
        uncap = cap(child);
      });
      const out = await text(child.stdout);
      uncap();
      outcomes.push(out === '' ? 'no result' : (JSON.parse(out) as CapacityResult).outcome);
    }
    const right = outcomes.filter((outcome) => outcome === 'generator limit').length;
    return {
      what: `${CAPPED} searches with a tenth of a core say that the generator is the limit`,
      held: right === CAPPED,
      detail: `${right} of ${CAPPED}: ${[...new Set(outcomes)].join(', ')}`,
    };
  } finally {
    server.child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

/** Lets a process run during a tenth of the time, as a container with a CPU limit does. */
function cap(child: ChildProcess): () => void {
  const [on, off] = [10, 90];
  let timer: NodeJS.Timeout;
  const rest = () => {
    child.kill('SIGSTOP');
    timer = setTimeout(work, off);
  };
  const work = () => {
    child.kill('SIGCONT');
    timer = setTimeout(rest, on);
  };
  work();
  return () => clearTimeout(timer);
}

function isNear({ outcome, holds, fails }: CapacityResult, limit: number): boolean {
  if (outcome !== 'found' || holds === null || fails === null) return false;
  return Math.abs(holds - limit) <= PRECISION * limit && fails - holds <= PRECISION * holds * 1.001;
}

function runsOf(results: readonly CapacityResult[]): number {
  return results.flatMap(({ levels }) => levels.flatMap(({ runs }) => runs)).length;
}
