/** The state of a modem, its timer, and how long its radio is on. modem.ts has the transitions. */
import type { Alarm, Clock } from '../../kernel/clock.js';
import type { Draws } from '../../kernel/random.js';
import type { Instant, Millis, UnixSeconds } from '../../kernel/time.js';
import type { RadioPause } from '../../trace/events.js';
import type { Policy } from '../family/index.js';
import type { Attaching } from './attach-policy.js';
import { ModemCounters } from './counters.js';
import { Reception } from './reception.js';
import { IDLE, type ModemTimings, PREPARE } from './timing.js';

export interface ModemBoard {
  readonly clock: Clock;
  readonly modemTimings: ModemTimings;
  /** Rules of the family of firmware. */
  readonly policy: Policy;
  /** Value of `lte config attach-policy`. */
  attachPolicy(): string;
  /** Whole Unix seconds on the device's clock. */
  unixTime(): UnixSeconds;
  /** Counts a time in which the radio was on. */
  spent(use: 'attach' | 'connected', duration: Millis): void;
  /** The firmware leaves the modem off for this time, unless another event ends the pause earlier. */
  paused(why: RadioPause, lasts: Millis): void;
  /** A datagram was lost to a weak signal. */
  faded(way: 'up' | 'down'): void;
  /** The modem has opened a new socket, which has another port. */
  socketOpened(): void;
  /** The modem is off, and has lost its RAM. */
  switchedOff(): void;
  /** Whether the supply is strong enough for the transmitter. If it is too weak, the device has restarted. */
  feedRadio(): boolean;
}

/** What `lte state` shows of the network (shell S-24). */
interface LteRegistration {
  readonly status:
    | 'not-registered'
    | 'registered-home'
    | 'searching'
    | 'registration-denied'
    | 'unknown'
    | 'registered-roaming'
    | 'sim-failure';
  readonly mode: 'unknown' | 'lte-m' | 'nb-iot';
}

export type LteFsmState =
  | 'disabled'
  | 'error'
  | 'boot'
  | 'prepare'
  | 'reset_loop'
  | 'retry_delay'
  | 'attach'
  | 'open_socket'
  | 'ready'
  | 'sleep'
  | 'wakeup'
  | 'send'
  | 'receive'
  | 'coneval'
  | 'gnss';

export abstract class ModemState extends Reception {
  protected readonly board: ModemBoard;
  /**
   * The stored state. `boot` also stands for `prepare`. After an exchange, `sleep` also stands for `open_socket`, `coneval` and
   * `ready`. {@link ModemState.state} derives the visible state from the clock.
   */
  protected present: LteFsmState = 'disabled';
  protected isRegistered = false;
  /** Undefined while registered. */
  protected attaching: Attaching | undefined;
  /**
   * Start and end of an attach window, of a pause of the attach policy or, in `sleep`, of the evaluation of the connection.
   * `boot` and `reset_loop` use only the end, other states neither.
   */
  protected phaseStart: Instant = 0;
  protected phaseEnd: Instant = 0;
  /** Start of the part of the radio connection that is not counted yet; undefined without a connection. */
  protected connectedAt: Instant | undefined;
  /** When the network releases the radio connection, because a datagram is not answered; 0 if it does not. */
  protected releaseAt: Instant = 0;
  /** Whether the firmware takes a radio connection for open that the network has released. */
  protected unaware = false;
  /** How long the present radio connection took to establish, which uses charge but does not count as a connection. */
  protected connecting: Millis = 0;
  /** Whether the modem shows `gnss` instead of `sleep`; only some modems have GNSS (shell S-34). */
  positioning = false;
  protected counted = new ModemCounters();
  #alarm: Alarm | undefined;

  /** @param cellSeed determines the cell that the device finds; see noise() */
  constructor(board: ModemBoard, random: Draws, cellSeed: number) {
    super(random, cellSeed);
    this.board = board;
  }

  /** The state that `lte state` shows. */
  get state(): LteFsmState {
    const { now } = this.board.clock;
    if (this.present === 'boot') return this.rules.wakes && now < this.phaseEnd - PREPARE ? 'boot' : 'prepare';
    if (this.present !== 'sleep') return this.present;
    if (now < this.phaseStart) return 'open_socket';
    if (now < this.phaseEnd) return 'coneval';
    if (!this.asleep) return 'ready';
    return this.positioning ? 'gnss' : 'sleep';
  }

  get registered(): boolean {
    return this.isRegistered && !this.inFlightMode;
  }

  /** Whether the modem has started, so that it knows its numbers and those of the SIM card. */
  get started(): boolean {
    return this.state !== 'disabled' && this.state !== 'boot';
  }

  /** Network registration; undefined before the modem has reported any. */
  get registration(): LteRegistration | undefined {
    if (!this.started) return undefined;
    return this.registered ? { status: 'registered-home', mode: 'lte-m' } : { status: 'searching', mode: 'unknown' };
  }

  protected get rules(): Policy['radio'] {
    return this.board.policy.radio;
  }

  get counters(): Readonly<ModemCounters> {
    return this.counted;
  }

  /** Number of the present attach attempt, from 1; during a pause, number of the attempt before it; 0 if there is none. */
  get attempt(): number {
    return this.attaching?.number ?? 0;
  }

  /** Length of the present attach attempt or pause, and the time left of it; undefined in other states. */
  get wait(): { readonly timeout: Millis; readonly remaining: Millis } | undefined {
    if (this.present !== 'attach' && this.present !== 'retry_delay') return undefined;
    const timeout = this.phaseEnd - this.phaseStart;
    return { timeout, remaining: Math.min(timeout, Math.max(0, this.phaseEnd - this.board.clock.now)) };
  }

  /** Time left of the pause after a reset loop; 0 in other states. */
  get resetLoopLeft(): Millis {
    return this.present === 'reset_loop' ? Math.max(0, this.phaseEnd - this.board.clock.now) : 0;
  }

  protected get asleep(): boolean {
    return this.board.clock.now >= this.phaseEnd + (this.savesPower ? 0 : IDLE);
  }

  protected get inFlightMode(): boolean {
    return this.present === 'sleep' && !this.savesPower && this.asleep;
  }

  /** Enters a state, and leaves it after `duration` unless something else happens before. */
  protected enter(state: LteFsmState, duration: Millis, then: () => void): void {
    this.#alarm?.cancel();
    this.present = state;
    this.#alarm = this.board.clock.after(duration, `modem ${state}`, then);
  }

  /** Cancels the alarm: the present state lasts until another event ends it. */
  protected noAlarm(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
  }

  protected attemptEnded(found: boolean): void {
    const took = this.board.clock.now - this.phaseStart;
    this.counted.attachEnded(took, found);
    this.board.spent('attach', took);
  }

  /** Counts the radio connection up to `end`. */
  protected disconnected(end: Instant): void {
    if (this.connectedAt === undefined) return;
    const connected = end - this.connectedAt;
    this.connectedAt = undefined;
    this.counted.connectedFor(connected - this.connecting);
    this.connecting = 0;
    this.releaseAt = 0;
    this.board.spent('connected', connected);
  }

  /** Ends a radio connection that the network has released; returns whether it has. */
  protected released(): boolean {
    if (this.connectedAt === undefined || this.releaseAt === 0 || this.board.clock.now < this.releaseAt) return false;
    this.disconnected(this.releaseAt);
    return true;
  }

  /** Switches the modem off, and counts the charge that its radio has used. */
  protected switchOff(): void {
    const { now } = this.board.clock;
    if (this.present === 'attach') this.board.spent('attach', now - this.phaseStart);
    // After an exchange, the connection is counted already.
    if (this.present === 'sleep') this.connectedAt = undefined;
    if (!this.released()) this.disconnected(now);
    this.isRegistered = false;
    this.anomalies?.switchedOff();
    this.board.switchedOff();
  }
}
