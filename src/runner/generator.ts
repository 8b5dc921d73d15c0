/**
 * Whether this process kept up with what it was to do. In real time a fleet and its loads are only as punctual as the process
 * that plays them; when it was late, the run has measured it, and not the service.
 */
import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks';
import { cpuUsage } from 'node:process';
import { humanDuration, type Millis, seconds } from '../kernel/time.js';
import type { GeneratorReport } from '../report/result.js';
import { Distribution } from '../trace/distribution.js';

/** Nobody's measurement is spoiled by less: networks vary by more. */
const LATE: Millis = 200;
/** In time of the run: so long a device waits for an answer before it sends again (wire protocol, 13). */
const PATIENCE: Millis = seconds(5);
/** With no time to spare, what waits is as likely to wait for this process as for the service. */
const SWAMPED = 0.97;

/** Watches from when it is made until {@link GeneratorWatch.end}. */
export class GeneratorWatch {
  readonly #speed: number;
  readonly #lateness = new Distribution(1000);
  readonly #loop = monitorEventLoopDelay({ resolution: 10 });
  readonly #utilisation = performance.eventLoopUtilization();
  readonly #cpu = cpuUsage();
  #gc: Millis = 0;
  readonly #observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) this.#gc += duration;
  });

  /** @param speed milliseconds of the run in a real one */
  constructor(speed = 1) {
    this.#speed = speed;
    this.#loop.enable();
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** Something was done `lateBy` real milliseconds after its time. */
  late(lateBy: Millis): void {
    this.#lateness.record(lateBy);
  }

  end(): GeneratorReport {
    this.#loop.disable();
    this.#observer.disconnect();
    const { utilization, active, idle } = performance.eventLoopUtilization(this.#utilisation);
    const took = active + idle;
    const { user, system } = cpuUsage(this.#cpu);
    const figures = {
      lateness: this.#lateness.spread(),
      eventLoopDelay: this.#loop.max > 0 ? this.#loop.percentile(99) / 1e6 : 0,
      busy: utilization,
      cpu: (user + system) / 1000 / took,
      gc: this.#gc / took,
    };
    return { ...figures, spoiled: verdict(figures, this.#speed) };
  }
}

/** Why the figures spoil the run; null when they do not. */
export function verdict({ lateness, busy, cpu, gc }: Omit<GeneratorReport, 'spoiled'>, speed: number): string | null {
  const state = `the event loop ${percent(busy)} busy, ${percent(cpu)} of a core used and ${percent(gc)} of the time spent on garbage`;
  if (lateness !== undefined && lateness.p99 > LATE) {
    const [some, most] = [humanDuration(lateness.p99), humanDuration(lateness.max)];
    return `the generator was the bottleneck: one action in a hundred came more than ${some} late (up to ${most}), with ${state}`;
  }
  if (lateness !== undefined && lateness.p95 * speed > PATIENCE) {
    const [some, most] = [humanDuration(lateness.p95 * speed), humanDuration(lateness.max * speed)];
    return `the speed of ${speed} is too much for this machine: one action in twenty came more than ${some} of the run late (up to ${most}), and a device waits ${humanDuration(PATIENCE)} for an answer`;
  }
  if (busy > SWAMPED) return `the generator was the bottleneck: it had no time to spare, with ${state}`;
  return null;
}

function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`;
}
