/**
 * The receiver of meter frames. It scans and keeps one frame of each meter on its list (of each meter in range if the list is
 * empty); the firmware reports the frames in parts (behaviour B-22). Its state is in RAM: each boot creates a new receiver. It
 * drops the frames of a scan when they have been reported.
 *
 * The frames of a scan and its end are computed at its start. The scan ends when the last meter of the list has been received,
 * or at the timeout.
 */
import { type Millis, type Seconds, seconds, type UnixMillis, type UnixSeconds } from '../../kernel/time.js';
import type { Profile, ReceiverSpec } from '../../profile/profile.js';
import type { DeviceConfig } from '../config/device-config.js';
import { type Frame, type Heard, listen, madeUpFrame, neighbours } from './meters.js';
import { lastStart, untilScan } from './schedule.js';

/** The part of the device that the receiver needs. */
interface ReceiverHost {
  readonly profile: Profile;
  readonly config: DeviceConfig;
  /** Determines which meters are around the device. */
  readonly seed: number;
  /** Calendar time of the simulated world. */
  readonly wall: UnixMillis;
  readUnixTime(): UnixSeconds;
}

export interface ScanReport {
  /** Duration in whole seconds. */
  readonly time: Seconds;
  /** Number of frames kept. */
  readonly received: number;
  /** Number of meters on the list. */
  readonly devices: number;
  /** Number of scans since boot. */
  readonly cycle: number;
  /** Number of earlier report bodies about this scan. */
  readonly part: number;
  readonly frames: readonly Frame[];
}

interface Scan {
  readonly start: UnixMillis;
  readonly lasts: Millis;
  /** In the order of reception. */
  readonly heard: readonly Heard[];
  readonly enroll: boolean;
}

const NO_FRAMES: readonly Frame[] = [];

export class Receiver {
  readonly #host: ReceiverHost;
  readonly #spec: ReceiverSpec;
  #scan: Scan | undefined;
  /** From the start of a scan until its frames are reported, the firmware starts no other scan. */
  #working = false;
  /** When the last scheduled scan was due, Unix seconds. */
  #lastScan: number | undefined;
  #cycle = 0;
  #time = 0;
  #frames = NO_FRAMES;
  #part = 0;

  constructor(host: ReceiverHost, spec: ReceiverSpec) {
    this.#host = host;
    this.#spec = spec;
  }

  get scanning(): boolean {
    return this.#scan !== undefined;
  }

  /** Delay to the end of the present scan, or to the start of the next one; Infinity for never. */
  get next(): Millis {
    const { config, wall } = this.#host;
    if (this.#scan) return Math.max(0, this.#scan.start + this.#scan.lasts - wall);
    return untilScan(this.#spec.scan, config, this.#host.readUnixTime(), this.#lastScan);
  }

  /** Begins a scan that is due. */
  beginScheduled(): void {
    this.#lastScan = this.#host.readUnixTime();
    this.begin();
  }

  /** Begins a scan; does nothing while a scan runs or is reported. */
  begin(): void {
    if (this.#working) return;
    const { lasts } = this.#spec.scan;
    const known = this.#host.config.list(this.#spec.keep);
    const heard = this.#listen(this.#seconds(lasts), known.length > 0 ? known : undefined, -Infinity);
    const last = heard.at(-1);
    const complete = known.length > 0 && heard.length === known.length && last !== undefined;
    this.#begin(heard, complete ? last.after : this.#antennas * this.#seconds(lasts), false);
  }

  /** Begins a scan whose meters replace the list: all meters with a signal of at least `threshold` dBm. */
  enroll(timeout: Millis, threshold: number): void {
    const heard = this.#listen(timeout, undefined, threshold);
    this.#begin(heard, this.#antennas * timeout, true);
  }

  /** Adds a made-up frame. */
  pushMadeUp(): void {
    const { seed, wall } = this.#host;
    if (this.#frames.length < this.#spec.capacity) this.#frames = [...this.#frames, madeUpFrame(seed, wall)];
  }

  /** Ends a scan and keeps the frames received so far. Returns the enrolled meters; undefined without enrolment. */
  end(): readonly number[] | undefined {
    const scan = this.#scan;
    this.#scan = undefined;
    this.#working = true;
    this.#part = 0;
    if (scan === undefined) return undefined;
    const passed = this.#host.wall - scan.start;
    this.#time = Math.floor(passed / 1000);
    this.#frames = scan.heard.filter(({ after }) => after <= passed).slice(0, this.#spec.capacity);
    return scan.enroll ? this.#frames.map(({ meter }) => meter) : undefined;
  }

  /** Data for the next body. */
  report(): ScanReport {
    const { config } = this.#host;
    const first = this.#part * this.#spec.perReport;
    const listed = config.list(this.#spec.keep).length;
    const received = this.#frames.length;
    return {
      time: this.#time,
      received,
      // If the list is empty, the firmware lists the meters that it receives during the scan.
      devices: listed > 0 ? listed : received,
      cycle: this.#cycle,
      part: this.#part,
      frames: this.#frames.slice(first, first + this.#spec.perReport),
    };
  }

  /** Advances to the next body. False if no frames are left for it; the frames are then cleared. */
  nextPart(): boolean {
    this.#part++;
    if (this.#part * this.#spec.perReport < this.#frames.length) return true;
    this.clear();
    return false;
  }

  /** The report of a scan is over. Starts that came due since the start of this scan are dropped (timing T-7). */
  reported(): void {
    this.clear();
    this.#working = false;
    this.#lastScan = lastStart(this.#spec.scan, this.#host.config, this.#host.readUnixTime(), this.#lastScan);
  }

  /** Drops all frames. */
  clear(): void {
    this.#frames = NO_FRAMES;
    this.#part = 0;
  }

  #begin(heard: readonly Heard[], lasts: Millis, enroll: boolean): void {
    if (this.#working) return;
    this.#working = true;
    this.#cycle++;
    this.#frames = NO_FRAMES;
    this.#scan = { start: this.#host.wall, lasts, heard, enroll };
  }

  /** Frames received within `timeout` per antenna: from the `named` meters; if `named` is undefined, from all meters around. */
  #listen(timeout: Millis, named: readonly number[] | undefined, threshold: number): readonly Heard[] {
    const { seed, wall } = this.#host;
    const { around } = this.#spec;
    const meters = named ?? neighbours(around, seed);
    const heard = meters.flatMap((meter) => {
      const frame = listen(around, meter, seed, wall, timeout, this.#antennas);
      return frame && frame.rssi >= threshold ? [frame] : [];
    });
    return heard.sort((a, b) => a.after - b.after || a.meter - b.meter);
  }

  get #antennas(): number {
    const { module, name } = this.#spec.scan.antennas;
    return this.#host.config.text(module, name) === 'dual' ? 2 : 1;
  }

  #seconds({ module, name }: ReceiverSpec['scan']['lasts']): Millis {
    return seconds(this.#host.config.number(module, name));
  }
}
