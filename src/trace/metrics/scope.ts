/** The device metrics of a part of the fleet: `uplink.stored of region/north`. */
import type { Instant, Millis } from '../../kernel/time.js';
import { type Dispatch, dispatchTo } from '../dispatch.js';
import type { TraceEvent } from '../events.js';
import { DEVICE_METRICS, DeviceFold } from './devices.js';
import { DOWNLINK_METRICS, DownlinkFold } from './downlinks.js';
import { type Measure, readMetric, readShare, type Share } from './metric.js';
import { UPDATE_METRICS, UpdateFold } from './updates.js';
import { UPLINK_METRICS, UplinkFold } from './uplinks.js';

export class MetricScope {
  readonly #devices: DeviceFold;
  readonly #uplinks: UplinkFold;
  readonly #downlinks = new DownlinkFold();
  readonly #updates = new UpdateFold();
  readonly #dispatch: Dispatch;

  /**
   * @param devices number of the devices that count
   * @param limits durations for which `within` can be called, for boots and uplinks
   */
  constructor(devices: number, warmUp: Millis, limits: readonly Millis[]) {
    this.#devices = new DeviceFold(devices, warmUp, limits);
    this.#uplinks = new UplinkFold(warmUp, limits);
    this.#dispatch = dispatchTo([
      this.#devices,
      this.#uplinks,
      ...this.#uplinks.windows.folds,
      this.#downlinks,
      this.#updates,
    ]);
  }

  /** @param event of one of the devices, or about the whole run */
  take(event: TraceEvent): void {
    for (const handler of this.#dispatch.get(event.kind) ?? []) handler(event);
  }

  /** Share of the exchanges of `name` that completed within `limit`; undefined if `name` is not a device metric with shares. */
  within(name: string, limit: Millis, now: Instant): Share | undefined {
    return (
      readShare(DEVICE_METRICS, this.#devices, name, limit, now) ??
      readShare(UPLINK_METRICS, this.#uplinks, name, limit, now) ??
      readShare(DOWNLINK_METRICS, this.#downlinks, name, limit, now) ??
      readShare(UPDATE_METRICS, this.#updates, name, limit, now)
    );
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
