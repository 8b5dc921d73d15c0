/**
 * The LTE modem as the firmware sees it: boot, attach, sleep between exchanges, wake on the next one (firmware behaviour, 4).
 *
 *     boot ─► prepare ─► attach ─► open_socket ─► ready ─► (send ─► receive)* ─► coneval ─► sleep ─► wakeup ─► ready
 *       ▲                  │ policy                  │ lost socket, registration, modem
 *       └── retry_delay ◄──┘      reset_loop, error ◄┘
 *
 * It decides *when* a datagram can leave and which ones come to nothing. What a network is like at the device's place
 * (coverage, signal, power saving) and what is wrong with the modem is set from outside; all of that is rare, and a device
 * that nobody touched carries none of it. Phases that pass by within a second are told from the clock when somebody asks;
 * `receive`, and the pause after it, is the link's to tell.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import { chance, type Draws, integerBetween } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { LteEvaluation, LteFsmState } from '../shell/host.js';
import { type AttachAttempt, attachAttempts } from './attach-policy.js';
import { type ModemCounters, zeroCounters } from './counters.js';
import { nothingRare, type Rare } from './rare.js';
import { attachFactor, evaluate, hasService, lossRatio, type Signal } from './signal.js';
import {
  ANSWER_LIMIT,
  ATTACH,
  BOOT,
  CONNECTION_LIMIT,
  ERROR_CEILING,
  ERROR_PAUSE,
  ERROR_STEP,
  EVALUATION,
  IDLE,
  LOOP_RESETS,
  LOOP_TIME,
  OPEN_SOCKET,
  PREPARE,
  RESET_LOOP,
  SOCKET_FAILURES,
  WAKE,
  WAKE_ONLY,
} from './timing.js';
import type { Defect, Mishap } from './trouble.js';

/** What the modem is mounted on. */
export interface ModemBoard {
  readonly clock: Clock;
  /** Value of `lte config attach-policy`. */
  attachPolicy(): string;
  /** The radio was on for a while. */
  spent(use: 'attach' | 'connected', duration: Millis): void;
  /** A datagram was lost to a weak signal. */
  faded(way: 'up' | 'down'): void;
  /** Whether the supply carries the transmitter. False: it has broken down, and this modem is off already. */
  feedRadio(): boolean;
}

export class Modem {
  readonly #board: ModemBoard;
  readonly #random: Draws;
  readonly #cellSeed: number;
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
  /** When the radio was connected last; while attaching, when it will be. */
  #connectedAt: Instant = 0;
  #alarm: Alarm | undefined;
  #whenReady: (() => void) | undefined;
  #rare: Rare | undefined;

  /** @param cellSeed decides about the cell that the device finds; see noise() */
  constructor(board: ModemBoard, random: Draws, cellSeed: number) {
    this.#board = board;
    this.#random = random;
    this.#cellSeed = cellSeed;
  }

  /** What `lte state` shows. */
  get state(): LteFsmState {
    const { now } = this.#board.clock;
    switch (this.#state) {
      case 'boot':
        return now < this.#phaseEnd - PREPARE ? 'boot' : 'prepare';
      case 'attach':
        return now < this.#connectedAt - OPEN_SOCKET ? 'attach' : 'open_socket';
      case 'wakeup':
        return now < this.#phaseStart + WAKE_ONLY ? 'wakeup' : 'send';
      case 'sleep':
        if (now >= this.#phaseEnd) return 'sleep';
        return this.#savesPower || now < this.#phaseEnd - IDLE ? 'coneval' : 'ready';
      default:
        return this.#state;
    }
  }

  get registered(): boolean {
    return this.#registered && !this.#inFlightMode;
  }

  /** Is the device in a place with network? */
  get covered(): boolean {
    const signal = this.#rare?.signal;
    return this.#coverage && (signal === undefined || hasService(signal));
  }

  get attempt(): number {
    return this.#attempt;
  }

  /** Length of the present attach attempt or pause, and what is left of it. */
  get wait(): { readonly timeout: Millis; readonly remaining: Millis } | undefined {
    if (this.#state !== 'attach' && this.#state !== 'retry_delay') return undefined;
    return {
      timeout: this.#phaseEnd - this.#phaseStart,
      remaining: Math.max(0, this.#phaseEnd - this.#board.clock.now),
    };
  }

  /** Is a datagram able to leave at once? */
  get connected(): boolean {
    return this.#state === 'ready' && this.covered && !this.#rare?.lost;
  }

  /** Starts the modem from cold, as a boot does. */
  start(): void {
    this.stop();
    if (this.#rare && this.#rare.resets >= LOOP_RESETS) this.#rest();
    else this.#boot();
  }

  /** Power off: no alarm stays behind, and nothing that was in RAM. */
  stop(): void {
    this.#startOver();
    Object.assign(this.counters, zeroCounters());
    this.#evaluations = 0;
    if (this.#rare) Object.assign(this.#rare, { errors: 0, socketFailures: 0, lost: undefined });
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
    if (this.#state === 'sleep') this.#fromSleep();
    else if (this.#state === 'ready') this.#check();
  }

  /** Nobody waits for {@link connect} any more; the modem goes on by itself. */
  abandon(): void {
    this.#whenReady = undefined;
  }

  /** Whether a datagram gets over the air. */
  carries(way: 'up' | 'down'): boolean {
    if (!this.covered || !this.registered) return false;
    const signal = this.#rare?.signal;
    if (signal === undefined || !chance(this.#random, lossRatio(signal))) return true;
    this.#board.faded(way);
    return false;
  }

  /** The exchange is over: evaluate the connection, then sleep. */
  release(): void {
    if (this.#state !== 'ready') return;
    const { now } = this.#board.clock;
    // Without network the evaluation fails, and the last one stays.
    if (this.covered) this.#evaluate();
    this.counters.lastConnected = now - this.#connectedAt;
    this.counters.connected += this.counters.lastConnected;
    this.#board.spent('connected', this.counters.lastConnected + EVALUATION);
    this.#state = 'sleep';
    this.#phaseEnd = now + EVALUATION + (this.#savesPower ? 0 : IDLE);
  }

  /** `lte reconnect`: registers again from scratch. */
  reconnect(): void {
    if (this.#state === 'disabled') return;
    this.#startOver();
    this.#boot();
  }

  /** Puts the device into, or takes it out of, a place without network. */
  setCoverage(on: boolean): void {
    if (this.#coverage === on) return;
    this.#coverage = on;
    this.#moved();
  }

  /** What the antenna hears from now on; undefined: the device's own cell, which is good. */
  setSignal(signal: Signal | undefined): void {
    if (signal === undefined && this.#rare?.signal === undefined) return;
    this.#known.signal = signal;
    this.#moved();
  }

  /** Whether the network grants power saving mode; asked at every attach. */
  setPowerSaving(granted: boolean): void {
    if (granted && this.#rare === undefined) return;
    this.#known.grants = granted;
  }

  /** Lets something go wrong with the modem once. */
  suffer(mishap: Mishap): void {
    if (this.#state === 'disabled') return;
    switch (mishap) {
      case 'error':
        return this.#fail();
      case 'reset-loop':
        return this.#rest();
      case 'lost-registration':
      case 'lost-socket':
        if (this.#registered) this.#known.lost = mishap === 'lost-socket' ? 'socket' : 'registration';
        return;
      default:
        mishap satisfies never;
    }
  }

  /** Breaks the modem, or mends it (undefined). The firmware finds out when it next has to do with it. */
  setDefect(defect: Defect | undefined): void {
    if (defect === undefined && this.#rare?.defect === undefined) return;
    this.#known.defect = defect;
    if (defect === undefined || !this.#registered) return;
    this.#known.lost = defect === 'no-socket' ? 'socket' : 'modem';
  }

  /** Result of the last connection evaluation; undefined before the first (firmware behaviour, 4.1). */
  evaluation(): LteEvaluation | undefined {
    if (this.#evaluations === 0) return undefined;
    return evaluate(this.#cellSeed, this.#evaluations, this.#rare?.evaluated);
  }

  get #known(): Rare {
    this.#rare ??= nothingRare();
    return this.#rare;
  }

  get #savesPower(): boolean {
    return this.#rare?.granted ?? true;
  }

  get #inFlightMode(): boolean {
    return this.#state === 'sleep' && !this.#savesPower && this.#board.clock.now >= this.#phaseEnd;
  }

  #evaluate(): void {
    this.#evaluations++;
    if (this.#rare) this.#rare.evaluated = this.#rare.signal;
  }

  #boot(): void {
    this.#off();
    const { defect } = this.#rare ?? {};
    this.#phaseEnd = Number.POSITIVE_INFINITY;
    if (defect === 'mute') return this.#enter('boot', ANSWER_LIMIT, () => this.#fail());
    const takes = integerBetween(this.#random, ...BOOT);
    // The SIM card is looked for when the modem has said "Ready".
    if (defect === 'no-sim') return this.#enter('boot', takes + ANSWER_LIMIT, () => this.#fail());
    this.#phaseEnd = this.#board.clock.now + takes;
    this.#enter('boot', takes, () => this.#attach());
  }

  #attach(): void {
    this.#registered = false;
    this.#phaseStart = this.#board.clock.now;
    this.#tries ??= attachAttempts(this.#board.attachPolicy())[Symbol.iterator]();
    this.#trying = this.#tries.next().value;
    this.#phaseEnd = this.#phaseStart + (this.#trying?.timeout ?? 0);
    this.#state = 'attach';
    this.#tryAttach();
  }

  /** (Re)plans the end of the present attempt: success when there is coverage long enough, otherwise its time-out. */
  #tryAttach(): void {
    const { clock } = this.#board;
    const left = this.#phaseEnd - clock.now;
    const signal = this.#rare?.signal;
    const factor = signal ? attachFactor(signal) : 1;
    const takes = this.covered
      ? Math.round(integerBetween(this.#random, ...ATTACH) * factor)
      : Number.POSITIVE_INFINITY;
    this.#connectedAt = takes < left ? clock.now + takes : Number.POSITIVE_INFINITY;
    if (takes < left) this.#enter('attach', takes, () => this.#attached());
    else this.#enter('attach', left, () => this.#attachFailed());
  }

  #attached(): void {
    const { counters } = this;
    counters.attached++;
    counters.lastAt = this.#board.clock.now;
    counters.lastDuration = this.#board.clock.now - this.#phaseStart;
    counters.duration += counters.lastDuration;
    this.#board.spent('attach', counters.lastDuration);
    this.#registered = true;
    this.#startOver();
    const rare = this.#rare;
    if (rare) {
      rare.granted = rare.grants;
      rare.lost = undefined;
    }
    this.#openSocket();
  }

  #attachFailed(): void {
    const pause = this.#trying?.pause ?? 0;
    this.counters.failed++;
    this.#board.spent('attach', this.#board.clock.now - this.#phaseStart);
    this.#attempt++;
    if (pause === 0) return this.#attach();
    this.#phaseStart = this.#board.clock.now;
    this.#phaseEnd = this.#phaseStart + pause;
    this.#enter('retry_delay', pause, () => this.#boot());
  }

  #fromSleep(): void {
    if (this.#inFlightMode) return this.#attach();
    // The exchange before has just ended, and the socket is still open.
    if (!this.#savesPower && !this.#rare?.lost && this.covered) return this.#ready();
    this.#wake();
  }

  #wake(): void {
    this.#phaseStart = this.#board.clock.now;
    const { signal, lost, defect } = this.#rare ?? {};
    if (lost === 'modem' && defect === 'mute') return this.#enter('wakeup', ANSWER_LIMIT, () => this.#fail());
    if (!this.covered) return this.#enter('wakeup', CONNECTION_LIMIT, () => this.#lose());
    if (signal && chance(this.#random, lossRatio(signal))) {
      // No radio connection came about; the network still knows the device, so it is tried again at once.
      return this.#enter('wakeup', CONNECTION_LIMIT, () => this.#wake());
    }
    const takes = integerBetween(this.#random, ...WAKE);
    this.#enter('wakeup', takes, () => {
      this.#board.spent('connected', takes);
      if (lost) this.#check();
      else this.#ready();
    });
  }

  /** The check before each sending has found something (wire protocol, 5.2 step 4). */
  #check(): void {
    const lost = this.#rare?.lost;
    if (lost === 'socket') this.#openSocket();
    else if (lost === 'modem') this.#fail();
    else this.#lose();
  }

  /** No connection although registered: the modem check finds the registration gone (firmware behaviour, 4.3). */
  #lose(): void {
    this.#registered = false;
    this.#enter('error', ERROR_PAUSE, () => this.#attach());
  }

  /** Opens the socket; when it was lost, after a pause and not for ever. */
  #openSocket(): void {
    const rare = this.#rare;
    if (rare === undefined) return this.#ready();
    const wasLost = rare.lost === 'socket';
    const refused = rare.defect === 'no-socket';
    if (!wasLost && !refused) {
      rare.errors = 0;
      rare.socketFailures = 0;
      return this.#ready();
    }
    rare.lost = undefined;
    if (++rare.socketFailures >= SOCKET_FAILURES) return this.#fail();
    this.#enter('error', ERROR_PAUSE, () => this.#enter('open_socket', OPEN_SOCKET, () => this.#openSocket()));
  }

  /** Switches the modem off for longer each time, then begins with a boot (firmware behaviour, 4.3). */
  #fail(): void {
    const rare = this.#known;
    this.#off();
    rare.errors++;
    rare.socketFailures = 0;
    this.#enter('error', Math.min(ERROR_CEILING, rare.errors * ERROR_STEP), () => this.#boot());
  }

  /** The modem has counted too many resets, and wants to be left alone (firmware behaviour, 4.1). */
  #rest(): void {
    this.#off();
    if (this.#rare) this.#rare.resets = 0;
    this.#enter('reset_loop', RESET_LOOP, () => this.#boot());
  }

  #countReset(): void {
    const rare = this.#known;
    const { now } = this.#board.clock;
    if (now - rare.resetsSince > LOOP_TIME) Object.assign(rare, { resets: 0, resetsSince: now });
    rare.resets++;
  }

  /** The attempts to attach go on where they were: a boot in between does not shorten the pauses of a policy. */
  #off(): void {
    this.#registered = false;
    if (this.#rare) this.#rare.lost = undefined;
  }

  #ready(): void {
    this.#state = 'ready';
    this.#alarm = undefined;
    this.#connectedAt = this.#board.clock.now;
    if (!this.#board.feedRadio()) return this.#countReset();
    const ready = this.#whenReady;
    this.#whenReady = undefined;
    if (ready) ready();
    else this.release();
  }

  /** The place has changed while the modem looks for a network. */
  #moved(): void {
    if (this.#state === 'attach') this.#tryAttach();
    else if (this.#state === 'wakeup') this.#wake();
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
    this.#alarm = this.#board.clock.after(duration, `modem ${state}`, then);
  }
}
