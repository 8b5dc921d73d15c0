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
import { type Draws, integerBetween } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { LteFsmState } from '../shell/host.js';
import { Attaching } from './attach-policy.js';
import { ModemCounters } from './counters.js';
import type { LastingFault, PassingFault } from './faults.js';
import { Reception } from './reception.js';
import {
  ANSWER_LIMIT,
  BOOT,
  CONNECTION_LIMIT,
  ERROR_PAUSE,
  EVALUATION,
  IDLE,
  OPEN_SOCKET,
  PREPARE,
  RESET_LOOP,
  WAKE,
  WAKE_ONLY,
} from './timing.js';

/** What the modem is mounted on. */
export interface ModemBoard {
  readonly clock: Clock;
  /** Value of `lte config attach-policy`. */
  attachPolicy(): string;
  /** The radio was on for a while. */
  spent(use: 'attach' | 'connected', duration: Millis): void;
  /** A datagram was lost to a weak signal. */
  faded(way: 'up' | 'down'): void;
  /** The socket is another one from now on, with a port of its own. */
  socketOpened(): void;
  /** Whether the supply carries the transmitter. False: it has broken down, and this modem is off already. */
  feedRadio(): boolean;
}

export class Modem extends Reception {
  readonly #board: ModemBoard;
  #state: LteFsmState = 'disabled';
  #registered = false;
  /** Until a network is found. */
  #attaching: Attaching | undefined;
  #phaseStart: Instant = 0;
  #phaseEnd: Instant = 0;
  /** When the radio was connected last; while attaching, when it will be. */
  #connectedAt: Instant = 0;
  /** It also finds out where it is; only some modems can (firmware shell, 5.7). Between exchanges that takes the place of sleep. */
  positioning = false;
  #alarm: Alarm | undefined;
  #whenReady: (() => void) | undefined;
  #counters = new ModemCounters();

  /** @param cellSeed decides about the cell that the device finds; see noise() */
  constructor(board: ModemBoard, random: Draws, cellSeed: number) {
    super(random, cellSeed);
    this.#board = board;
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
        if (now >= this.#phaseEnd) return this.positioning ? 'gnss' : 'sleep';
        return this.savesPower || now < this.#phaseEnd - IDLE ? 'coneval' : 'ready';
      default:
        return this.#state;
    }
  }

  get registered(): boolean {
    return this.#registered && !this.#inFlightMode;
  }

  get counters(): Readonly<ModemCounters> {
    return this.#counters;
  }

  /** Number of the present attempt to attach, or of the one that this is the pause after, from 1; 0 when there is none. */
  get attempt(): number {
    return this.#attaching?.number ?? 0;
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
    return this.#state === 'ready' && this.covered && !this.anomalies?.lost;
  }

  /** Starts the modem from cold, as a boot does. */
  start(): void {
    this.stop();
    if (this.anomalies?.loops) this.#rest();
    else this.#boot();
  }

  /** Power off: no alarm stays behind, and nothing that was in RAM. */
  stop(): void {
    this.#attaching = undefined;
    this.positioning = false;
    this.#counters = new ModemCounters();
    this.forget();
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
    if (!this.fades()) return true;
    this.#board.faded(way);
    return false;
  }

  /** The exchange is over: evaluate the connection, then sleep. */
  release(): void {
    if (this.#state !== 'ready') return;
    const { now } = this.#board.clock;
    this.evaluate();
    const connected = now - this.#connectedAt;
    this.#counters.connectedFor(connected);
    this.#board.spent('connected', connected + EVALUATION);
    this.#state = 'sleep';
    this.#phaseEnd = now + EVALUATION + (this.savesPower ? 0 : IDLE);
  }

  /** `lte reconnect`: registers again from scratch. */
  reconnect(): void {
    if (this.#state === 'disabled') return;
    this.#attaching = undefined;
    this.#boot();
  }

  /** Lets something go wrong with the modem once. */
  suffer(fault: PassingFault): void {
    if (this.#state === 'disabled') return;
    switch (fault) {
      case 'error':
        return this.#fail();
      case 'reset-loop':
        return this.#rest();
      case 'lost-registration':
      case 'lost-socket':
        if (this.#registered) this.known.lost = fault === 'lost-socket' ? 'socket' : 'registration';
        return;
      default:
        fault satisfies never;
    }
  }

  /** Breaks the modem, or mends it (undefined). The firmware finds out when it next has to do with it. */
  setFault(fault: LastingFault | undefined): void {
    if (fault === undefined && this.anomalies?.fault === undefined) return;
    this.known.fault = fault;
    if (fault === undefined || !this.#registered) return;
    this.known.lost = fault === 'no-socket' ? 'socket' : 'modem';
  }

  get #inFlightMode(): boolean {
    return this.#state === 'sleep' && !this.savesPower && this.#board.clock.now >= this.#phaseEnd;
  }

  #boot(): void {
    this.#off();
    const { fault } = this.anomalies ?? {};
    this.#phaseEnd = Number.POSITIVE_INFINITY;
    if (fault === 'mute') return this.#enter('boot', ANSWER_LIMIT, () => this.#fail());
    const takes = integerBetween(this.random, ...BOOT);
    // The SIM card is looked for when the modem has said "Ready".
    if (fault === 'no-sim') return this.#enter('boot', takes + ANSWER_LIMIT, () => this.#fail());
    this.#phaseEnd = this.#board.clock.now + takes;
    this.#enter('boot', takes, () => this.#attach());
  }

  #attach(): void {
    this.#registered = false;
    this.#phaseStart = this.#board.clock.now;
    this.#attaching ??= new Attaching(this.#board.attachPolicy());
    this.#counters.attaching(this.#phaseStart);
    this.#phaseEnd = this.#phaseStart + this.#attaching.current.timeout;
    this.#state = 'attach';
    this.#tryAttach(this.#attaching);
  }

  /** (Re)plans the end of the present attempt: success when there is coverage long enough, otherwise its time-out. */
  #tryAttach(attaching: Attaching): void {
    const { clock } = this.#board;
    const left = this.#phaseEnd - clock.now;
    const takes = this.attachTime();
    this.#connectedAt = takes < left ? clock.now + takes : Number.POSITIVE_INFINITY;
    if (takes < left) this.#enter('attach', takes, () => this.#attached());
    else this.#enter('attach', left, () => this.#attachFailed(attaching));
  }

  #attached(): void {
    this.#attemptEnded(true);
    this.#registered = true;
    this.#attaching = undefined;
    this.anomalies?.registered();
    this.#openSocket();
  }

  #attemptEnded(found: boolean): void {
    const took = this.#board.clock.now - this.#phaseStart;
    this.#counters.attachEnded(took, found);
    this.#board.spent('attach', took);
  }

  #attachFailed(attaching: Attaching): void {
    const { pause } = attaching.current;
    this.#attemptEnded(false);
    if (pause === 0) {
      attaching.advance();
      return this.#attach();
    }
    this.#phaseStart = this.#board.clock.now;
    this.#phaseEnd = this.#phaseStart + pause;
    this.#enter('retry_delay', pause, () => {
      attaching.advance();
      this.#boot();
    });
  }

  #fromSleep(): void {
    if (this.#inFlightMode) return this.#attach();
    // The exchange before has just ended, and the socket is still open.
    if (!this.savesPower && !this.anomalies?.lost && this.covered) return this.#ready();
    this.#wake();
  }

  #wake(): void {
    this.#phaseStart = this.#board.clock.now;
    const { lost, fault } = this.anomalies ?? {};
    if (lost === 'modem' && fault === 'mute') return this.#enter('wakeup', ANSWER_LIMIT, () => this.#fail());
    if (!this.covered) return this.#enter('wakeup', CONNECTION_LIMIT, () => this.#lose());
    if (this.fades()) {
      // No radio connection came about; the network still knows the device, so it is tried again at once.
      return this.#enter('wakeup', CONNECTION_LIMIT, () => this.#wake());
    }
    const takes = integerBetween(this.random, ...WAKE);
    this.#enter('wakeup', takes, () => {
      this.#board.spent('connected', takes);
      if (lost) this.#check();
      else this.#ready();
    });
  }

  /** The check before each sending has found something (wire protocol, 5.2 step 4). */
  #check(): void {
    const lost = this.anomalies?.lost;
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
    const { anomalies } = this;
    const wasLost = anomalies?.lost === 'socket';
    const refused = anomalies?.fault === 'no-socket';
    if (!wasLost && !refused) {
      anomalies?.socketOpened();
      this.#board.socketOpened();
      return this.#ready();
    }
    if (anomalies.socketFailed()) return this.#fail();
    this.#enter('error', ERROR_PAUSE, () => this.#enter('open_socket', OPEN_SOCKET, () => this.#openSocket()));
  }

  /** Switches the modem off for longer each time, then begins with a boot (firmware behaviour, 4.3). */
  #fail(): void {
    // It ends a pause of the attach policy, while an attempt that it interrupts begins again.
    if (this.#state === 'retry_delay') this.#attaching?.advance();
    this.#off();
    this.#enter('error', this.known.failed(), () => this.#boot());
  }

  /** The modem has counted too many resets, and wants to be left alone (firmware behaviour, 4.1). */
  #rest(): void {
    this.#off();
    this.#attaching = undefined;
    this.anomalies?.rested();
    this.#enter('reset_loop', RESET_LOOP, () => this.#boot());
  }

  #off(): void {
    if (this.#state === 'attach') this.#board.spent('attach', this.#board.clock.now - this.#phaseStart);
    this.#registered = false;
    if (this.anomalies) this.anomalies.lost = undefined;
  }

  #ready(): void {
    this.#state = 'ready';
    this.#alarm = undefined;
    this.#connectedAt = this.#board.clock.now;
    if (!this.#board.feedRadio()) return this.known.reset(this.#board.clock.now);
    const ready = this.#whenReady;
    this.#whenReady = undefined;
    if (ready) ready();
    else this.release();
  }

  protected moved(): void {
    if (this.#state === 'attach' && this.#attaching) this.#tryAttach(this.#attaching);
    else if (this.#state === 'wakeup') this.#wake();
  }

  #enter(state: LteFsmState, duration: Millis, then: () => void): void {
    this.#alarm?.cancel();
    this.#state = state;
    this.#alarm = this.#board.clock.after(duration, `modem ${state}`, then);
  }
}
