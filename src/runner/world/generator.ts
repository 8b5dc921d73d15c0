/** Measures whether this process keeps up with a run in real time: its lateness, event loop, CPU and garbage collection. */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { realTimers } from '../../kernel/real-timers.js';
import type { Millis } from '../../kernel/time.js';
import type { GeneratorReport } from '../../report/result.js';
import { Distribution } from '../../trace/distribution.js';
import { findSpoiling } from './spoiled.js';

/** Decides at the end of a run in real time whether this process kept up. */
export interface GeneratorMeter {
  /** Records an action that ran `lateBy` real milliseconds after it was due. */
  late(lateBy: Millis): void;
  /** Ends the measurement. */
  end(): GeneratorReport;
}

/** Measures from construction to {@link GeneratorWatch.end}. */
export class GeneratorWatch implements GeneratorMeter {
  readonly #speed: number;
  readonly #loads: boolean;
  readonly #lateness = new Distribution(1000);
  readonly #loop = monitorEventLoopDelay({ resolution: 10 });
  readonly #began = realTimers.now();
  readonly #idle = realTimers.idle();
  readonly #cpu = realTimers.cpuUsage();
  #gc: Millis = 0;
  readonly #observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) this.#gc += duration;
  });

  /**
   * @param speed simulated milliseconds per real millisecond
   * @param loads whether the run has loads, whose latencies a slow process would falsify
   */
  constructor(speed = 1, loads = false) {
    this.#speed = speed;
    this.#loads = loads;
    this.#loop.enable();
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  late(lateBy: Millis): void {
    this.#lateness.record(lateBy);
  }

  end(): GeneratorReport {
    this.#loop.disable();
    this.#observer.disconnect();
    const took = realTimers.now() - this.#began;
    const { user, system } = realTimers.cpuUsage(this.#cpu);
    const lateness = this.#lateness.spread();
    const figures = {
      lateness,
      eventLoopDelay: this.#loop.max > 0 ? this.#loop.percentile(99) / 1e6 : 0,
      stall: Math.max(this.#loop.max / 1e6, lateness?.max ?? 0),
      busy: 1 - (realTimers.idle() - this.#idle) / took,
      cpu: (user + system) / 1000 / took,
      gc: this.#gc / took,
    };
    return { ...figures, spoiled: findSpoiling(figures, this.#speed, this.#loads) };
  }
}
