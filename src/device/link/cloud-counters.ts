/** The counters behind `cloud metrics`; they are in RAM (shell S-22). */
import type { Seconds, UnixSeconds } from '../../kernel/time.js';

/** Whole Unix seconds on the device's own clock, or undefined for never. */
export type DeviceTime = UnixSeconds | undefined;

/** Counters that most devices never need. */
interface RareCounters {
  uplinkErrors: number;
  uplinkErrorLast: DeviceTime;
  downlinkErrors: number;
  downlinkErrorLast: DeviceTime;
  downlinkDataCount: number;
  downlinkDataLast: DeviceTime;
  shellCount: number;
  shellLast: DeviceTime;
}

/** All times are on the device's clock. */
export class CloudCounters {
  uplinkCount = 0;
  uplinkFragments = 0;
  uplinkBytes = 0;
  uplinkLast: DeviceTime;
  downlinkCount = 0;
  downlinkFragments = 0;
  downlinkBytes = 0;
  downlinkLast: DeviceTime;
  /** Polls without a message; the firmware counts a poll that fetches a message as a downlink. */
  pollCount = 0;
  pollLast: DeviceTime;
  uplinkDataCount = 0;
  uplinkDataLast: DeviceTime;
  #rare: RareCounters | undefined;

  /** Time of the last successful exchange. */
  get lastSeen(): DeviceTime {
    const times = [this.uplinkLast, this.downlinkLast, this.pollLast].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  get uplinkErrors(): number {
    return this.#rare?.uplinkErrors ?? 0;
  }
  get uplinkErrorLast(): DeviceTime {
    return this.#rare?.uplinkErrorLast;
  }
  get downlinkErrors(): number {
    return this.#rare?.downlinkErrors ?? 0;
  }
  get downlinkErrorLast(): DeviceTime {
    return this.#rare?.downlinkErrorLast;
  }
  get downlinkDataCount(): number {
    return this.#rare?.downlinkDataCount ?? 0;
  }
  get downlinkDataLast(): DeviceTime {
    return this.#rare?.downlinkDataLast;
  }
  get shellCount(): number {
    return this.#rare?.shellCount ?? 0;
  }
  get shellLast(): DeviceTime {
    return this.#rare?.shellLast;
  }

  /** Counts an uplink message of `bytes`, in fragments of at most `fragmentSize`. */
  uplink(bytes: number, fragmentSize: number, data: boolean, now: DeviceTime): void {
    this.uplinkCount++;
    this.uplinkFragments += Math.ceil(bytes / fragmentSize);
    this.uplinkBytes += bytes;
    this.uplinkLast = now;
    if (!data) return;
    this.uplinkDataCount++;
    this.uplinkDataLast = now;
  }

  uplinkFailed(now: DeviceTime): void {
    this.known.uplinkErrors++;
    this.known.uplinkErrorLast = now;
  }

  /** Counts a downlink message of `bytes`, in fragments of at most `fragmentSize`. */
  downlink(bytes: number, fragmentSize: number, now: DeviceTime): void {
    this.downlinkCount++;
    this.downlinkFragments += Math.ceil(bytes / fragmentSize);
    this.downlinkBytes += bytes;
    this.downlinkLast = now;
  }

  downlinkFailed(now: DeviceTime): void {
    this.known.downlinkErrors++;
    this.known.downlinkErrorLast = now;
  }

  /** Counts a poll without a message. */
  emptyPoll(now: DeviceTime): void {
    this.pollCount++;
    this.pollLast = now;
  }

  dataDownlink(now: DeviceTime): void {
    this.known.downlinkDataCount++;
    this.known.downlinkDataLast = now;
  }

  shellDownlink(now: DeviceTime): void {
    this.known.shellCount++;
    this.known.shellLast = now;
  }

  /** The clock was set: moves all stored times by the same number of seconds (behaviour B-7). */
  shiftTimes(by: Seconds): void {
    const shifted = (time: DeviceTime): DeviceTime => (time === undefined ? undefined : time + by);
    this.uplinkLast = shifted(this.uplinkLast);
    this.downlinkLast = shifted(this.downlinkLast);
    this.pollLast = shifted(this.pollLast);
    this.uplinkDataLast = shifted(this.uplinkDataLast);
    if (this.#rare === undefined) return;
    this.#rare.uplinkErrorLast = shifted(this.#rare.uplinkErrorLast);
    this.#rare.downlinkErrorLast = shifted(this.#rare.downlinkErrorLast);
    this.#rare.downlinkDataLast = shifted(this.#rare.downlinkDataLast);
    this.#rare.shellLast = shifted(this.#rare.shellLast);
  }

  private get known(): RareCounters {
    this.#rare ??= {
      uplinkErrors: 0,
      uplinkErrorLast: undefined,
      downlinkErrors: 0,
      downlinkErrorLast: undefined,
      downlinkDataCount: 0,
      downlinkDataLast: undefined,
      shellCount: 0,
      shellLast: undefined,
    };
    return this.#rare;
  }
}
