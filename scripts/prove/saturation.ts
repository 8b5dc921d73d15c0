/** A run is reported as invalid if its load generator cannot keep up, and only then, however slow the server is. */

import type { Proof } from '../support/proof.js';
import { measure, startNullServer, steady } from './measured-load.js';

const DURATION = 8000;
/** Rate in requests a second: more than a single process can send. */
const FAR_TOO_MANY = 200_000;

export const saturation: Proof = {
  name: 'saturation',
  async run() {
    const server = await startNullServer();
    try {
      const idle = await measure({ baseUrl: server.baseUrl, pace: steady(200, DURATION), duration: DURATION });
      const slow = await measure({
        baseUrl: server.baseUrl,
        pace: steady(200, DURATION),
        duration: DURATION,
        at: { 2000: () => server.freeze(), 6000: () => server.thaw() },
      });
      const busy = await measure({
        baseUrl: server.baseUrl,
        pace: steady(200, DURATION),
        duration: DURATION,
        at: { 3000: () => block(2000) },
      });
      const swamped = await measure({
        baseUrl: server.baseUrl,
        pace: steady(FAR_TOO_MANY, DURATION / 4),
        duration: DURATION / 4,
      });
      const late = (what: string, { generator }: typeof idle, spoiled: boolean) => ({
        what,
        held: (generator.spoiled !== null) === spoiled,
        detail: `actions ${generator.lateness?.p99.toFixed(0)} ms late at p99`,
      });
      return [
        late('a run with a small load is valid', idle, false),
        late('a run against a frozen server is valid', slow, false),
        late('a run whose own process was blocked for 2 s is invalid', busy, true),
        late(`a run of ${FAR_TOO_MANY} requests a second is invalid`, swamped, true),
        {
          what: 'an invalid run still accounts for every planned request',
          held: swamped.contradictions.length === 0,
          detail: `${swamped.summary.planned} planned, ${swamped.summary.dropped} dropped`,
        },
      ];
    } finally {
      server.thaw();
      server.kill();
    }
  },
};

/** Blocks this process. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}
