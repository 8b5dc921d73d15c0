/** Requests are sent at the rates that the scenario defines: steady, ramp, spike, Poisson. */
import type { RatePiece } from '../../src/scenario/load/load.js';
import type { Proof, Verdict } from '../support/proof.js';
import { measure, startNullServer, steady } from './measured-load.js';

const DURATION = 12_000;
const BINS = 12;

export const shapes: Proof = {
  name: 'shapes',
  async run() {
    const server = await startNullServer();
    try {
      const pieces: Readonly<Record<string, readonly RatePiece[]>> = {
        steady: [{ from: 0, until: DURATION, first: 300, last: 300 }],
        ramp: [{ from: 0, until: DURATION, first: 0, last: 600 }],
        spike: [
          { from: 0, until: 5000, first: 50, last: 50 },
          { from: 5000, until: 6000, first: 800, last: 800 },
          { from: 6000, until: DURATION, first: 50, last: 50 },
        ],
      };
      const verdicts: Verdict[] = [];
      for (const [name, parts] of Object.entries(pieces)) {
        const { sentAt } = await measure({
          baseUrl: server.baseUrl,
          pace: { kind: 'open', spacing: 'even', pieces: parts },
          duration: DURATION,
        });
        verdicts.push(followed(name, counts(sentAt), expected(parts)));
      }
      const { sentAt } = await measure({
        baseUrl: server.baseUrl,
        pace: steady(300, DURATION, 'poisson'),
        duration: DURATION,
      });
      verdicts.push(scattered(sentAt));
      return verdicts;
    } finally {
      server.kill();
    }
  },
};

function counts(times: readonly number[]): readonly number[] {
  const bins = new Array<number>(BINS).fill(0);
  for (const time of times) {
    const bin = Math.min(BINS - 1, Math.floor((time / DURATION) * BINS));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}

/** The number of requests due in each bin: the integral of the rate, in small steps. */
function expected(pieces: readonly RatePiece[]): readonly number[] {
  const step = 10;
  const bins = new Array<number>(BINS).fill(0);
  for (const { from, until, first, last } of pieces) {
    for (let at = from + step / 2; at < until; at += step) {
      const rate = first + ((last - first) * (at - from)) / (until - from);
      const bin = Math.floor((at / DURATION) * BINS);
      bins[bin] = (bins[bin] ?? 0) + (rate * step) / 1000;
    }
  }
  return bins;
}

/**
 * In each second, the number of requests differs from the expected number by less than 5 %, or by fewer than 5. It differs
 * because timers at the start and the end of a second fire late.
 */
function followed(name: string, found: readonly number[], wanted: readonly number[]): Verdict {
  const errors = found.map((count, i) => Math.abs(count - (wanted[i] ?? 0)) / Math.max(100, wanted[i] ?? 0));
  const worst = Math.max(...errors);
  return {
    what: `a ${name} load sends its requests at the defined rate`,
    held: worst < 0.05,
    detail: `largest deviation in a second ${(worst * 100).toFixed(1)} %`,
  };
}

/** The counts in short bins have a variance equal to their mean: an index of dispersion of 1. Even spacing would give 0. */
function scattered(times: readonly number[]): Verdict {
  const width = 50;
  const bins = new Array<number>(DURATION / width).fill(0);
  for (const time of times) {
    const bin = Math.min(bins.length - 1, Math.floor(time / width));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const mean = bins.reduce((sum, count) => sum + count, 0) / bins.length;
  const dispersion = bins.reduce((sum, count) => sum + (count - mean) * (count - mean), 0) / bins.length / mean;
  return {
    what: 'the counts of Poisson arrivals vary like those of a Poisson process',
    // With 240 bins, the standard error of the index is 0.09.
    held: dispersion > 0.7 && dispersion < 1.3,
    detail: `index of dispersion ${dispersion.toFixed(2)}, expected 1`,
  };
}
