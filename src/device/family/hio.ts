/**
 * hio devices: hardwario/hio-zephyr-sdk, commit 3566616 (timing T-10, T-11, T-18, T-38, T-58). Their transfer layer, not their
 * modem, repeats datagrams. After several failures, it changes to another address of the cloud (link/resending-link.ts).
 */
import { millis, seconds } from '../../kernel/time.js';
import type { Policy } from './policy.js';

export const HIO: Policy = {
  session: {
    lineReset: 0,
    steps: [
      // After a failed report of an update, the device keeps the id of the update and reports it again at the next boot.
      { upload: 'update', failed: 'next step' },
      { upload: 'decoder', failed: 'same step' },
      { upload: 'encoder', failed: 'same step' },
      { upload: 'config', failed: 'same step' },
    ],
    keepsReport: true,
    namesModem: false,
  },
  polls: { budget: Number.POSITIVE_INFINITY, retry: undefined, inPlace: true },
  transfers: {
    alwaysRaw: true,
    // 508 bytes, less 14 of the envelope. For uplinks, the firmware sets 2 more bytes aside.
    rawFragments: { up: 492, down: 494 },
    staleLimit: 3,
    sameSequence: true,
    // In practice, 5 s instead of 1 s pass after a missing answer, because the modem is in its error state for 5 s.
    resend: { unanswered: seconds(1), unconnected: seconds(30) },
    cutsAnswers: true,
    lockCounts: false,
  },
  downlinks: {
    shellRunsConfig: false,
    linePause: 0,
    // 1 s before the settings are saved, and another half second before the restart.
    savePause: millis(1500),
    // 100 ms, and half a second before the restart; the modem's stop between them takes no time here [assumption].
    updatePause: millis(600),
  },
  radio: {
    // The modem is a library, not a chip on a serial line, so a boot lacks the line's reset (0.1 + 3.0 s) and wake-up (0.1 +
    // 0.1 s).
    bootShorter: millis(3300),
    lineOff: 0,
    wakes: false,
    connectionLimit: seconds(120),
    afterNoConnection: 'error',
    badCheckEndsSend: true,
    socketResetsBackOff: false,
    afterAnswer: millis(100),
    missesRelease: false,
    release: millis(500),
    bootsAfterResetLoop: true,
    grace: undefined,
  },
};
