/** Runs one load against a server in another process, and measures how punctual this process was. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { Semaphore } from '../../src/kernel/semaphore.js';
import type { GeneratorReport } from '../../src/report/result.js';
import { makeHttpCalls } from '../../src/runner/load/http-calls.js';
import { Loads } from '../../src/runner/load/loads.js';
import { GeneratorWatch } from '../../src/runner/world/generator.js';
import type { CallSpec } from '../../src/scenario/load/calls.js';
import type { Pace } from '../../src/scenario/load/load.js';
import type { PlannedLoad } from '../../src/scenario/model/plan.js';
import type { DeviceHandle } from '../../src/scenario/world.js';
import type { TraceEvent } from '../../src/trace/events.js';
import type { CallSummary } from '../../src/trace/metrics/calls.js';
import { Metrics } from '../../src/trace/metrics/index.js';

export interface NullServer {
  readonly baseUrl: string;
  /** Suspends the process; its connections stay open. */
  freeze(): void;
  thaw(): void;
  kill(): void;
}

export async function startNullServer(): Promise<NullServer> {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', 'scripts/prove/null-server.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('the null server has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    return {
      baseUrl: `http://127.0.0.1:${Number(line)}`,
      freeze: () => child.kill('SIGSTOP'),
      thaw: () => child.kill('SIGCONT'),
      kill: () => child.kill('SIGKILL'),
    };
  }
  throw new Error('the null server did not start');
}

export interface MeasuredLoad {
  readonly summary: CallSummary;
  readonly contradictions: readonly string[];
  readonly generator: GeneratorReport;
  readonly percentile: (percent: number) => number;
  /** When each request was sent, in ms. */
  readonly sentAt: readonly number[];
}

export interface LoadToMeasure {
  readonly baseUrl: string;
  readonly pace: Pace;
  /** Duration of the load in ms. */
  readonly duration: number;
  readonly seed?: string;
  /** Actions on the server or on this process, by the time at which they run, in ms. */
  readonly at?: Readonly<Record<number, () => void>>;
  readonly connections?: number;
}

const COUNT: CallSpec = { kind: 'count-devices', body: null };

/** Runs the load and waits until every request has ended. */
export async function measure(load: LoadToMeasure): Promise<MeasuredLoad> {
  const { baseUrl, pace, duration, seed = 'prove', at = {}, connections = 64 } = load;
  const metrics = new Metrics(1);
  const sentAt: number[] = [];
  const emit = (event: TraceEvent) => {
    metrics.take(event);
    if (event.kind === 'call.done') sentAt.push(event.sent);
  };
  const sender = makeHttpCalls({ baseUrl, apiKey: 'none', connections });
  const base = { origin: 'http://cloud', prefix: '/iot' };
  const caller = { base, space: 'space', apiKey: '', sender, connections: new Semaphore(connections) };
  // The cast is safe because loads use no other fields of a device.
  const handles = [{ cloudId: 'device' }] as unknown as readonly DeviceHandle[];
  let watch: GeneratorWatch | undefined;
  const clock = new RealClock({ frozen: true, onAlarm: (lateBy) => watch?.late(lateBy) });
  const planned: PlannedLoad = {
    ...{ name: 'load', call: COUNT, from: 0, until: duration, pace, devices: [0] },
  };
  const loads = new Loads([planned], {
    ...{ clock, trace: { emit }, handles, accepted: () => true },
    ...{ random: seededRandom(seed), callerOf: () => caller, leastPause: 0, late: (lateBy) => watch?.late(lateBy) },
  });
  for (const [moment, act] of Object.entries(at)) clock.after(Number(moment), 'an act of a proof', act);
  watch = new GeneratorWatch();
  clock.begin();
  await clock.runUntil(duration);
  while (loads.open.length > 0) await clock.runUntil(clock.now + 20);
  const generator = watch.end();
  loads.close();
  await sender.close();
  const latency = metrics.read('call.latency');
  const percentile = (percent: number) =>
    latency?.kind === 'durations' ? (latency.distribution.findPercentile(percent) ?? Number.NaN) : Number.NaN;
  const { load: summary } = metrics.summarise().calls;
  if (summary === undefined) throw new Error('the load made no request');
  return { summary, contradictions: metrics.contradictions, generator, percentile, sentAt };
}

export function steady(perSecond: number, duration: number, spacing: 'even' | 'poisson' = 'even'): Pace {
  return { kind: 'open', spacing, pieces: [{ from: 0, until: duration, first: perSecond, last: perSecond }] };
}
