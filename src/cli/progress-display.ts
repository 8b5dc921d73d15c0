/** Writes progress to the error stream: one line that is overwritten on a terminal, a new line every 5 s otherwise. */
import type { Alarm } from '../kernel/clock.js';
import { RealClock } from '../kernel/real-clock.js';
import { humanDuration, type Instant, type Millis, seconds } from '../kernel/time.js';
import { writePlainProgress, writeProgress } from '../report/progress.js';
import type { RunControl } from '../runner/run.js';
import type { RequestWait } from '../runner/targets/paced.js';
import type { Plan } from '../scenario/model/plan.js';
import { type Host, movesCursor } from './host.js';

const TERMINAL_EVERY: Millis = 100;
const PLAIN_EVERY: Millis = seconds(5);
/** Time between the ends of two waits that are announced. */
const REPEATED_AFTER: Millis = seconds(10);
/** Number of progress checks in a run, at equal distances in simulated time. */
const CHECKS = 400;

export class ProgressDisplay {
  readonly #host: Host;
  readonly #plan: Plan;
  readonly #began: number;
  #written: number;
  /** Length of the line on the screen; 0 if there is none. */
  #onScreen = 0;
  #next: Alarm | undefined;
  /** Real time: the clock of the run stands still while the fleet is created. */
  readonly #time = new RealClock();
  #control: RunControl | undefined;
  /** The requests that the cloud has rejected wait until `until`. */
  #wait: ({ readonly until: Instant } & Omit<RequestWait, 'delay'>) | undefined;
  #nextOfWait: Alarm | undefined;
  /** End of the last wait that was announced. */
  #announced: Instant = Number.NEGATIVE_INFINITY;
  #announcedCleanUp = false;

  constructor(host: Host, plan: Plan) {
    this.#host = host;
    this.#plan = plan;
    this.#began = host.stopwatch();
    this.#written = this.#began;
  }

  follow(control: RunControl): void {
    this.#control = control;
    const every = Math.max(1, Math.round(this.#plan.duration / CHECKS));
    const tick = (): void => {
      this.#check(control);
      this.#next = control.clock.after(every, 'the next progress check', tick);
    };
    this.#next = control.clock.after(every, 'the next progress check', tick);
  }

  end(): void {
    this.#next?.cancel();
    this.#nextOfWait?.cancel();
    this.#clear();
  }

  /** Announces that the cloud has rejected requests, so that they wait; undefined: they go on. */
  showWait(wait: RequestWait | undefined): void {
    this.#nextOfWait?.cancel();
    this.#wait = undefined;
    if (wait === undefined) return;
    const { delay, ...rest } = wait;
    const { status, cleansUp = false } = rest;
    const { now } = this.#time;
    this.#wait = { until: now + delay, ...rest };
    if (now + delay > this.#announced + REPEATED_AFTER || cleansUp !== this.#announcedCleanUp) {
      this.#announced = now + delay;
      this.#announcedCleanUp = cleansUp;
      const what = cleansUp ? 'the removal of what the run created' : 'the run';
      const end = cleansUp ? 'leaves it' : 'ends the run';
      this.say(`the target rejects requests (${status}), so ${what} waits ${humanDuration(delay)}; Ctrl-C ${end}`);
    }
    const tick = (): void => {
      if (this.#control) this.#check(this.#control);
      this.#nextOfWait = this.#time.after(seconds(1), 'the progress of a wait', tick);
    };
    tick();
  }

  /** Erases the progress line of a terminal, and writes another line to the error stream. */
  say(line: string): void {
    this.#clear();
    this.#host.err.write(`${line}\n`);
  }

  #clear(): void {
    // Spaces instead of a code of the terminal, so that the output has none if the user wants no colours.
    if (this.#onScreen > 0) this.#host.err.write(`\r${' '.repeat(this.#onScreen)}\r`, 'styled');
    this.#onScreen = 0;
  }

  #check({ clock, metrics }: RunControl): void {
    const { err, env } = this.#host;
    const overwrites = movesCursor(err, env);
    const now = this.#host.stopwatch();
    if (now - this.#written < (overwrites ? TERMINAL_EVERY : PLAIN_EVERY)) return;
    this.#written = now;
    const count = (name: string): number => {
      const measure = metrics.read(name);
      return measure === undefined ? 0 : measure.kind === 'count' ? measure.value : measure.distribution.count;
    };
    const state = {
      simulated: clock.now,
      duration: this.#plan.duration,
      wall: now - this.#began,
      devices: this.#plan.devices.length,
      ready: count('device.ready'),
      uplinksStored: count('uplink.stored'),
      downlinksQueued: count('downlink.queued'),
      downlinksDelivered: count('downlink.delivered'),
      ...(this.#wait && {
        waiting: { ...this.#wait, left: Math.max(0, this.#wait.until - this.#time.now) },
      }),
    };
    if (!overwrites) return err.write(`${writePlainProgress(state)}\n`);
    const line = writeProgress(state, err.columns);
    err.write(`\r${line.padEnd(this.#onScreen)}`, 'styled');
    this.#onScreen = line.length;
  }
}
