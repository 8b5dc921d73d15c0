/** CHESTER with firmware v3.5.5 or v4.0.0, from hardwario/chester-sdk (timing T-10, T-11, T-18, T-20, T-38, T-60). */
import { millis, minutes, seconds } from '../../kernel/time.js';
import { FRAGMENT_SIZE } from '../../protocol/flap/envelope.js';
import type { Policy } from './policy.js';

export const CHESTER: Policy = {
  session: {
    lineReset: millis(3100),
    steps: [
      { upload: 'decoder', failed: 'new session' },
      { upload: 'encoder', failed: 'new session' },
      // A failed upload of the configuration is repeated only at the next boot.
      { upload: 'config', failed: 'next step' },
      { upload: 'update', failed: 'next step' },
    ],
    keepsReport: false,
    namesModem: true,
  },
  // The extra millisecond matters if the device polls every minute: a poll that uses its whole budget ends 1 ms after the next
  // poll is due. So the next poll is already queued, and the device makes it instead of the retry.
  polls: { budget: seconds(60) + millis(1), retry: minutes(5), inPlace: false },
  transfers: {
    alwaysRaw: false,
    rawFragments: FRAGMENT_SIZE.raw,
    staleLimit: Number.POSITIVE_INFINITY,
    sameSequence: false,
    resend: undefined,
    cutsAnswers: false,
    lockCounts: true,
  },
  downlinks: { shellRunsConfig: true, linePause: millis(10), savePause: seconds(2), updatePause: millis(100) },
  radio: {
    bootShorter: 0,
    // `ctr_lte_v2_flow.c`, XSLEEP_PAUSE.
    lineOff: millis(100),
    wakes: true,
    connectionLimit: seconds(30),
    afterNoConnection: 'again',
    badCheckEndsSend: false,
    socketResetsBackOff: true,
    afterAnswer: 0,
    missesRelease: true,
    release: 0,
    bootsAfterResetLoop: false,
    grace: seconds(30),
  },
};
