/**
 * A datagram that the modem has to send within a time limit (timing T-41).
 *
 * For CHESTER the limit is soft. If it ends between two attempts, the send ends at once with the error of the last attempt. If
 * it ends during an attempt, the result of that attempt decides. If no attempt ends within 30 s more, the modem counts as
 * stuck: the send fails and the modem is restarted. A datagram that follows an answer within an exchange is handed over while
 * the modem still receives. When it leaves this state, it reports the end of an attempt, which the firmware takes for the end
 * of an attempt of the new datagram. So up to the first real attempt, the limit of such a datagram is hard (`ctr_lte_v2.c`,
 * `ctr_lte_v2_send_recv` and `on_leave_receive`).
 *
 * For hio devices the limit is hard, and a send ends with its first failed attempt (timing T-33, T-58).
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import type { Millis } from '../../kernel/time.js';
import type { Policy } from '../family/index.js';

/** What the firmware reports for a send that failed: −5, −116, −115 and −14 (timing T-31). */
export type SendError = 'no answer in time' | 'no radio connection' | 'deregistered' | 'modem stuck';

/** The sender of a datagram; the modem calls it. */
export interface SendRequest {
  /** Whether the datagram needs an answer. If not, the send is complete once the datagram is on the air. */
  readonly listens: boolean;
  /** Whether the radio connection may end after a datagram without an answer. */
  readonly releases: boolean;
  /** Transmits the datagram; called again for every repetition. */
  transmit(): void;
  /** The modem listens from now on: the sender reads the datagrams that wait in its socket. */
  listening(): void;
  /** The send is over. `error` says why it failed; undefined if the datagram needs no answer and is on the air. */
  ended(error: SendError | undefined): void;
}

/** The parts of the modem that a send needs. */
export interface SendOwner {
  /** The send is over: the modem drops its reference to it. */
  forget(send: PendingSend): void;
  /** No attempt ended in time: the firmware raises the error −14. */
  stuck(): void;
  /** The hard time limit of a send is over. */
  timedOut(): void;
}

export class PendingSend {
  readonly request: SendRequest;
  readonly #clock: Clock;
  readonly #owner: SendOwner;
  readonly #policy: Policy;
  /** Error of the last attempt that has ended; undefined before the end of the first, and while the next attempt runs. */
  #failure: SendError | undefined;
  #overdue = false;
  #limit: Alarm | undefined;

  /**
   * @param budget Infinity for no limit
   * @param follows whether the datagram follows an answer within an exchange
   */
  constructor(request: SendRequest, budget: Millis, clock: Clock, owner: SendOwner, policy: Policy, follows: boolean) {
    this.request = request;
    this.#clock = clock;
    this.#owner = owner;
    this.#policy = policy;
    if (follows && policy.radio.grace !== undefined) this.#failure = 'no radio connection';
    if (Number.isFinite(budget)) this.#limit = clock.after(budget, 'the time limit of a send', () => this.#expire());
  }

  attempt(): void {
    this.#failure = undefined;
  }

  /** An attempt has failed; the next one follows unless the time is over, or the sender itself repeats datagrams. */
  failed(error: SendError): void {
    this.#failure = error;
    if (this.#overdue || this.#policy.transfers.resend) this.#end(error);
  }

  /** The datagram is on the air, or its answer has arrived. */
  succeeded(): void {
    this.cancel();
    this.#owner.forget(this);
  }

  /** Cancels the time limit. After a power failure, this ends the send without a call of `ended`. */
  cancel(): void {
    this.#limit?.cancel();
  }

  #expire(): void {
    if (this.#failure !== undefined) return this.#end(this.#failure);
    const { grace } = this.#policy.radio;
    if (grace === undefined) {
      this.#owner.forget(this);
      this.#owner.timedOut();
      return this.#end('no answer in time');
    }
    this.#overdue = true;
    this.#limit = this.#clock.after(grace, 'a modem that is stuck', () => {
      this.#owner.stuck();
      this.#end('modem stuck');
    });
  }

  #end(error: SendError): void {
    this.cancel();
    this.#owner.forget(this);
    this.request.ended(error);
  }
}
