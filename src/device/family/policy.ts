/**
 * The rules in which the two families of firmware differ when they contact the cloud. Each family has a file with its rules as
 * plain data. Other code reads these rules instead of comparing the name of the family.
 */
import type { Millis } from '../../kernel/time.js';
import type { FragmentSizes } from '../../protocol/flap/envelope.js';

/** What follows a failed upload of the session phase: a new session, the same step again, or the next step. */
type AfterFailure = 'new session' | 'same step' | 'next step';

/** An upload of the session phase (timing T-10). */
export interface SessionStep {
  readonly upload: 'decoder' | 'encoder' | 'config' | 'update';
  readonly failed: AfterFailure;
}

export interface Policy {
  readonly session: {
    /** Time between two resets of the modem's serial line at the start of the system; 0 without such a reset. */
    readonly lineReset: Millis;
    readonly steps: readonly SessionStep[];
    /** Whether the device reports an update of an image that was confirmed before, and until the report is delivered. */
    readonly keepsReport: boolean;
    /** Whether CREATE_SESSION contains the passkey and the modem firmware. */
    readonly namesModem: boolean;
  };
  readonly polls: {
    /**
     * Time limit for the cloud lock (firmware/cloud-lock.ts) and the first datagram of a poll together; Infinity for no limit.
     */
    readonly budget: Millis;
    /** Time until a failed poll is repeated; undefined if it is not repeated. */
    readonly retry: Millis | undefined;
    /** Whether a poll flag in the session phase, or after a firmware request, leads to a poll at once, in the same step. */
    readonly inPlace: boolean;
  };
  readonly transfers: {
    /** Whether FLAP packets always travel as bytes (`flap-hash`), never as base64 text. */
    readonly alwaysRaw: boolean;
    /** Bytes of message data in a packet of the raw envelope. */
    readonly rawFragments: FragmentSizes;
    /** Stale answers in a row after which the transfer starts over. */
    readonly staleLimit: number;
    /** Whether a fragment that is repeated after a stale answer keeps its sequence number. If not, it gets the next number. */
    readonly sameSequence: boolean;
    /** Pauses before the transfer layer repeats a datagram; undefined if the modem repeats it. */
    readonly resend: { readonly unanswered: Millis; readonly unconnected: Millis } | undefined;
    /** Whether the modem cuts an answer that is longer than the buffer to its size. If not, reading it fails. */
    readonly cutsAnswers: boolean;
    /** Whether the wait for the cloud lock is part of the time limit of a report. */
    readonly lockCounts: boolean;
  };
  readonly downlinks: {
    /** Whether the shell executes configuration lines. If not, only the parser of parameters reads them. */
    readonly shellRunsConfig: boolean;
    readonly linePause: Millis;
    /** Pause from the last configuration line to the restart. */
    readonly savePause: Millis;
    /** Time from the report that an image is complete to the restart. */
    readonly updatePause: Millis;
  };
  readonly radio: {
    /** Time by which the modem boots faster than `ModemTimings.boot`, if it has no serial line to reset and wake up. */
    readonly bootShorter: Millis;
    /** Time to switch the serial line off before a pause. */
    readonly lineOff: Millis;
    /** Whether the modem has to be woken, and is checked, before the first datagram after a sleep. */
    readonly wakes: boolean;
    /** Longest wait for a radio connection. */
    readonly connectionLimit: Millis;
    /** What the modem does after `connectionLimit`: it sends the datagram again at once, or enters the error state. */
    readonly afterNoConnection: 'again' | 'error';
    /** Whether a failed check of the modem ends the send that is waiting. */
    readonly badCheckEndsSend: boolean;
    readonly socketResetsBackOff: boolean;
    /** Time from an answer to the evaluation of the connection. */
    readonly afterAnswer: Millis;
    /** Whether the firmware misses a release of the radio connection in the pause after a missing answer. */
    readonly missesRelease: boolean;
    /** Duration of a send that needs no answer and releases the connection. */
    readonly release: Millis;
    /** Whether the modem boots after the pause of a reset loop, or attaches at once. */
    readonly bootsAfterResetLoop: boolean;
    /** After its time limit, a send waits this long for the end of an attempt. If undefined, the send ends at once. */
    readonly grace: Millis | undefined;
  };
}
