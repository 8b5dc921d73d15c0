/**
 * The session phase of a boot: CREATE_SESSION, then the uploads that the cloud does not know yet (firmware timing, 3). It has
 * no time limit, and starts over without a pause if the session or a codec upload fails.
 */
import type { DownMessage } from '../../protocol/messages/index.js';
import type { UplinkType } from '../../trace/events.js';
import type { PollOutcome, UplinkOutcome } from '../link/link.js';

/** What SET_SESSION contains. */
export type Session = Extract<DownMessage, { readonly kind: 'set-session' }>;

/** The cloud thread around the session phase. `known` is the hash that the cloud has. */
export interface SessionHost {
  /** CREATE_SESSION. The other messages are undefined if there is nothing to upload. */
  sessionRequest(): Uint8Array;
  decoderUpload(known: string | undefined): Uint8Array | undefined;
  encoderUpload(known: string | undefined): Uint8Array | undefined;
  configUpload(known: string | undefined): Uint8Array | undefined;
  /** Confirms a firmware update once the session is set up; undefined: no update. */
  updateReport(): Uint8Array | undefined;
}

/** How the session phase exchanges messages. */
interface SessionExchanges {
  send(type: UplinkType, message: Uint8Array, done: (outcome: UplinkOutcome) => void): void;
  poll(done: (outcome: PollOutcome) => void): void;
  /** Processes a downlink; returns the session if it was SET_SESSION. */
  process(message: Uint8Array, done: (session: Session | undefined) => void): void;
  /** The poll flag was set: one poll follows the session phase. */
  requestPoll(): void;
}

/** Runs the phase; `done` is called once, when the session is set up. */
export function setUpSession(host: SessionHost, exchanges: SessionExchanges, done: () => void): void {
  const again = () => setUpSession(host, exchanges, done);
  exchanges.send('session', host.sessionRequest(), (outcome) => {
    // Without a poll flag the firmware treats the exchange as failed (wire protocol, 14, quirk 1).
    if (!outcome.ok || !outcome.poll) return again();
    exchanges.poll((answer) => {
      if (!answer.ok || answer.message.length === 0) return again();
      exchanges.process(answer.message, (session) => {
        if (answer.more) exchanges.requestPoll();
        if (session === undefined) again();
        else uploadCodecs(session, host, exchanges, done, again);
      });
    });
  });
}

function uploadCodecs(
  session: Session,
  host: SessionHost,
  exchanges: SessionExchanges,
  done: () => void,
  again: () => void,
): void {
  const upload = (
    type: UplinkType,
    message: Uint8Array | undefined,
    failed: () => void,
    uploaded: () => void,
  ): void => {
    if (message === undefined) return uploaded();
    exchanges.send(type, message, (outcome) => {
      if (!outcome.ok) return failed();
      if (outcome.poll) exchanges.requestPoll();
      uploaded();
    });
  };
  const update = () => upload('firmware', host.updateReport(), done, done);
  // A failed upload of the configuration is not repeated before the next boot.
  const config = () => upload('config', host.configUpload(session.configHash), update, update);
  const encoder = () => upload('codec', host.encoderUpload(session.encoderHash), again, config);
  upload('codec', host.decoderUpload(session.decoderHash), again, encoder);
}
