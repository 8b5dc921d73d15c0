/** The life of a downlink as events, for tests of the folds. */
import type { DownlinkType, TraceEvent } from '../../src/trace/events.js';
import { Metrics } from '../../src/trace/metrics/index.js';

/** Folds events into metrics. */
export function metricsOf(events: readonly TraceEvent[], devices = 1, duration = 0): Metrics {
  const metrics = new Metrics(devices, 0, duration);
  for (const event of events) metrics.take(event);
  return metrics;
}

/** The value of a count, or the count of a distribution. */
export function numberOf(metrics: Metrics, name: string): number {
  const measure = metrics.read(name);
  if (measure === undefined) throw new Error(`unknown metric "${name}"`);
  return measure.kind === 'count' ? measure.value : measure.distribution.count;
}

/** The times at which a downlink reaches its stages. It does not reach stages that are left out. */
export interface Life {
  readonly id?: string;
  readonly serial?: number;
  readonly type?: DownlinkType;
  readonly print?: string;
  readonly ok?: boolean;
  readonly partly?: true;
  readonly queued?: number;
  readonly wake?: number;
  readonly contact?: number;
  readonly offered?: number;
  readonly received?: number;
  readonly delivered?: number;
  readonly executed?: number;
  readonly answered?: number;
}

/** The events of a downlink in chronological order. */
export function downlinkLife(life: Life): readonly TraceEvent[] {
  const { id = 'd1', serial = 1, type = 'shell', print = 'feed', ok = true, partly } = life;
  const { queued = 0, wake, contact, offered, received, delivered, executed, answered } = life;
  const events: (TraceEvent | undefined)[] = [
    { kind: 'downlink.queued', at: queued, serial, downlink: id, type },
    wake === undefined ? undefined : { kind: 'device.wake', at: wake, serial, why: 'report' },
    contact === undefined ? undefined : { kind: 'downlink.contact', at: contact, serial, downlink: id },
    offered === undefined
      ? undefined
      : { kind: 'downlink.offered', at: offered, serial, downlink: id, print, attempt: 1 },
    received === undefined ? undefined : { kind: 'downlink.received', at: received, serial, type, print },
    delivered === undefined
      ? undefined
      : { kind: 'downlink.delivered', at: delivered, serial, downlink: id, evidence: 'final-ack' },
    executed === undefined
      ? undefined
      : { kind: 'downlink.executed', at: executed, serial, type, print, ok, ...(partly && { partly }) },
    answered === undefined ? undefined : { kind: 'downlink.answered', at: answered, serial, downlink: id },
  ];
  return events.filter((event) => event !== undefined).sort((a, b) => a.at - b.at);
}
