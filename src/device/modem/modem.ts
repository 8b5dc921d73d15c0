/**
 * The LTE modem as the firmware sees it: boot, attach, sleep between exchanges, wake on the next one.
 *
 * Only what decides *when* a datagram can leave: registration and sleep. The network is taken to grant power saving mode, so
 * a device attaches once and then sleeps between exchanges (firmware behaviour, 4.1). `coverage` is the switch that a
 * scenario turns: without it a sleeping modem finds no connection, and an attach attempt runs into its time-out.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Draws, integerBetween, noise } from '../../kernel/random.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import type { LteEvaluation, LteFsmState } from '../shell/host.js';
import { type AttachAttempt, attachAttempts } from './attach-policy.js';

/** What the source leaves open (firmware behaviour, 4.1: "assumptions for a simulator"). */
const BOOT: readonly [Millis, Millis] = [seconds(2), seconds(4)];
const ATTACH: readonly [Millis, Millis] = [seconds(5), seconds(40)];
const WAKE: readonly [Millis, Millis] = [seconds(1), seconds(4)];
/** Wait for a radio connection before the send is tried again (wire protocol, 5.2 step 2). */
const CONNECTION_LIMIT = seconds(30);
/** Pause in the error state (wire protocol, 5.2 step 3). */
const ERROR_PAUSE = seconds(5);

export interface ModemEnvironment {
  readonly clock: Clock;
  readonly random: Draws;
  /** Decides about the cell that the device finds; see noise(). */
  readonly cellSeed: number;
  /** Value of `lte config attach-policy`. */
  readonly attachPolicy: () => string;
}

/** Counters since boot for `lte metrics`. */
export interface ModemCounters {
  attached: number;
  failed: number;
  duration: Millis;
  lastDuration: Millis;
  lastAt: Instant | undefined;
  connected: Millis;
  lastConnected: Millis;
}

export class Modem {
  readonly #env: ModemEnvironment;
  readonly counters: ModemCounters = zeroCounters();
  #state: LteFsmState = 'disabled';
  #coverage = true;
  #registered = false;
  /** Number of the present attempt to attach, from 0; what it is made of, and those that follow, while there is one. */
  #attempt = 0;
  #trying: AttachAttempt | undefined;
  #tries: Iterator<AttachAttempt> | undefined;
  #phaseStart: Instant = 0;
  #phaseEnd: Instant = 0;
  #evaluations = 0;
  #connectedAt: Instant = 0;
  #alarm: Alarm | undefined;
  #whenReady: (() => void) | undefined;

  constructor(env: ModemEnvironment) {
    this.#env = env;
  }

  get state(): LteFsmState {
    return this.#state;
  }

  get registered(): boolean {
    return this.#registered;
  }

  /** Is the device in a place with network? */
  get covered(): boolean {
    return this.#coverage;
  }

  get attempt(): number {
    return this.#attempt;
  }

  /** Length of the present attach attempt or pause, and what is left of it. */
  get wait(): { readonly timeout: Millis; readonly remaining: Millis } | undefined {
    if (this.#state !== 'attach' && this.#state !== 'retry_delay') return undefined;
    return { timeout: this.#phaseEnd - this.#phaseStart, remaining: Math.max(0, this.#phaseEnd - this.#env.clock.now) };
  }

  /** Is a datagram able to leave at once? */
  get connected(): boolean {
    return this.#state === 'ready' && this.#coverage;
  }

  /** Starts the modem from cold, as a boot does. */
  start(): void {
    this.stop();
    Object.assign(this.counters, zeroCounters());
    this.#startOver();
    this.#evaluations = 0;
    this.#boot();
  }

  /** Power off: no alarm stays behind. */
  stop(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#whenReady = undefined;
    this.#registered = false;
    this.#state = 'disabled';
  }

  /** Calls `ready` as soon as a datagram can leave: now, after waking up, or when the modem has attached. */
  connect(ready: () => void): void {
    if (this.connected) return ready();
    this.#whenReady = ready;
    if (this.#state === 'sleep') this.#wake();
    else if (this.#state === 'ready') this.#lose();
  }

  /** Nobody waits for {@link connect} any more; the modem goes on by itself. */
  abandon(): void {
    this.#whenReady = undefined;
  }

  /** The exchange is over: evaluate the connection, then sleep. */
  release(): void {
    if (this.#state !== 'ready') return;
    this.#evaluations++;
    this.counters.lastConnected = this.#env.clock.now - this.#connectedAt;
    this.counters.connected += this.counters.lastConnected;
    this.#state = 'sleep';
  }

  /** `lte reconnect`: registers again from scratch. */
  reconnect(): void {
    if (this.#state === 'disabled') return;
    this.#alarm?.cancel();
    this.#registered = false;
    this.#startOver();
    this.#boot();
  }

  /** Puts the device into, or takes it out of, a place without network. */
  setCoverage(on: boolean): void {
    if (this.#coverage === on) return;
    this.#coverage = on;
    if (this.#state === 'attach') this.#tryAttach();
    else if (this.#state === 'wakeup') this.#wake();
  }

  /** Result of the last connection evaluation; undefined before the first (firmware behaviour, 4.1). */
  evaluation(): LteEvaluation | undefined {
    if (this.#evaluations === 0) return undefined;
    const cell = (index: number) => noise(this.#env.cellSeed, index);
    const now = (index: number) => noise(this.#env.cellSeed, this.#evaluations * 8 + index);
    const rsrp = -115 + Math.floor(cell(1) * 35) + Math.floor(now(1) * 5);
    return {
      eest: rsrp > -95 ? 8 : rsrp > -108 ? 7 : 6,
      ecl: rsrp > -112 ? 0 : 1,
      rsrp,
      rsrq: -14 + Math.floor(cell(2) * 8) + Math.floor(now(2) * 3),
      snr: Math.floor(cell(3) * 15) + Math.floor(now(3) * 4),
      plmn: 23003,
      cid: 900_000 + Math.floor(cell(4) * 90_000),
      band: 20,
      earfcn: 6447,
    };
  }

  #boot(): void {
    this.#enter('boot', integerBetween(this.#env.random, ...BOOT), () => this.#attach());
  }

  #attach(): void {
    this.#phaseStart = this.#env.clock.now;
    this.#tries ??= attachAttempts(this.#env.attachPolicy())[Symbol.iterator]();
    this.#trying = this.#tries.next().value;
    this.#phaseEnd = this.#phaseStart + (this.#trying?.timeout ?? 0);
    this.#state = 'attach';
    this.#tryAttach();
  }

  /** (Re)plans the end of the present attempt: success when there is coverage long enough, otherwise its time-out. */
  #tryAttach(): void {
    const { clock, random } = this.#env;
    const left = this.#phaseEnd - clock.now;
    const takes = this.#coverage ? integerBetween(random, ...ATTACH) : Number.POSITIVE_INFINITY;
    if (takes < left) this.#enter('attach', takes, () => this.#attached());
    else this.#enter('attach', left, () => this.#attachFailed());
  }

  #attached(): void {
    const { counters } = this;
    counters.attached++;
    counters.lastAt = this.#env.clock.now;
    counters.lastDuration = this.#env.clock.now - this.#phaseStart;
    counters.duration += counters.lastDuration;
    this.#registered = true;
    this.#startOver();
    this.#ready();
  }

  #attachFailed(): void {
    const pause = this.#trying?.pause ?? 0;
    this.counters.failed++;
    this.#attempt++;
    this.#phaseStart = this.#env.clock.now;
    this.#phaseEnd = this.#phaseStart + pause;
    if (pause === 0) this.#attach();
    else this.#enter('retry_delay', pause, () => this.#boot());
  }

  #wake(): void {
    if (this.#coverage) this.#enter('wakeup', integerBetween(this.#env.random, ...WAKE), () => this.#ready());
    else this.#enter('wakeup', CONNECTION_LIMIT, () => this.#lose());
  }

  /** No connection although registered: the modem check finds the registration gone (firmware behaviour, 4.3). */
  #lose(): void {
    this.#registered = false;
    this.#enter('error', ERROR_PAUSE, () => this.#attach());
  }

  #ready(): void {
    this.#state = 'ready';
    this.#alarm = undefined;
    this.#connectedAt = this.#env.clock.now;
    const ready = this.#whenReady;
    this.#whenReady = undefined;
    if (ready) ready();
    else this.release();
  }

  /** The next attempt to attach is the first of its policy. */
  #startOver(): void {
    this.#attempt = 0;
    this.#trying = undefined;
    this.#tries = undefined;
  }

  #enter(state: LteFsmState, duration: Millis, then: () => void): void {
    this.#alarm?.cancel();
    this.#state = state;
    this.#alarm = this.#env.clock.after(duration, `modem ${state}`, then);
  }
}

function zeroCounters(): ModemCounters {
  return {
    attached: 0,
    failed: 0,
    duration: 0,
    lastDuration: 0,
    lastAt: undefined,
    connected: 0,
    lastConnected: 0,
  };
}
