/**
 * The receiver of meters: scans, keeps one frame of each meter on its list, and lets the firmware report them in parts (firmware
 * behaviour, 3.5). It is RAM: each boot starts with a new one. It holds frames only from the end of a scan until they are
 * reported.
 *
 * Nothing happens during a scan. The frames that it will receive are computed at its start, and so is its end: when the last
 * meter of the list has been received, or at the timeout.
 */
import { type Millis, type Seconds, seconds, type UnixMillis, type UnixSeconds } from '../../kernel/time.js';
import type { Profile, ReceiverSpec } from '../../profile/profile.js';
import type { DeviceConfig } from '../config/device-config.js';
import { type Frame, type Heard, listen, madeUpFrame, neighbours } from './meters.js';
import { untilScan } from './schedule.js';

/** What the receiver needs of the device. */
interface ReceiverHost {
  readonly profile: Profile;
  readonly config: DeviceConfig;
  /** Determines which meters are around the device. */
  readonly seed: number;
  /** Milliseconds of the simulated world. */
  readonly wall: UnixMillis;
  unixTime(): UnixSeconds;
}

/** The last scan, as a body reports it. */
export interface ScanReport {
  /** Whole seconds that it took. */
  readonly time: Seconds;
  /** Frames that it kept. */
  readonly received: number;
  /** Meters on the list. */
  readonly devices: number;
  /** Scans since boot. */
  readonly cycle: number;
  /** Bodies of this scan before this one. */
  readonly part: number;
  /** Those of this body. */
  readonly frames: readonly Frame[];
}

interface Scan {
  readonly start: UnixMillis;
  readonly lasts: Millis;
  /** In the order in which they come. */
  readonly heard: readonly Heard[];
  readonly enroll: boolean;
}

const NO_FRAMES: readonly Frame[] = [];

export class Receiver {
  readonly #host: ReceiverHost;
  readonly #spec: ReceiverSpec;
  #scan: Scan | undefined;
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

  /** Delay to what comes next: the end of a scan, or the beginning of one; Infinity for never. */
  get next(): Millis {
    const { config, wall } = this.#host;
    if (this.#scan) return Math.max(0, this.#scan.start + this.#scan.lasts - wall);
    return untilScan(this.#spec.scan, config, this.#host.unixTime(), this.#lastScan);
  }

  /** Begins a scan; does nothing during one. */
  begin(): void {
    const { lasts } = this.#spec.scan;
    this.#lastScan = this.#host.unixTime();
    const known = this.#host.config.list(this.#spec.keep);
    const heard = this.#listen(this.#seconds(lasts), known.length > 0 ? known : undefined, -Infinity);
    const last = heard.at(-1);
    const complete = known.length > 0 && heard.length === known.length && last !== undefined;
    this.#begin(heard, complete ? last.after : this.#antennas * this.#seconds(lasts), false);
  }

  /** Begins a scan that puts every meter on the list whose signal is strong enough. */
  enroll(timeout: Millis, threshold: number): void {
    const heard = this.#listen(timeout, undefined, threshold);
    this.#begin(heard, this.#antennas * timeout, true);
  }

  /** Puts a frame of no meter in. */
  pushMadeUp(): void {
    const { seed, wall } = this.#host;
    if (this.#frames.length < this.#spec.capacity) this.#frames = [...this.#frames, madeUpFrame(seed, wall)];
  }

  /** Ends a scan; what it has heard so far is kept. Returns the meters that were enrolled, undefined after other scans. */
  end(): readonly number[] | undefined {
    const scan = this.#scan;
    this.#scan = undefined;
    this.#part = 0;
    if (scan === undefined) return undefined;
    const passed = this.#host.wall - scan.start;
    this.#time = Math.floor(passed / 1000);
    this.#frames = scan.heard.filter(({ after }) => after <= passed).slice(0, this.#spec.capacity);
    return scan.enroll ? this.#frames.map(({ meter }) => meter) : undefined;
  }

  /** What the next body is about. */
  report(): ScanReport {
    const { config } = this.#host;
    const first = this.#part * this.#spec.perReport;
    const listed = config.list(this.#spec.keep).length;
    const received = this.#frames.length;
    return {
      time: this.#time,
      received,
      // Without a list the firmware keeps one of its own while it scans.
      devices: listed > 0 ? listed : received,
      cycle: this.#cycle,
      part: this.#part,
      frames: this.#frames.slice(first, first + this.#spec.perReport),
    };
  }

  /** Takes the frames of the present body away; false when none are left for another. */
  nextPart(): boolean {
    this.#part++;
    if (this.#part * this.#spec.perReport < this.#frames.length) return true;
    this.clear();
    return false;
  }

  /** Forgets all frames. */
  clear(): void {
    this.#frames = NO_FRAMES;
    this.#part = 0;
  }

  #begin(heard: readonly Heard[], lasts: Millis, enroll: boolean): void {
    if (this.#scan) return;
    this.#cycle++;
    this.#frames = NO_FRAMES;
    this.#scan = { start: this.#host.wall, lasts, heard, enroll };
  }

  /** What arrives within `timeout` an antenna: of the meters that are named, or of all around. */
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
