/**
 * The LTE modem with the state machine that the firmware runs it by (firmware timing, 6 and 7).
 *
 *     boot ─► prepare ─► attach ─► open_socket ─► coneval ─► ready ─► sleep ─► wakeup ─► ready
 *       ▲                 │  ▲                       ▲         │ send
 *       │   window over   │  │ deregistered          │         ▼
 *       ├── retry_delay ◄─┘  └───────────────────────┴── send ─► receive
 *       │                                            5 s │ no answer, bad check, error −14
 *       └── off for 10, 20, … 600 s ◄─────────────────── error ─► 5 s ─► ready
 *
 * The modem decides when a datagram is sent, repeats it until it is answered, and reports the end of its time limit. The network
 * at the device's place (coverage, signal, power saving) and faults of the modem are set from outside.
 *
 * After an exchange the modem sets no alarm. The internal state `sleep` contains the visible states `open_socket`, `coneval`,
 * `ready` and `sleep`, which follow from the clock. In the same way, `boot` contains `prepare`.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Draws, integerBetween } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { LteFsmState } from '../shell/host.js';
import { Attaching } from './attach-policy.js';
import { ModemCounters } from './counters.js';
import type { LastingFault, PassingFault } from './faults.js';
import { PendingSend, type SendOwner, type SendRequest } from './pending-send.js';
import { Reception } from './reception.js';
import {
  ANSWER_LIMIT,
  CONNECTION_LIMIT,
  ERROR_PAUSE,
  FLIGHT_MODE,
  IDLE,
  LISTEN,
  type ModemTimings,
  PREPARE,
  RESET_LOOP,
} from './timing.js';

/** The board around the modem. */
export interface ModemBoard {
  readonly clock: Clock;
  readonly modemTimings: ModemTimings;
  /** Value of `lte config attach-policy`. */
  attachPolicy(): string;
  /** The radio was on for a while. */
  spent(use: 'attach' | 'connected', duration: Millis): void;
  /** A datagram was lost to a weak signal. */
  faded(way: 'up' | 'down'): void;
  /** The modem has opened a new socket, which has another port. */
  socketOpened(): void;
  /** Whether the supply is strong enough for the transmitter. False: it was not, and the device has restarted. */
  feedRadio(): boolean;
}

export class Modem extends Reception implements SendOwner {
  readonly #board: ModemBoard;
  #state: LteFsmState = 'disabled';
  #registered = false;
  /** Undefined while registered. */
  #attaching: Attaching | undefined;
  /** Start and end of the present state; in `sleep`, of the evaluation of the connection. */
  #phaseStart: Instant = 0;
  #phaseEnd: Instant = 0;
  /** Start of the part of the radio connection that is not counted yet; undefined without a connection. */
  #connectedAt: Instant | undefined;
  /** Whether the modem shows `gnss` instead of `sleep`; only some modems have GNSS (firmware shell, 5.7). */
  positioning = false;
  #alarm: Alarm | undefined;
  #pending: PendingSend | undefined;
  #counters = new ModemCounters();

  /** @param cellSeed determines the cell that the device finds; see noise() */
  constructor(board: ModemBoard, random: Draws, cellSeed: number) {
    super(random, cellSeed);
    this.#board = board;
  }

  /** The state that `lte state` shows. */
  get state(): LteFsmState {
    const { now } = this.#board.clock;
    if (this.#state === 'boot') return now < this.#phaseEnd - PREPARE ? 'boot' : 'prepare';
    if (this.#state !== 'sleep') return this.#state;
    if (now < this.#phaseStart) return 'open_socket';
    if (now < this.#phaseEnd) return 'coneval';
    if (!this.#asleep) return 'ready';
    return this.positioning ? 'gnss' : 'sleep';
  }

  get registered(): boolean {
    return this.#registered && !this.#inFlightMode;
  }

  get counters(): Readonly<ModemCounters> {
    return this.#counters;
  }

  /** Number of the present attach attempt, or of the one before the present pause, from 1; 0 if there is none. */
  get attempt(): number {
    return this.#attaching?.number ?? 0;
  }

  /** Length of the present attach attempt or pause, and the time left of it; undefined in other states. */
  get wait(): { readonly timeout: Millis; readonly remaining: Millis } | undefined {
    if (this.#state !== 'attach' && this.#state !== 'retry_delay') return undefined;
    const timeout = this.#phaseEnd - this.#phaseStart;
    return { timeout, remaining: Math.min(timeout, Math.max(0, this.#phaseEnd - this.#board.clock.now)) };
  }

  /** Starts the modem when the device boots. */
  start(): void {
    this.stop();
    this.#boot();
  }

  /** Power off: clears all state in RAM, and all alarms. */
  stop(): void {
    this.#attaching = undefined;
    this.positioning = false;
    this.#counters = new ModemCounters();
    this.forgetState();
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#pending?.cancel();
    this.#pending = undefined;
    this.#registered = false;
    this.#connectedAt = undefined;
    this.#state = 'disabled';
  }

  /**
   * Sends a datagram as soon as the state allows, and repeats it until it is answered (firmware timing, 6 and 7.5). Only one
   * datagram at a time. @param budget time limit of this datagram; Infinity for no limit
   */
  send(request: SendRequest, budget: Millis): void {
    if (this.#pending) throw new Error('the modem sends one datagram at a time');
    this.#pending = new PendingSend(request, budget, this.#board.clock, this);
    // In every other state the send waits for `ready` or `sleep`.
    if (this.#state !== 'sleep') return;
    if (this.#asleep) return this.#wake();
    this.#enter('sleep', Math.max(0, this.#phaseEnd - this.#board.clock.now), () => this.#ready());
  }

  /** Whether the modem listens for the answer to its datagram. */
  get listening(): boolean {
    return this.#state === 'receive';
  }

  /** The answer has arrived. */
  answered(): void {
    this.#pending?.succeeded();
    this.#settle(0);
  }

  forget(send: PendingSend): void {
    if (this.#pending === send) this.#pending = undefined;
  }

  /** The error −14 (firmware timing, 7.4). */
  stuck(): void {
    const { now } = this.#board.clock;
    switch (this.#state) {
      case 'disabled':
      case 'error':
        return;
      case 'sleep':
        if (!this.#asleep) this.#error();
        return;
      case 'retry_delay': {
        // Events wait while the firmware pauses in flight mode.
        const left = this.#phaseStart - now;
        this.#attaching?.advance();
        if (left > 0) return this.#enter('retry_delay', left, () => this.#fail());
        return this.#fail();
      }
      case 'reset_loop': {
        // The modem is woken, its check fails; the timer of the 32 min still runs and takes the place of the back-off.
        const end = this.#phaseEnd;
        return this.#enter('reset_loop', FLIGHT_MODE, () => {
          this.known.failed();
          this.#enter('error', Math.max(0, end - this.#board.clock.now), () => this.#boot());
        });
      }
      case 'send':
      case 'receive':
        return this.#error();
      default:
        // boot, prepare, attach, open_socket, wakeup
        return this.#fail();
    }
  }

  /** Whether the air carries a datagram; false if the modem has no network, or the weak signal loses the datagram. */
  carries(way: 'up' | 'down'): boolean {
    if (!this.covered || !this.registered) return false;
    if (!this.fades()) return true;
    this.#board.faded(way);
    return false;
  }

  /** `lte reconnect`: boots and registers again. A pending datagram is kept. */
  reconnect(): void {
    if (this.#state === 'disabled') return;
    this.#attaching = undefined;
    this.anomalies?.forget();
    this.#boot();
  }

  /** Causes a fault from which the firmware recovers by itself. */
  suffer(fault: PassingFault): void {
    switch (fault) {
      case 'error':
        // The firmware ignores an error during the back-off of another one, and ends a pause of the attach policy.
        if (this.#state === 'disabled' || this.#state === 'error') return;
        if (this.#state === 'retry_delay') this.#attaching?.advance();
        return this.#fail();
      case 'reset-loop':
        if (this.#state !== 'disabled') this.#rest();
        return;
      case 'lost-registration':
      case 'lost-socket':
        if (!this.#registered) return;
        this.known.lost = fault === 'lost-socket' ? 'socket' : 'registration';
        if (fault === 'lost-registration') this.#deregistered();
        return;
      default:
        fault satisfies never;
    }
  }

  /** Causes a lasting fault of the modem, or repairs it (undefined). The firmware notices at the next check. */
  setFault(fault: LastingFault | undefined): void {
    if (fault === undefined && this.anomalies?.fault === undefined) return;
    this.known.fault = fault;
    if (fault === undefined || !this.#registered) return;
    this.known.lost = fault === 'no-socket' ? 'socket' : 'modem';
  }

  get #asleep(): boolean {
    return this.#board.clock.now >= this.#phaseEnd + (this.savesPower ? 0 : IDLE);
  }

  get #inFlightMode(): boolean {
    return this.#state === 'sleep' && !this.savesPower && this.#asleep;
  }

  /** The problem that the check of the firmware finds (wire protocol, 5.2 step 1); undefined if it finds none. */
  get #found(): 'socket' | 'registration' | 'modem' | undefined {
    return this.covered && this.#registered ? this.anomalies?.lost : 'registration';
  }

  #boot(): void {
    this.#off();
    const { fault } = this.anomalies ?? {};
    const { now } = this.#board.clock;
    this.#phaseEnd = Number.POSITIVE_INFINITY;
    if (fault === 'mute') return this.#enter('boot', ANSWER_LIMIT, () => this.#fail());
    const takes = integerBetween(this.random, ...this.#board.modemTimings.boot);
    // The modem looks for its SIM card at the end of the preparation.
    if (fault === 'no-sim') return this.#enter('boot', takes + ANSWER_LIMIT, () => this.#fail());
    this.#phaseEnd = now + takes;
    this.#enter('boot', takes, () => (this.anomalies?.loops ? this.#rest() : this.#attach()));
  }

  #attach(): void {
    this.#registered = false;
    this.#connectedAt = undefined;
    this.#phaseStart = this.#board.clock.now;
    this.#attaching ??= new Attaching(this.#board.attachPolicy());
    this.#counters.attaching(this.#phaseStart);
    this.#phaseEnd = this.#phaseStart + this.#attaching.current.timeout;
    this.#state = 'attach';
    this.#tryAttach();
  }

  /** Plans the end of the present window: the registration if the window is long enough for it, otherwise the timeout. */
  #tryAttach(): void {
    const left = this.#phaseEnd - this.#board.clock.now;
    const takes = this.attachTime(this.#board.modemTimings.attach);
    if (takes < left) this.#enter('attach', takes, () => this.#attached());
    else this.#enter('attach', left, () => this.#attachFailed());
  }

  #attached(): void {
    this.#attemptEnded(true);
    if (!this.#board.feedRadio()) return this.known.reset(this.#board.clock.now);
    this.#registered = true;
    this.#connectedAt = this.#board.clock.now;
    this.#attaching = undefined;
    this.anomalies?.registered();
    this.#openSocket();
  }

  #attemptEnded(found: boolean): void {
    const took = this.#board.clock.now - this.#phaseStart;
    this.#counters.attachEnded(took, found);
    this.#board.spent('attach', took);
  }

  #attachFailed(): void {
    const pause = this.#attaching?.current.pause ?? 0;
    this.#attemptEnded(false);
    this.#phaseStart = this.#board.clock.now + FLIGHT_MODE;
    this.#phaseEnd = this.#phaseStart + pause;
    this.#enter('retry_delay', FLIGHT_MODE + pause, () => {
      this.#attaching?.advance();
      this.#boot();
    });
  }

  #wake(): void {
    const { wake } = this.#board.modemTimings;
    this.#connectedAt = undefined;
    if (this.#inFlightMode) return this.#enter('wakeup', wake, () => this.#attach());
    const silent = this.anomalies?.lost === 'modem' && this.anomalies.fault === 'mute';
    if (silent) this.#enter('wakeup', ANSWER_LIMIT, () => this.#error());
    else this.#enter('wakeup', wake, () => this.#ready());
  }

  /** State `ready`: checks the modem and sends, or goes to sleep. */
  #ready(): void {
    if (this.#pending === undefined) return this.#idle();
    if (this.#found) return this.#error();
    this.#sendPending(this.#pending);
  }

  #idle(): void {
    this.#state = 'sleep';
    this.#alarm = undefined;
    this.#phaseStart = this.#board.clock.now;
    this.#phaseEnd = this.#phaseStart;
  }

  #sendPending(pending: PendingSend): void {
    pending.attempt();
    if (this.#connectedAt !== undefined) return this.#transmit(pending);
    const begun = this.#board.clock.now;
    if (this.fades()) {
      return this.#enter('send', CONNECTION_LIMIT, () => {
        pending.failed('no radio connection');
        if (this.#state === 'send') this.#ready();
      });
    }
    this.#enter('send', integerBetween(this.random, ...this.#board.modemTimings.connect), () => {
      this.#connectedAt = begun;
      this.#transmit(pending);
    });
  }

  #transmit(pending: PendingSend): void {
    if (!this.#board.feedRadio()) return this.known.reset(this.#board.clock.now);
    const { request } = pending;
    request.transmit();
    if (request.listens) {
      this.#enter('receive', LISTEN, () => this.#unanswered(pending));
      return request.listening();
    }
    pending.succeeded();
    this.#settle(0);
    request.ended(undefined);
  }

  #unanswered(pending: PendingSend): void {
    this.#disconnected(this.#board.clock.now);
    pending.failed(this.#found === 'registration' ? 'deregistered' : 'no answer in time');
    // The end of the send may have restarted the device.
    if (this.#state === 'receive') this.#error();
  }

  /** Evaluates the connection. Until the next send, the following states depend only on the clock. */
  #settle(before: Millis): void {
    const { clock, modemTimings } = this.#board;
    this.evaluate();
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#state = 'sleep';
    this.#phaseStart = clock.now + before;
    this.#phaseEnd = this.#phaseStart + modemTimings.evaluation;
    this.#disconnected(this.#phaseEnd);
    // The next datagram may still use the connection.
    this.#connectedAt = this.#phaseEnd;
    if (this.#pending) this.#enter('sleep', this.#phaseEnd - clock.now, () => this.#ready());
  }

  /** Counts the radio connection up to `end`. */
  #disconnected(end: Instant): void {
    if (this.#connectedAt === undefined) return;
    const connected = end - this.#connectedAt;
    this.#connectedAt = undefined;
    this.#counters.connectedFor(connected);
    this.#board.spent('connected', connected);
  }

  /** State `error` (firmware timing, 7.3). */
  #error(): void {
    const found = this.#found;
    if (found === undefined) {
      this.anomalies?.checked();
      return this.#enter('error', ERROR_PAUSE, () => this.#ready());
    }
    if (found !== 'socket' || this.known.socketFailed()) return this.#fail();
    this.#enter('error', ERROR_PAUSE, () => this.#openSocket());
  }

  #openSocket(): void {
    const { anomalies } = this;
    const { openSocket } = this.#board.modemTimings;
    if (anomalies?.fault === 'no-socket') {
      anomalies.lost = 'socket';
      return this.#enter('open_socket', openSocket, () => this.#error());
    }
    anomalies?.socketOpened();
    this.#board.socketOpened();
    this.#settle(openSocket);
  }

  /** Switches the modem off, for longer each time, then boots it. An interrupted attach window starts again. */
  #fail(): void {
    this.#off();
    this.#enter('error', this.known.failed(), () => this.#boot());
  }

  /** The modem has counted too many resets. After the pause it attaches without a boot (firmware timing, 7.1). */
  #rest(): void {
    this.#off();
    this.#attaching = undefined;
    this.anomalies?.rested();
    this.#phaseEnd = this.#board.clock.now + FLIGHT_MODE + RESET_LOOP;
    this.#enter('reset_loop', FLIGHT_MODE + RESET_LOOP + FLIGHT_MODE, () => this.#attach());
  }

  #off(): void {
    const { now } = this.#board.clock;
    if (this.#state === 'attach') this.#board.spent('attach', now - this.#phaseStart);
    // After an exchange, the connection is counted already.
    if (this.#state === 'sleep') this.#connectedAt = undefined;
    this.#disconnected(now);
    this.#registered = false;
    if (this.anomalies) this.anomalies.lost = undefined;
  }

  protected moved(): void {
    if (this.#state === 'attach') this.#tryAttach();
    else if (!this.covered) this.#deregistered();
  }

  /** The network deregisters the modem. A modem that is asleep does not notice (firmware timing, 7.3). */
  #deregistered(): void {
    if (this.#state === 'send') {
      this.#pending?.failed('deregistered');
      if (this.#state === 'send') this.#attach();
    } else if (this.#state === 'sleep' && !this.#asleep) {
      const { now } = this.#board.clock;
      if (now < this.#phaseStart || now >= this.#phaseEnd) return this.#attach();
      // The message of the network starts an attach, then the failed evaluation ends it with an error.
      this.#enter('coneval', this.#phaseEnd - now, () => this.#fail());
    }
  }

  #enter(state: LteFsmState, duration: Millis, then: () => void): void {
    this.#alarm?.cancel();
    this.#state = state;
    this.#alarm = this.#board.clock.after(duration, `modem ${state}`, then);
  }
}
