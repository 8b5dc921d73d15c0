/** The telemetry of a worker: its process, and the parts of runs that it has carried out. Traces come from the run. */
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { RealClock } from '../kernel/real-clock.js';
import { makeMetrics } from '../telemetry/measures.js';
import type { TelemetrySettings } from '../telemetry/settings.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { readVersion } from './version.js';

/** Counts the parts of runs. */
export class PartCounter {
  readonly #registry = new Registry();
  readonly #parts = new Counter({
    name: 'ghostfleet_worker_parts_total',
    help: 'Parts of runs that have begun, ended or failed',
    labelNames: ['what'],
    registers: [this.#registry],
  });

  readonly count = (what: 'begun' | 'ended' | 'failed'): void => this.#parts.inc({ what });

  /** Begins to export. */
  begin(settings: TelemetrySettings, complain: (sentence: string) => void): Telemetry {
    collectDefaultMetrics({ register: this.#registry });
    const telemetry = new Telemetry({
      ...{ settings, complain, reportsAtOnce: true, version: readVersion(), clock: new RealClock() },
      attributes: { 'service.name': 'ghostfleet-worker', 'service.instance.id': `${hostname()}-${pid}` },
      source: {
        readMetrics: async (period) => makeMetrics(await this.#registry.getMetricsAsJSON(), period),
        takeTraces: () => [],
        countTraces: () => 0,
      },
    });
    telemetry.begin();
    return telemetry;
  }
}
