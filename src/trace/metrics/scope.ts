/** The device metrics of a part of the fleet: `uplink.stored of region/north`. */
import type { Millis } from '../../kernel/time.js';
import { type Dispatch, dispatchTo } from '../dispatch.js';
import type { TraceEvent } from '../events.js';
import { DEVICE_METRICS, DeviceFold } from './devices.js';
import { DOWNLINK_METRICS, DownlinkFold } from './downlinks.js';
import { type Measure, readMetric } from './metric.js';
import { UPDATE_METRICS, UpdateFold } from './updates.js';
import { UPLINK_METRICS, UplinkFold } from './uplinks.js';

export class MetricScope {
  readonly #serials: ReadonlySet<number>;
  readonly #devices: DeviceFold;
  readonly #uplinks: UplinkFold;
  readonly #downlinks = new DownlinkFold();
  readonly #updates = new UpdateFold();
  readonly #dispatch: Dispatch;

  /** @param serials serial numbers of the devices that count */
  constructor(serials: readonly number[], warmUp: Millis) {
    this.#serials = new Set(serials);
    this.#devices = new DeviceFold(serials.length, warmUp);
    this.#uplinks = new UplinkFold(warmUp);
    this.#dispatch = dispatchTo([this.#devices, this.#uplinks, this.#downlinks, this.#updates]);
  }

  take(event: TraceEvent): void {
    if (!('serial' in event) || !this.#serials.has(event.serial)) return;
    for (const handler of this.#dispatch.get(event.kind) ?? []) handler(event);
  }

  /** Value of the metric `name`; undefined when it is not a device metric. */
  read(name: string): Measure | undefined {
    return (
      readMetric(DEVICE_METRICS, this.#devices, name) ??
      readMetric(UPLINK_METRICS, this.#uplinks, name) ??
      readMetric(DOWNLINK_METRICS, this.#downlinks, name) ??
      readMetric(UPDATE_METRICS, this.#updates, name)
    );
  }
}
