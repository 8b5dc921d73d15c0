/**
 * The part of the firmware that talks to the cloud: the session phase, then reports, polls and downlinks, one at a time under
 * one lock (wire W-51; timing T-9 to T-28, T-63).
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import type { Instant, Millis, UnixSeconds } from '../../kernel/time.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import { type DownMessage, MalformedSession, MessageError, parseDown } from '../../protocol/messages/index.js';
import type { ContactReason, DownlinkType, UplinkType } from '../../trace/events.js';
import { isInCalendar } from '../commands/rtc.js';
import type { Policy } from '../family/index.js';
import type { DeviceFacts, Extent } from '../hardware/hardware.js';
import { CloudCounters } from '../link/cloud-counters.js';
import type { Link, UplinkOutcome } from '../link/link.js';
import { CloudLock } from './cloud-lock.js';
import { type PollHandler, PollWork } from './poll-work.js';
import { type Session, type SessionHost, setUpSession } from './session-phase.js';

const NO_LOCK = 'another exchange holds the cloud lock';

/** A downlink that the application or the shell executes. */
export type ReactiveDownlink = Exclude<DownMessage, { readonly kind: 'set-session' | 'set-timestamp' }>;

/** Result of a downlink. */
export type Reaction =
  /** The downlink is executed; no answer. */
  | { readonly kind: 'done' }
  /** The device sends this message at once. With `afterwards`, it restarts when the cloud has acknowledged the message. */
  | ({
      readonly kind: 'answer';
      readonly type: UplinkType;
      readonly message: Uint8Array;
      readonly afterwards?: Restart;
    } & LineResults)
  /** The downlink could not be executed: the poll counts as failed. */
  | { readonly kind: 'failed' }
  /** A command takes the time `wait`. The thread does nothing else meanwhile, and then calls `go` to continue. */
  | { readonly kind: 'waits'; readonly wait: Millis; readonly go: () => Reaction }
  /** The device restarts after `delay`. The thread does nothing else until then. */
  | ({ readonly kind: 'restart' } & Restart & LineResults);

interface LineResults {
  /** The device rejected at least one line of the downlink and executed the others. */
  readonly rejected?: boolean;
}

interface Restart {
  readonly delay: Millis;
  readonly restart: () => void;
}

/** The parts of the firmware that the thread needs. */
export interface CloudThreadHost extends SessionHost {
  readonly clock: Clock;
  readonly link: Link;
  readonly policy: Policy;
  /** Unix seconds on the device's clock. */
  readUnixTime(): UnixSeconds;
  setUnixTime(time: UnixSeconds): void;
  /** The session is set up. */
  noteInitialized(): void;
  /** The watchdog has to be planned again: the device has lost or got its session. */
  planWatchdog(): void;
  /** Executes a downlink whose message has `size` bytes. */
  react(message: ReactiveDownlink, size: number): Reaction;
  readonly facts: DeviceFacts;
}

export class CloudThread implements PollHandler {
  readonly counters = new CloudCounters();
  /** When the last successful exchange of any kind was, by the device's clock; undefined before the first. */
  lastSuccess: Instant | undefined;
  readonly #host: CloudThreadHost;
  readonly #lock: CloudLock;
  readonly #polls: PollWork;
  #initialized = false;
  /** The session of the session phase, also that of an earlier round; undefined without one, and after the phase. */
  #session: Session | undefined;
  /** Since when the device has no session although its session phase is over; undefined if it has one. */
  sessionlessSince: Instant | undefined;
  /** The alarm for the end of a command that takes time, or for a restart. */
  #carrying: Alarm | undefined;
  /** A message of the thread itself that is being sent. */
  #own: { readonly uplink: number; readonly type: UplinkType } | undefined;

  constructor(host: CloudThreadHost) {
    this.#host = host;
    this.#lock = new CloudLock();
    this.#polls = new PollWork(this);
  }

  get clock(): Clock {
    return this.#host.clock;
  }

  get retryAfter(): Millis | undefined {
    return this.#host.policy.polls.retry;
  }

  get initialized(): boolean {
    return this.#initialized;
  }

  /** Whether an exchange runs or is queued. */
  get busy(): boolean {
    return this.#lock.held || this.#polls.busy;
  }

  /** Begins with the session phase. The modem must have been started before. */
  start(): void {
    this.lock(Number.POSITIVE_INFINITY, () => {
      const { facts, policy } = this.#host;
      facts.reason = 'boot';
      setUpSession(
        this.#host,
        {
          send: (type, message, done) => this.send(type, message, done),
          fetch: (done) => this.fetch(done),
          requestPoll: () => this.requestPoll(),
        },
        policy,
        () => this.becomeReady(),
      );
    });
  }

  /**
   * Takes the lock that {@link sendData} needs; the caller releases it with {@link unlock}.
   * @param limit longest wait, for families whose time limits include this wait; Infinity for no limit
   * @param refused called if the lock is not free in time
   */
  lock(limit: Millis, granted: () => void, refused: () => void = () => {}): void {
    const { clock, policy } = this.#host;
    this.#lock.take(clock, policy.transfers.lockCounts ? limit : Number.POSITIVE_INFINITY, granted, refused);
  }

  unlock(): void {
    this.#lock.release();
    this.rest();
  }

  /** Sends application data; `uplink` is the number of the uplink. `done` is called once, unless the device restarts. */
  sendData(uplink: number, message: Uint8Array, budget: Millis, why: ContactReason, done: (ok: boolean) => void): void {
    this.#host.facts.reason = why;
    this.transmit(uplink, 'data', message, budget, (outcome) => {
      if (outcome.ok && outcome.poll) this.requestPoll();
      done(outcome.ok);
    });
  }

  /** Polls as soon as possible; has no effect while a poll is queued or waits for its retry (timing T-20). */
  requestPoll(): void {
    this.#polls.request();
  }

  /** Polls once without a time limit, outside of {@link requestPoll}: a failure is not retried. */
  pollWithoutLimit(done: () => void): void {
    this.pollWithin(Number.POSITIVE_INFINITY, done);
  }

  /** Called by the work item of {@link requestPoll}. */
  poll(done: (ok: boolean) => void): void {
    this.pollWithin(this.#host.policy.polls.budget, done);
  }

  requestFirmware(request: Uint8Array): void {
    this.lock(Number.POSITIVE_INFINITY, () => {
      this.#host.facts.reason = 'shell';
      this.send('firmware', request, (outcome) => {
        if (outcome.ok && outcome.poll && this.#host.policy.polls.inPlace) return this.fetch(() => this.unlock());
        if (outcome.ok && outcome.poll) this.requestPoll();
        this.unlock();
      });
    });
  }

  /** Ends the retries of failed polls; a running exchange continues. */
  close(): void {
    this.#polls.close();
  }

  /** The power fails, or the device resets. */
  halt(why: string): void {
    if (this.#own) this.#host.facts.dropped(this.#own.uplink, this.#own.type, why);
    this.#lock.clear();
    this.#polls.clear();
    this.#carrying?.cancel();
  }

  /** The clock was set by hand, forward or back: for the firmware, the last exchange was longer or shorter ago. */
  noteClockMove(by: Millis): void {
    if (this.lastSuccess !== undefined) this.lastSuccess -= by;
  }

  private rest(): void {
    if (!this.busy) this.#host.link.rest();
  }

  /** Polls while the lock is held. `done` gets the present session. */
  private fetch(done: (ok: boolean, session: Session | undefined) => void): void {
    this.#host.link.poll(Number.POSITIVE_INFINITY, (outcome) => {
      if (!outcome.ok) return done(false, this.#session);
      const { message, more } = outcome;
      if (this.#host.policy.polls.inPlace) {
        return this.takePolled(message, more, (why) => done(why === undefined, this.#session));
      }
      const poll = () => {
        if (more) this.requestPoll();
      };
      if (message.length === 0) {
        poll();
        return done(true, this.#session);
      }
      this.execute(message, (reaction) => {
        if (reaction.kind === 'restart') return;
        poll();
        done(reaction.kind === 'done', this.#session);
      });
    });
  }

  private becomeReady(): void {
    this.#initialized = true;
    this.#session = undefined;
    this.#host.noteInitialized();
    // A poll that was requested meanwhile takes over the lock.
    this.#polls.open();
    this.unlock();
  }

  /** @param budget time limit for the lock and the first datagram together; Infinity for no limit */
  private pollWithin(budget: Millis, done: (ok: boolean) => void): void {
    const { clock, facts, link } = this.#host;
    const end = clock.now + budget;
    const failed = (why: string) => {
      facts.pollFailed(why);
      done(false);
    };
    const granted = () => {
      facts.reason = 'poll';
      link.poll(Math.max(0, end - clock.now), (outcome) => {
        if (outcome.ok) return this.takePolled(outcome.message, outcome.more, ended);
        this.counters.downlinkFailed(this.#host.readUnixTime());
        ended(outcome.why);
      });
    };
    const ended = (why: string | undefined) => {
      this.unlock();
      if (why === undefined) done(true);
      else failed(why);
      this.rest();
    };
    this.lock(Math.max(0, end - clock.now), granted, () => failed(NO_LOCK));
  }

  /** @param done gets the reason why the poll counts as failed; undefined if the poll succeeded */
  private takePolled(message: Uint8Array, more: boolean, done: (why: string | undefined) => void): void {
    this.noteSuccess();
    if (message.length === 0) {
      this.counters.emptyPoll(this.#host.readUnixTime());
      if (more) this.requestPoll();
      return done(undefined);
    }
    this.execute(message, (reaction) => {
      if (reaction.kind === 'restart') return;
      if (reaction.kind === 'failed') return done('downlink could not be carried out');
      if (reaction.kind === 'done' && more) this.requestPoll();
      if (reaction.kind !== 'answer') return done(undefined);
      this.#host.facts.reason = 'answer';
      this.send(reaction.type, reaction.message, (answered) => {
        if (!answered.ok) return done('answer could not be sent');
        if (reaction.afterwards) return this.restartLater(reaction.afterwards, () => {});
        // The poll flag in the acknowledgement of the answer counts, not the flag of the downlink (timing T-23).
        if (answered.poll) this.requestPoll();
        done(undefined);
      });
    });
  }

  /** Executes a downlink and calls `then` with the result: at once, unless it has commands that take time. */
  private execute(bytes: Uint8Array, then: (reaction: Reaction) => void): void {
    const now = this.#host.readUnixTime();
    this.counters.downlink(bytes.length, this.#host.link.fragments.down, now);
    let message: DownMessage;
    try {
      message = parseDown(bytes);
    } catch (error) {
      // The firmware only logs an unknown type, and the poll counts as successful (timing T-24).
      if (!(error instanceof MessageError)) throw error;
      // The firmware has overwritten the session with the fields before the error, and goes on with it if it has an id.
      if (error instanceof MalformedSession) this.setSession(error.session);
      return then({ kind: error.fault === 'unknown-type' ? 'done' : 'failed' });
    }
    const type = DOWNLINK_TYPE[message.kind];
    const fingerprint = contentFingerprint(bytes);
    this.#host.facts.received(type, bytes, fingerprint);
    if (message.kind === 'set-session' || message.kind === 'set-timestamp') {
      // An impossible time is only a warning, and the clock keeps its time (`ctr_cloud.c`, `process_downlink`).
      if (isInCalendar(message.timestamp)) {
        const before = this.#host.readUnixTime();
        this.#host.setUnixTime(message.timestamp);
        this.counters.shiftTimes(this.#host.readUnixTime() - before);
      }
      if (message.kind === 'set-session') this.setSession(message);
      this.#host.facts.executed(type, fingerprint, 'wholly');
      return then({ kind: 'done' });
    }
    if (message.kind === 'download-data') this.counters.dataDownlink(now);
    else if (message.kind === 'download-shell') this.counters.shellDownlink(now);
    const settle = (reaction: Reaction): void => {
      if (reaction.kind === 'waits') {
        const { wait, go } = reaction;
        this.#host.link.rest();
        this.#carrying = this.#host.clock.after(wait, 'a command from the cloud', () => settle(go()));
        return;
      }
      const executed = () => this.#host.facts.executed(type, fingerprint, getExtent(reaction));
      if (reaction.kind === 'restart') this.restartLater(reaction, executed);
      else executed();
      then(reaction);
    };
    settle(this.#host.react(message, bytes.length));
  }

  /** A session with the id 0 counts as missing. */
  private setSession(session: Session): void {
    const known = session.sessionId === 0 ? undefined : session;
    if (!this.#initialized) {
      this.#session = known;
      return;
    }
    this.sessionlessSince = known ? undefined : (this.sessionlessSince ?? this.#host.clock.now);
    this.#host.planWatchdog();
  }

  private restartLater({ delay, restart }: Restart, first: () => void): void {
    this.#carrying = this.#host.clock.after(delay, 'the restart that a downlink asks for', () => {
      first();
      restart();
    });
  }

  /** Sends a message of the thread itself, without a time limit. If that fails, the message is lost. */
  private send(type: UplinkType, message: Uint8Array, done: (outcome: UplinkOutcome) => void): void {
    const uplink = this.#host.facts.made(type, message);
    this.#own = { uplink, type };
    this.transmit(uplink, type, message, Number.POSITIVE_INFINITY, (outcome) => {
      this.#own = undefined;
      if (!outcome.ok) this.#host.facts.dropped(uplink, type, outcome.why);
      done(outcome);
    });
  }

  private transmit(
    uplink: number,
    type: UplinkType,
    message: Uint8Array,
    budget: Millis,
    done: (outcome: UplinkOutcome) => void,
  ): void {
    const started = () => this.#host.facts.sent(uplink, type);
    this.#host.link.uplink(message, budget, started, (outcome) => {
      if (outcome.ok) {
        this.noteSuccess();
        const { up } = this.#host.link.fragments;
        this.counters.uplink(message.length, up, type === 'data', this.#host.readUnixTime());
        this.#host.facts.acknowledged(uplink, type);
      } else {
        this.counters.uplinkFailed(this.#host.readUnixTime());
      }
      done(outcome);
    });
  }

  private noteSuccess(): void {
    this.lastSuccess = this.#host.clock.now;
  }
}

function getExtent(reaction: Exclude<Reaction, { readonly kind: 'waits' }>): Extent {
  if (reaction.kind === 'failed') return 'failed';
  return 'rejected' in reaction && reaction.rejected ? 'partly' : 'wholly';
}

const DOWNLINK_TYPE = {
  'set-session': 'session',
  'set-timestamp': 'timestamp',
  'download-config': 'config',
  'download-data': 'data',
  'download-shell': 'shell',
  'download-firmware': 'firmware',
} as const satisfies Record<DownMessage['kind'], DownlinkType>;
