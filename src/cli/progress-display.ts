/** Writes progress to the error stream: one line that is overwritten on a terminal, a new line every 5 s otherwise. */
import type { Alarm } from '../kernel/clock.js';
import { type Millis, seconds } from '../kernel/time.js';
import { plainProgress, progressLine } from '../report/progress.js';
import type { RunControl } from '../runner/run.js';
import type { Plan } from '../scenario/model/plan.js';
import type { Host } from './host.js';

const TERMINAL_EVERY: Millis = 100;
const PLAIN_EVERY: Millis = seconds(5);
/** Number of progress checks in a run, at equal distances in simulated time. */
const CHECKS = 400;

export class ProgressDisplay {
  readonly #host: Host;
  readonly #plan: Plan;
  readonly #began: number;
  #written: number;
  #onScreen = false;
  #next: Alarm | undefined;

  constructor(host: Host, plan: Plan) {
    this.#host = host;
    this.#plan = plan;
    this.#began = host.stopwatch();
    this.#written = this.#began;
  }

  follow(control: RunControl): void {
    const every = Math.max(1, Math.round(this.#plan.duration / CHECKS));
    const tick = (): void => {
      this.#check(control);
      this.#next = control.clock.after(every, 'the next progress check', tick);
    };
    this.#next = control.clock.after(every, 'the next progress check', tick);
  }

  end(): void {
    this.#next?.cancel();
    this.#clear();
  }

  /** Erases the progress line of a terminal, and writes another line to the error stream. */
  say(line: string): void {
    this.#clear();
    this.#host.err.write(`${line}\n`);
  }

  #clear(): void {
    if (this.#onScreen) this.#host.err.write('\r\u001b[K', 'styled');
    this.#onScreen = false;
  }

  #check({ clock, metrics }: RunControl): void {
    const { err } = this.#host;
    const now = this.#host.stopwatch();
    if (now - this.#written < (err.isTerminal ? TERMINAL_EVERY : PLAIN_EVERY)) return;
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
    };
    if (err.isTerminal) err.write(`\r${progressLine(state, err.columns)}\u001b[K`, 'styled');
    else err.write(`${plainProgress(state)}\n`);
    this.#onScreen = err.isTerminal;
  }
}
