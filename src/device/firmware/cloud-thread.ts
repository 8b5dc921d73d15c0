/**
 * The part of the firmware that talks to the cloud: sets the session up, then sends, polls and carries out downlinks, one
 * exchange at a time (wire protocol, section 8).
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Instant, type Millis, minutes, seconds, type UnixSeconds } from '../../kernel/time.js';
import { FRAGMENT_SIZE } from '../../protocol/flap/envelope.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import { type DownMessage, MessageError, parseDown } from '../../protocol/messages/index.js';
import type { ContactReason, DownlinkType, UplinkType } from '../../trace/events.js';
import type { DeviceFacts } from '../hardware/hardware.js';
import type { Link, UplinkOutcome } from '../link/link.js';
import { type CloudCounters, countDownlink, countUplink, shiftTimes, zeroCounters } from './cloud-counters.js';

/** Budget of a poll, per datagram, and the wait after one that failed (wire protocol, 5.1). */
const POLL_BUDGET = seconds(60);
const POLL_RETRY = minutes(5);
const FRAGMENT = FRAGMENT_SIZE.base64.up;

/** What the session answer said. */
type Session = Extract<DownMessage, { readonly kind: 'set-session' }>;

/** A downlink that the application or the shell has to carry out. */
export type ReactiveDownlink = Exclude<DownMessage, { readonly kind: 'set-session' | 'set-timestamp' }>;

/** What a downlink leads to. */
export type Reaction =
  /** Done. */
  | { readonly kind: 'done' }
  /** This message goes up at once; `afterwards`: the device restarts, whatever the cloud says to it. */
  | { readonly kind: 'answer'; readonly type: UplinkType; readonly message: Uint8Array; readonly afterwards?: Restart }
  /** It could not be carried out: the poll counts as failed. */
  | { readonly kind: 'failed' }
  /** A command takes its time; until then the thread does nothing else. */
  | { readonly kind: 'waits'; readonly wait: Millis; readonly go: () => Reaction }
  /** The device restarts after `delay`; until then the thread does nothing more. */
  | ({ readonly kind: 'restart' } & Restart);

interface Restart {
  readonly delay: Millis;
  readonly restart: () => void;
}

/** The firmware around the thread. */
export interface CloudThreadHost {
  readonly clock: Clock;
  readonly link: Link;
  /** Unix seconds on the device's clock. */
  unixTime(): UnixSeconds;
  setUnixTime(time: UnixSeconds): void;
  /** The messages of a session start; undefined where there is nothing to upload. */
  sessionRequest(): Uint8Array;
  decoderUpload(known: string | undefined): Uint8Array | undefined;
  encoderUpload(known: string | undefined): Uint8Array | undefined;
  configUpload(known: string | undefined): Uint8Array | undefined;
  /** What there is to say about a firmware update, once the session is set up; undefined: nothing. */
  updateReport(): Uint8Array | undefined;
  /** The session is set up. */
  initialized(): void;
  /** Carries out a downlink whose message has `size` bytes. */
  react(message: ReactiveDownlink, size: number): Reaction;
  readonly facts: DeviceFacts;
}

type Job = (done: () => void) => void;

const IDLE: readonly Job[] = [];

export class CloudThread {
  readonly counters: CloudCounters = zeroCounters();
  /** Time of the last successful exchange of any kind; undefined before the first. */
  lastSuccess: Instant | undefined;
  readonly #host: CloudThreadHost;
  #initialized = false;
  /** What the cloud said, until the session is set up. */
  #session: Session | undefined;
  /** What waits for its turn. Never changed in place: most of the time nothing waits, and that is the same for all devices. */
  #jobs: readonly Job[] = IDLE;
  #busy = false;
  #halted = false;
  #closing = false;
  /** A poll waits for its turn. */
  #pollQueued = false;
  #pollRetry: Alarm | undefined;
  /** A downlink waits: for a command that takes its time, or to restart the device. */
  #carrying: Alarm | undefined;
  /** The cloud asked for a poll while the session was being set up. */
  #pollAsked = false;
  /** A message of the thread's own that is on its way. */
  #own: { readonly uplink: number; readonly type: UplinkType } | undefined;

  constructor(host: CloudThreadHost) {
    this.#host = host;
  }

  get initialized(): boolean {
    return this.#initialized;
  }

  /** Is anything going on, or about to? */
  get busy(): boolean {
    return this.#busy || this.#jobs.length > 0;
  }

  /** Begins with the session; the modem has been started. */
  start(): void {
    this.#enqueue((done) => this.#createSession(done));
  }

  /** Sends application data: an uplink that the host has numbered. `done` is called once, unless the device restarts. */
  sendData(uplink: number, message: Uint8Array, budget: Millis, why: ContactReason, done: (ok: boolean) => void): void {
    this.#enqueue((next) => {
      this.#host.facts.reason = why;
      this.#transmit(uplink, 'data', message, budget, (outcome) => {
        if (outcome.ok && outcome.poll) this.requestPoll();
        done(outcome.ok);
        next();
      });
    });
  }

  /** Polls as soon as possible; not while a failed poll waits for its next try (wire protocol, 5.1). */
  requestPoll(): void {
    if (this.#pollQueued || this.#pollRetry || !this.#initialized) return;
    this.#pollQueued = true;
    this.#enqueue((done) => {
      this.#pollQueued = false;
      // The poll before this one may have failed since this one was asked for.
      if (this.#pollRetry) done();
      else this.#poll(done);
    });
  }

  /** Sends a message that asks the cloud for a firmware image. */
  requestFirmware(request: Uint8Array): void {
    this.#enqueue((done) => {
      this.#host.facts.reason = 'shell';
      this.#send('firmware', request, (outcome) => {
        if (outcome.ok && outcome.poll) this.requestPoll();
        done();
      });
    });
  }

  /** Begins nothing by itself any more; what is under way goes on. */
  close(): void {
    this.#closing = true;
    this.#pollRetry?.cancel();
  }

  /** As when the device loses power. */
  halt(why: string): void {
    this.#halted = true;
    if (this.#own) this.#host.facts.dropped(this.#own.uplink, this.#own.type, why);
    this.#jobs = IDLE;
    this.#pollRetry?.cancel();
    this.#carrying?.cancel();
  }

  #enqueue(job: Job): void {
    this.#jobs = [...this.#jobs, job];
    this.#next();
  }

  #next(): void {
    if (this.#busy || this.#halted) return;
    const job = this.#jobs[0];
    if (job === undefined) return this.#host.link.rest();
    this.#jobs = this.#jobs.length === 1 ? IDLE : this.#jobs.slice(1);
    this.#busy = true;
    job(() => {
      this.#busy = false;
      this.#next();
    });
  }

  #createSession(done: () => void): void {
    const again = () => this.#createSession(done);
    this.#host.facts.reason = 'boot';
    this.#session = undefined;
    this.#send('session', this.#host.sessionRequest(), (outcome) => {
      // Without a poll flag the firmware takes the exchange for failed and repeats it at once (quirk 1).
      if (!outcome.ok || !outcome.poll) return again();
      this.#host.link.poll(Number.POSITIVE_INFINITY, (answer) => {
        if (!answer.ok || answer.message.length === 0) return again();
        this.#carryOut(answer.message, (reaction) => {
          if (reaction.kind === 'restart') return;
          if (reaction.kind !== 'done' || this.#session === undefined) return again();
          this.#uploadCodecs(this.#session, done, again);
        });
      });
    });
  }

  #uploadCodecs(session: Session, done: () => void, again: () => void): void {
    const host = this.#host;
    const ready = () => this.#ready(done);
    const update = () => this.#upload('firmware', host.updateReport(), ready, ready);
    // A configuration that cannot be uploaded is left for the next boot.
    const config = () => this.#upload('config', host.configUpload(session.configHash), update, update);
    const encoder = () => this.#upload('codec', host.encoderUpload(session.encoderHash), again, config);
    this.#upload('codec', host.decoderUpload(session.decoderHash), again, encoder);
  }

  #upload(type: UplinkType, message: Uint8Array | undefined, failed: () => void, uploaded: () => void): void {
    if (message === undefined) return uploaded();
    this.#send(type, message, (outcome) => {
      if (!outcome.ok) return failed();
      this.#pollAsked ||= outcome.poll;
      uploaded();
    });
  }

  #ready(done: () => void): void {
    this.#initialized = true;
    this.#session = undefined;
    this.#host.initialized();
    if (this.#pollAsked) this.requestPoll();
    done();
  }

  #poll(done: () => void): void {
    this.#host.facts.reason = 'poll';
    this.#host.link.poll(POLL_BUDGET, (outcome) => {
      if (!outcome.ok) {
        this.counters.downlinkErrors++;
        this.counters.downlinkErrorLast = this.#host.unixTime();
        this.#retryPoll(outcome.why);
        return done();
      }
      this.#succeeded();
      this.counters.pollCount++;
      this.counters.pollLast = this.#host.unixTime();
      if (outcome.message.length === 0) return done();
      this.#carryOut(outcome.message, (reaction) => {
        if (reaction.kind === 'restart') return;
        if (reaction.kind === 'failed') this.#retryPoll('downlink could not be carried out');
        if (reaction.kind === 'done' && outcome.more) this.requestPoll();
        if (reaction.kind !== 'answer') return done();
        this.#host.facts.reason = 'answer';
        this.#send(reaction.type, reaction.message, (answered) => {
          if (reaction.afterwards) return this.#restartLater(reaction.afterwards, () => {});
          if (!answered.ok) this.#retryPoll('answer could not be sent');
          // The flag on the answer decides, not the one on the downlink (wire protocol, 8.2).
          else if (answered.poll) this.requestPoll();
          done();
        });
      });
    });
  }

  #retryPoll(why: string): void {
    this.#host.facts.pollFailed(why);
    if (this.#closing) return;
    this.#pollRetry = this.#host.clock.after(POLL_RETRY, 'the next try of a failed poll', () => {
      this.#pollRetry = undefined;
      this.requestPoll();
    });
  }

  /** Calls `then` with what a downlink has led to, at once unless it holds commands that take time. */
  #carryOut(bytes: Uint8Array, then: (reaction: Reaction) => void): void {
    const now = this.#host.unixTime();
    countDownlink(this.counters, bytes.length, FRAGMENT, now);
    let message: DownMessage;
    try {
      message = parseDown(bytes);
    } catch (error) {
      if (error instanceof MessageError) return then({ kind: 'failed' });
      throw error;
    }
    const type = DOWNLINK_TYPE[message.kind];
    const print = contentFingerprint(bytes);
    this.#host.facts.received(type, print);
    if (message.kind === 'set-session' || message.kind === 'set-timestamp') {
      const before = this.#host.unixTime();
      this.#host.setUnixTime(message.timestamp);
      shiftTimes(this.counters, this.#host.unixTime() - before);
      if (message.kind === 'set-session' && message.sessionId !== 0) this.#session = message;
      this.#host.facts.executed(type, print, true);
      return then({ kind: 'done' });
    }
    if (message.kind === 'download-data') {
      this.counters.downlinkDataCount++;
      this.counters.downlinkDataLast = now;
    } else if (message.kind === 'download-shell') {
      this.counters.shellCount++;
      this.counters.shellLast = now;
    }
    const settle = (reaction: Reaction): void => {
      if (reaction.kind === 'waits') {
        const { wait, go } = reaction;
        this.#host.link.rest();
        this.#carrying = this.#host.clock.after(wait, 'a command from the cloud', () => settle(go()));
        return;
      }
      if (reaction.kind === 'restart') {
        this.#restartLater(reaction, () => this.#host.facts.executed(type, print, true));
      } else {
        this.#host.facts.executed(type, print, reaction.kind !== 'failed');
      }
      then(reaction);
    };
    settle(this.#host.react(message, bytes.length));
  }

  #restartLater({ delay, restart }: Restart, first: () => void): void {
    this.#carrying = this.#host.clock.after(delay, 'the restart that a downlink asks for', () => {
      first();
      restart();
    });
  }

  /** Sends a message of the thread's own: without a time limit, and lost when it fails. */
  #send(type: UplinkType, message: Uint8Array, done: (outcome: UplinkOutcome) => void): void {
    const uplink = this.#host.facts.made(type, message.length);
    this.#own = { uplink, type };
    this.#transmit(uplink, type, message, Number.POSITIVE_INFINITY, (outcome) => {
      this.#own = undefined;
      if (!outcome.ok) this.#host.facts.dropped(uplink, type, outcome.why);
      done(outcome);
    });
  }

  #transmit(
    uplink: number,
    type: UplinkType,
    message: Uint8Array,
    budget: Millis,
    done: (outcome: UplinkOutcome) => void,
  ): void {
    const started = () => this.#host.facts.sent(uplink, type);
    this.#host.link.uplink(message, budget, started, (outcome) => {
      if (outcome.ok) {
        this.#succeeded();
        countUplink(this.counters, message.length, FRAGMENT, type === 'data', this.#host.unixTime());
        this.#host.facts.acknowledged(uplink, type);
      } else {
        this.counters.uplinkErrors++;
        this.counters.uplinkErrorLast = this.#host.unixTime();
      }
      done(outcome);
    });
  }

  #succeeded(): void {
    this.lastSuccess = this.#host.clock.now;
  }
}

const DOWNLINK_TYPE = {
  'set-session': 'session',
  'set-timestamp': 'timestamp',
  'download-config': 'config',
  'download-data': 'data',
  'download-shell': 'shell',
  'download-firmware': 'firmware',
} as const satisfies Record<DownMessage['kind'], DownlinkType>;
