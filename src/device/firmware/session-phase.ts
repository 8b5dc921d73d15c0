/** The session phase of a boot: CREATE_SESSION, then uploads (timing T-9 to T-14), in the family's order, without limit. */
import type { DownMessage } from '../../protocol/messages/index.js';
import type { UplinkType } from '../../trace/events.js';
import type { Policy, SessionStep } from '../family/index.js';
import type { UplinkOutcome } from '../link/link.js';

/** What SET_SESSION contains. */
export type Session = Extract<DownMessage, { readonly kind: 'set-session' }>;

/** The part of the firmware that the session phase needs. `known`: hash of the document that the cloud already has. */
export interface SessionHost {
  /** The message CREATE_SESSION. */
  buildSessionRequest(): Uint8Array;
  /** This and the next two methods return undefined if the cloud already has the document. */
  buildDecoderUpload(known: string | undefined): Uint8Array | undefined;
  buildEncoderUpload(known: string | undefined): Uint8Array | undefined;
  buildConfigUpload(known: string | undefined): Uint8Array | undefined;
  /** The report of a firmware update; undefined if there is nothing to report. */
  buildUpdateReport(): Uint8Array | undefined;
  /** The cloud has the report of the update. */
  noteUpdateReported(): void;
}

interface SessionExchanges {
  send(type: UplinkType, message: Uint8Array, done: (outcome: UplinkOutcome) => void): void;
  /** Polls, and returns the present session. `ok`: the poll and its downlink have succeeded. */
  fetch(done: (ok: boolean, session: Session | undefined) => void): void;
  /** The poll flag was set: one poll follows the session phase. */
  requestPoll(): void;
}

const TYPES = { decoder: 'codec', encoder: 'codec', config: 'config', update: 'firmware' } as const;

/** Runs the phase; `done` is called once, after the last step. */
export function setUpSession(host: SessionHost, exchanges: SessionExchanges, policy: Policy, done: () => void): void {
  const again = () => setUpSession(host, exchanges, policy, done);
  exchanges.send('session', host.buildSessionRequest(), (outcome) => {
    // Without a poll flag, no session follows. CHESTER then treats the exchange as failed (timing T-11), and starts over. A hio
    // device tries the first upload, which fails without a session, and starts over as well.
    if (!outcome.ok || !outcome.poll) return again();
    exchanges.fetch((ok, session) => {
      if (!ok || session === undefined) again();
      else upload(0, { session, host, exchanges, policy, done, again });
    });
  });
}

interface Phase {
  readonly session: Session;
  readonly host: SessionHost;
  readonly exchanges: SessionExchanges;
  readonly policy: Policy;
  readonly done: () => void;
  readonly again: () => void;
}

/** Uploads from step `n` on. */
function upload(n: number, phase: Phase): void {
  const { session, host, exchanges, policy, done, again } = phase;
  const step = policy.session.steps[n];
  if (step === undefined) return done();
  const next = () => upload(n + 1, phase);
  const message = buildMessage(step.upload, session, host);
  if (message === undefined) return next();
  const failed = (): void => {
    if (step.failed === 'new session') again();
    else if (step.failed === 'same step') upload(n, phase);
    else next();
  };
  exchanges.send(TYPES[step.upload], message, (outcome) => {
    if (!outcome.ok) return failed();
    const uploaded = () => {
      if (step.upload === 'update') host.noteUpdateReported();
      next();
    };
    if (outcome.poll && policy.polls.inPlace) return exchanges.fetch((ok) => (ok ? uploaded() : failed()));
    if (outcome.poll) exchanges.requestPoll();
    uploaded();
  });
}

function buildMessage(what: SessionStep['upload'], session: Session, host: SessionHost): Uint8Array | undefined {
  switch (what) {
    case 'decoder':
      return host.buildDecoderUpload(session.decoderHash);
    case 'encoder':
      return host.buildEncoderUpload(session.encoderHash);
    case 'config':
      return host.buildConfigUpload(session.configHash);
    case 'update':
      return host.buildUpdateReport();
    default:
      return what satisfies never;
  }
}
