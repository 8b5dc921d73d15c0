/** Generated runs, of which the true difference is known. */
import { between, seededRandom } from '../../src/kernel/random.js';
import { compareSides } from '../../src/report/compare/compare.js';
import type { ComparedRun, Side } from '../../src/report/compare/side.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife, metricsOf } from '../trace/fixtures.js';

interface Options {
  readonly seed: number;
  readonly slower?: number;
  readonly dropped?: number;
}

export function sideOf(...all: readonly ComparedRun[]): Side {
  return { name: all.map(({ name }) => name).join(), runs: all };
}

export function compareRuns(a: ComparedRun, b: ComparedRun) {
  return compareSides(sideOf(a), sideOf(b));
}

const runs = new Map<string, ComparedRun>();

/** The generated run with these options. Tests share it, because it is only read. */
export function runOf(options: Options): ComparedRun {
  const key = JSON.stringify(options);
  const run = runs.get(key) ?? generated(options);
  runs.set(key, run);
  return run;
}

/** A generated run: 1,000 requests, and 100 devices of different speeds with 4 downlinks each. */
function generated({ seed, slower = 1, dropped = 0 }: Options): ComparedRun {
  const random = seededRandom(seed).fork('compared');
  const events: TraceEvent[] = [];
  for (let i = 0; i < 1000; i++) {
    const sent = i * 100;
    // Mostly 15 to 25 ms; one request in ten takes much longer.
    const took = between(random, 15, 25) * (random.next() < 0.1 ? between(random, 2, 10) : 1) * slower;
    events.push({ kind: 'call.done', call: 'x', intended: sent, sent, at: sent + took, status: 200, why: '' });
  }
  for (let serial = 1; serial <= 100; serial++) {
    const own = between(random, 0.5, 1.5);
    for (let i = 0; i < 4; i++) {
      const id = `${serial}-${i}`;
      const delivered = Math.round(between(random, 10_000, 20_000) * own * slower);
      events.push(
        ...downlinkLife({ id, print: id, serial, queued: 0, contact: delivered, offered: delivered, delivered }),
      );
    }
  }
  for (let i = 0; i < dropped; i++) {
    events.push({ kind: 'uplink.dropped', at: i, serial: i, uplink: 1, type: 'data', why: 'x' });
  }
  const { samples } = metricsOf(events, 100, 100_000).summarise();
  return {
    name: `run ${seed}`,
    format: 2,
    scenario: 's',
    seed,
    digest: null,
    situation: 'x',
    failure: null,
    spoiled: false,
    touched: false,
    options: new Map(),
    samples,
  };
}

export const rowOf = (comparison: ReturnType<typeof compareRuns>, metric: string) =>
  comparison.rows.find((row) => row.metric === metric);
