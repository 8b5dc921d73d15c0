/**
 * The LTE modem, and the state machine with which the firmware controls it (timing T-31 to T-57).
 *
 *     boot ─► prepare ─► attach ─► open_socket ─► coneval ─► ready ─► sleep ─► wakeup ─► ready
 *       ▲                 │  ▲                       ▲         │ send
 *       │   window over   │  │ deregistered          │         ▼
 *       ├── retry_delay ◄─┘  └───────────────────────┴── send ─► receive
 *       │                                            5 s │ no answer, bad check, error −14
 *       └── off for 10, 20, … 600 s ◄─────────────────── error ─► 5 s ─► ready
 *
 * The modem decides when a datagram is sent, and reports the end of its time limit. In CHESTER, it also repeats the datagram
 * until it is answered; in hio devices, the link does (link/resending-link.ts). The network at the device's place (coverage,
 * signal, power saving) and faults of the modem are set from outside.
 *
 * After an exchange the modem sets no alarm. The internal state `sleep` stands for the visible states `open_socket`, `coneval`,
 * `ready` and `sleep`, which are computed from the clock. In the same way, `boot` also stands for `prepare`.
 */
import { integerBetween } from '../../kernel/random.js';
import { type Millis, minutes } from '../../kernel/time.js';
import { Attaching } from './attach-policy.js';
import { ModemCounters } from './counters.js';
import type { LastingFault, PassingFault } from './faults.js';
import { PendingSend, type SendOwner, type SendRequest } from './pending-send.js';
import { type LteFsmState, ModemState } from './state.js';
import { ANSWER_LIMIT, ERROR_PAUSE, FLIGHT_MODE, IDLE, LISTEN, RESET_LOOP } from './timing.js';

/** Longer than a boot takes. */
const LONG_AFTER: Millis = minutes(1);

export class Modem extends ModemState implements SendOwner {
  #pending: PendingSend | undefined;

  /** Starts the modem, which is off, when the device boots. A datagram that waits already is sent as soon as possible. */
  start(): void {
    this.boot();
  }

  /** Power off: clears all state in RAM, and all alarms. */
  stop(): void {
    this.attaching = undefined;
    this.positioning = false;
    this.counted = new ModemCounters();
    this.forgetState();
    this.noAlarm();
    this.#pending?.cancel();
    this.#pending = undefined;
    this.isRegistered = false;
    this.connectedAt = undefined;
    this.unaware = false;
    this.present = 'disabled';
    this.board.switchedOff();
  }

  /**
   * Sends a datagram as soon as the state allows (timing T-33, T-57). The modem carries one datagram at a time.
   * @param budget time limit of this datagram; Infinity for no limit
   * @param follows whether the datagram follows an answer within an exchange, so that the modem still receives
   */
  send(request: SendRequest, budget: Millis, follows = false): void {
    if (this.#pending) throw new Error('the modem sends one datagram at a time');
    this.#pending = new PendingSend(request, budget, this.board.clock, this, this.board.policy, follows);
    // In every state other than `ready` and `sleep`, the datagram waits until the modem can send it.
    if (this.present === 'ready') return this.ready();
    if (this.present !== 'sleep') return;
    if (this.asleep) return this.wake();
    this.enter('sleep', Math.max(0, this.phaseEnd - this.board.clock.now), () => this.ready());
  }

  /** Whether the modem listens for the answer to its datagram. */
  get listening(): boolean {
    return this.present === 'receive';
  }

  /** The answer has arrived. */
  answered(): void {
    this.#pending?.succeeded();
    this.settle(0, this.rules.afterAnswer);
  }

  /** The answer is too long for the buffer: reading it fails, as if there were no answer. */
  overran(): void {
    if (this.#pending) this.unanswered(this.#pending);
  }

  forget(send: PendingSend): void {
    if (this.#pending === send) this.#pending = undefined;
  }

  /** Reacts to the error −14, "modem stuck" (timing T-55). */
  stuck(): void {
    const { now } = this.board.clock;
    switch (this.present) {
      case 'disabled':
      case 'error':
        return;
      case 'sleep':
        if (!this.asleep) this.error();
        return;
      case 'retry_delay': {
        // Until the pause itself has begun, the firmware does not handle the error.
        const left = this.phaseStart - now;
        this.attaching?.advance();
        if (left > 0) return this.enter('retry_delay', left, () => this.fail());
        return this.fail();
      }
      case 'reset_loop': {
        // The firmware wakes the modem, and the check fails. The next boot is at the end of this pause, without a back-off.
        const end = this.phaseEnd;
        return this.enter('reset_loop', FLIGHT_MODE, () => {
          this.known.failed();
          this.enter('error', Math.max(0, end - this.board.clock.now), () => this.boot());
        });
      }
      case 'send':
      case 'receive':
        return this.error();
      default:
        // The other states: boot, attach, open_socket, coneval, wakeup.
        return this.fail();
    }
  }

  /** The hard limit of a send is over (timing T-58). This also ends a pause, a back-off or an attach window. */
  timedOut(): void {
    switch (this.present) {
      case 'attach':
        return this.attachFailed();
      case 'retry_delay':
        this.attaching?.advance();
        return this.boot();
      case 'reset_loop':
        return this.boot();
      case 'error':
        return this.found === undefined ? this.ready() : this.boot();
      case 'boot':
      case 'receive':
        return this.error();
      case 'send':
        return this.idle();
      default:
    }
  }

  /** The next datagram goes to another address of the cloud: `ready` opens a new socket first (timing T-44). */
  readdress(): void {
    this.known.readdressed = true;
  }

  /** Whether the air carries a datagram; false if the modem has no network, or a weak signal loses the datagram. */
  carries(way: 'up' | 'down'): boolean {
    if (!this.covered || !this.registered || this.isLost) return false;
    if (!this.fades()) return true;
    this.board.faded(way);
    return false;
  }

  /** `lte reconnect`: boots and registers again. CHESTER keeps a pending datagram; a hio device drops it. */
  reconnect(): void {
    if (this.present === 'disabled') return;
    this.attaching = undefined;
    this.anomalies?.forget();
    this.boot();
    if (this.rules.badCheckEndsSend) this.#pending?.failed('no radio connection');
  }

  /** Causes a fault from which the firmware recovers by itself. */
  suffer(fault: PassingFault): void {
    switch (fault) {
      case 'error':
        // An error has no effect during the back-off of another error, and it ends a pause of the attach policy.
        if (this.present === 'disabled' || this.present === 'error') return;
        if (this.present === 'retry_delay') this.attaching?.advance();
        return this.fail();
      case 'reset-loop':
        if (this.present !== 'disabled') this.rest();
        return;
      case 'lost-registration':
      case 'lost-socket':
        if (!this.isRegistered) return;
        this.known.lost = fault === 'lost-socket' ? 'socket' : 'registration';
        if (fault === 'lost-registration') this.deregistered();
        return;
      default:
        fault satisfies never;
    }
  }

  /** Causes a lasting fault of the modem, or repairs it (undefined). The firmware notices at the next check. */
  setFault(fault: LastingFault | undefined): void {
    if (fault === undefined && this.anomalies?.fault === undefined) return;
    this.known.fault = fault;
    if (fault === undefined || !this.isRegistered) return;
    this.known.lost = fault === 'no-socket' ? 'socket' : 'modem';
  }

  /** The problem that the check of the firmware finds (timing T-32); undefined if it finds none. */
  private get found(): 'socket' | 'registration' | 'modem' | undefined {
    return this.covered && this.isRegistered && !this.isLost ? this.anomalies?.lost : 'registration';
  }

  /** Whether the network has lost the modem and not registered it again, which the firmware has not noticed yet. */
  private get isLost(): boolean {
    return this.anomalies !== undefined && this.anomalies.registersAt > this.board.clock.now;
  }

  private boot(): void {
    this.switchOff();
    const { fault } = this.anomalies ?? {};
    const { now } = this.board.clock;
    // This time is never reached, because a boot without "Ready" or SIM card fails before it. Infinity would cost each modem an
    // object on the heap.
    this.phaseEnd = now + LONG_AFTER;
    if (fault === 'mute') return this.enter('boot', ANSWER_LIMIT, () => this.fail());
    const [shortest, longest] = this.board.modemTimings.boot;
    const { bootShorter } = this.rules;
    const takes = integerBetween(this.random, Math.max(0, shortest - bootShorter), Math.max(0, longest - bootShorter));
    // The modem looks for its SIM card at the end of the preparation.
    if (fault === 'no-sim') return this.enter('boot', takes + ANSWER_LIMIT, () => this.fail());
    this.phaseEnd = now + takes;
    this.enter('boot', takes, () => (this.anomalies?.loops ? this.rest() : this.attach()));
  }

  private attach(): void {
    this.isRegistered = false;
    this.connectedAt = undefined;
    this.releaseAt = 0;
    this.unaware = false;
    this.phaseStart = this.board.clock.now;
    this.attaching ??= new Attaching(this.board.attachPolicy());
    this.counted.attaching(this.board.unixTime());
    this.phaseEnd = this.phaseStart + this.attaching.current.timeout;
    this.present = 'attach';
    const { registersAt = 0 } = this.anomalies ?? {};
    const begun = this.covered && registersAt > 0;
    this.tryAttach(begun ? Math.max(0, registersAt - this.phaseStart) : undefined);
  }

  /**
   * Sets the alarm for the registration or, if the present attach window ends before it, for the end of the window.
   * @param takes time until the network registers the modem
   */
  private tryAttach(takes = this.attachTime(this.board.modemTimings.attach)): void {
    const left = this.phaseEnd - this.board.clock.now;
    if (takes < left) this.enter('attach', takes, () => this.attached());
    else this.enter('attach', left, () => this.attachFailed());
  }

  private attached(): void {
    this.attemptEnded(true);
    if (!this.board.feedRadio()) return this.known.reset(this.board.clock.now);
    this.isRegistered = true;
    this.connectedAt = this.board.clock.now;
    this.connecting = 0;
    this.attaching = undefined;
    this.anomalies?.registered();
    this.openSocket();
  }

  private attachFailed(): void {
    const pause = this.attaching?.current.pause ?? 0;
    this.attemptEnded(false);
    this.phaseStart = this.board.clock.now + FLIGHT_MODE + this.rules.lineOff;
    this.phaseEnd = this.phaseStart + pause;
    const lasts = this.phaseEnd - this.board.clock.now;
    this.board.paused('attach-pause', lasts);
    this.enter('retry_delay', lasts, () => {
      this.attaching?.advance();
      this.boot();
    });
  }

  private wake(): void {
    const { wake } = this.board.modemTimings;
    this.connectedAt = undefined;
    this.releaseAt = 0;
    if (!this.rules.wakes) return this.sendAsleep();
    if (this.inFlightMode) {
      this.anomalies?.switchedOff();
      return this.enter('wakeup', wake, () => this.attach());
    }
    const silent = this.anomalies?.lost === 'modem' && this.anomalies.fault === 'mute';
    if (silent) this.enter('wakeup', ANSWER_LIMIT, () => this.error());
    else this.enter('wakeup', wake, () => this.ready());
  }

  /** Sends without a check: a lost registration is found only when the wait for the radio connection is over. */
  private sendAsleep(): void {
    if (this.inFlightMode) {
      this.anomalies?.switchedOff();
      return this.enter('sleep', 0, () => this.attach());
    }
    const found = this.found;
    if (found === undefined && this.#pending) return this.sendPending(this.#pending);
    this.enter('send', found === 'socket' ? 0 : this.rules.connectionLimit, () => this.error());
  }

  /** State `ready`: checks the modem and sends, or goes to sleep. */
  private ready(): void {
    if (this.anomalies?.readdressed) {
      this.openSocket();
      // The datagram to the other address needs a radio connection of its own.
      this.connectedAt = undefined;
      return;
    }
    if (this.#pending === undefined) return this.idle();
    if (this.found) return this.error();
    this.sendPending(this.#pending);
  }

  /**
   * No datagram waits. After a missing answer, the modem sleeps once the network has released the connection. If that was
   * before the end of the error state, the firmware has missed the message that the modem sleeps, and stays in `ready`.
   */
  private idle(): void {
    this.missesRelease();
    const { releaseAt } = this;
    const { now } = this.board.clock;
    if (this.present === 'error' && this.savesPower) {
      if (releaseAt > 0) return this.enter('ready', releaseAt - now, () => this.sleep());
      this.connectedAt = undefined;
      this.present = 'ready';
      return this.noAlarm();
    }
    if (releaseAt > 0) this.disconnected(Math.min(releaseAt, now + IDLE));
    this.sleep();
  }

  private sleep(): void {
    this.released();
    this.present = 'sleep';
    this.noAlarm();
    this.phaseStart = this.board.clock.now;
    this.phaseEnd = this.phaseStart;
  }

  /** Ends a connection that the network has released. Returns whether the firmware still takes it for open. */
  private missesRelease(): boolean {
    if (this.released() && this.present === 'error') this.unaware = this.rules.missesRelease;
    return this.unaware;
  }

  private sendPending(pending: PendingSend): void {
    pending.attempt();
    // The modem is registered: a loss that the firmware has missed is over.
    if (this.anomalies) this.anomalies.registersAt = 0;
    if (this.missesRelease()) return this.sendUnaware(pending);
    if (this.connectedAt !== undefined) return this.transmit(pending);
    const begun = this.board.clock.now;
    const { connectionLimit, afterNoConnection } = this.rules;
    if (this.fades()) {
      return this.enter('send', connectionLimit, () => {
        // The firmware of hio devices does not report the missing connection to the sender.
        if (afterNoConnection === 'error') return this.error();
        pending.failed('no radio connection');
        if (this.present === 'send') this.ready();
      });
    }
    this.enter('send', integerBetween(this.random, ...this.board.modemTimings.connect), () => {
      this.connectedAt = begun;
      this.connecting = this.board.clock.now - begun;
      this.transmit(pending);
    });
  }

  /**
   * Sends a datagram over a radio connection that was released in the pause before. The error state ignores the release, so
   * the firmware listens at once, while the modem needs a new connection to send (`ctr_lte_v2.c`, FLAG_CSCON). It does not
   * listen after a datagram that needs no answer.
   */
  private sendUnaware(pending: PendingSend): void {
    const begun = this.board.clock.now;
    const takes = this.fades() ? LISTEN : integerBetween(this.random, ...this.board.modemTimings.connect);
    const { listens } = pending.request;
    const state = listens ? 'receive' : 'send';
    if (takes >= LISTEN) {
      return this.enter(state, LISTEN, () => (listens ? this.unanswered(pending) : this.left(pending)));
    }
    this.enter(state, takes, () => {
      this.unaware = false;
      this.connectedAt = begun;
      this.connecting = takes;
      this.transmit(pending, LISTEN - takes);
    });
  }

  /** @param listen how long the modem listens for an answer */
  private transmit(pending: PendingSend, listen = LISTEN): void {
    if (!this.board.feedRadio()) return this.known.reset(this.board.clock.now);
    const { request } = pending;
    request.transmit();
    if (request.listens) {
      this.releaseAt = this.board.clock.now + this.keepsIdle(this.board.modemTimings.release);
      this.enter('receive', listen, () => this.unanswered(pending));
      return request.listening();
    }
    const release = request.releases ? this.rules.release : 0;
    if (release === 0) return this.left(pending);
    this.enter('send', release, () => this.left(pending));
  }

  /** The datagram is on the air and needs no answer. */
  private left(pending: PendingSend): void {
    pending.succeeded();
    this.settle(0);
    // A loss while a hio device waited for the release of the connection is found behind the evaluation.
    if (this.found === 'registration' || (this.anomalies?.registersAt ?? 0) > 0) {
      this.enter('coneval', this.board.modemTimings.evaluation, () => this.attach());
    }
    pending.request.ended(undefined);
  }

  private unanswered(pending: PendingSend): void {
    this.released();
    const deregistered = this.found === 'registration' && !this.rules.badCheckEndsSend;
    pending.failed(deregistered ? 'deregistered' : 'no answer in time');
    // The end of the send may have restarted the device.
    if (this.present === 'receive') this.error();
  }

  /**
   * Evaluates the connection. Until the next send, the following states depend only on the clock.
   * @param before time until the evaluation begins
   * @param answered pause after an answer, which counts as a part of the evaluation
   */
  private settle(before: Millis, answered: Millis = 0): void {
    const { clock, modemTimings } = this.board;
    this.evaluate();
    this.noAlarm();
    this.present = 'sleep';
    this.phaseStart = clock.now + before;
    this.phaseEnd = this.phaseStart + answered + modemTimings.evaluation;
    this.disconnected(this.phaseEnd);
    // The next datagram may still use the connection.
    this.connectedAt = this.phaseEnd;
    // In real time, the clock may have passed `phaseEnd` since it was read above.
    if (this.#pending) this.enter('sleep', Math.max(0, this.phaseEnd - clock.now), () => this.ready());
  }

  /** State `error` (timing T-53). */
  private error(): void {
    const found = this.found;
    if (found === undefined) {
      this.anomalies?.checked();
      return this.enter('error', ERROR_PAUSE, () => this.ready());
    }
    if (found !== 'socket' || this.known.socketFailed()) this.fail();
    else this.enter('error', ERROR_PAUSE, () => this.openSocket());
    if (this.rules.badCheckEndsSend) this.#pending?.failed('no radio connection');
  }

  private openSocket(): void {
    const { anomalies } = this;
    const { openSocket } = this.board.modemTimings;
    if (anomalies?.fault === 'no-socket') {
      anomalies.lost = 'socket';
      return this.enter('open_socket', openSocket, () => this.error());
    }
    anomalies?.socketOpened(this.rules.socketResetsBackOff);
    this.board.socketOpened();
    this.settle(openSocket);
  }

  /** Switches the modem off, for longer each time, then boots it. An interrupted attach window starts again. */
  private fail(): void {
    this.switchOff();
    // In a pause the serial line is off already.
    const off = this.present === 'retry_delay' ? 0 : this.rules.lineOff;
    const lasts = off + this.known.failed();
    this.board.paused('back-off', lasts);
    this.enter('error', lasts, () => this.boot());
  }

  /** Too many resets: off for a pause. Then a CHESTER attaches without a boot, a hio device boots (timing T-56). */
  private rest(): void {
    this.switchOff();
    this.attaching = undefined;
    this.anomalies?.rested();
    const { lineOff, bootsAfterResetLoop } = this.rules;
    this.phaseEnd = this.board.clock.now + FLIGHT_MODE + lineOff + RESET_LOOP;
    const lasts = this.phaseEnd + (bootsAfterResetLoop ? 0 : FLIGHT_MODE) - this.board.clock.now;
    this.board.paused('reset-loop', lasts);
    this.enter('reset_loop', lasts, () => (bootsAfterResetLoop ? this.boot() : this.attach()));
  }

  protected moved(): void {
    if (this.present === 'attach') this.tryAttach();
    else if (!this.covered) this.deregistered();
    else if (this.anomalies?.registersAt === Number.POSITIVE_INFINITY) {
      this.anomalies.registersAt = this.board.clock.now + this.attachTime(this.board.modemTimings.attach);
    } else if (this.connects && this.rules.badCheckEndsSend && this.found === undefined && this.#pending) {
      // The wait for a radio connection ends: the modem has found the network again.
      this.sendPending(this.#pending);
    }
  }

  /** Whether a datagram waits for its radio connection, and is not on the air yet. */
  private get connects(): boolean {
    return this.present === 'send' && this.connectedAt === undefined;
  }

  /** The network deregisters the modem. A modem that is asleep does not notice (timing T-51, T-52). */
  private deregistered(): void {
    if (this.connects) {
      // A hio device finds the loss when its wait for a radio connection ends: until then, the send blocks its queue.
      if (this.rules.badCheckEndsSend) return this.enter('send', this.rules.connectionLimit, () => this.error());
      this.#pending?.failed('deregistered');
      if (this.present === 'send') this.attach();
    } else if (this.present === 'sleep' && !this.asleep) {
      const { now } = this.board.clock;
      if (now < this.phaseStart || now >= this.phaseEnd) return this.attach();
      // The result of the evaluation, "no cell", is only a warning (`ctr_lte_v2_flow_coneval`).
      this.lost();
      this.enter('coneval', this.phaseEnd - now, () => this.attach());
    } else if (this.present === 'ready' && this.connectedAt !== undefined) {
      this.disconnected(this.board.clock.now);
      this.attach();
    } else if (this.present === 'coneval' || (this.isRegistered && BUSY.has(this.present))) {
      this.lost();
    }
  }

  /** If the modem has lost its network, it registers by itself once the network is back, whatever the firmware does. */
  private lost(): void {
    if (!this.covered) this.known.registersAt = Number.POSITIVE_INFINITY;
  }
}

/** States of an awake modem in which the firmware does not react to a lost registration at once. */
const BUSY: ReadonlySet<LteFsmState> = new Set(['send', 'receive', 'error']);
