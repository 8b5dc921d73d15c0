/** A generator that cannot keep up says so; one that can does not, however slow the server is. */
import { measure, startNullServer, steady } from './measured-load.js';
import type { Proof } from './proof.js';

const DURATION = 8000;
/** More than any one process can send. */
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
        late('an easy run is valid', idle, false),
        late('a run against a frozen server is valid', slow, false),
        late('a run whose process stood still for 2 s is invalid', busy, true),
        late(`a run of ${FAR_TOO_MANY} requests a second is invalid`, swamped, true),
        {
          what: 'its books balance all the same',
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

/** Keeps this process from doing anything else. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}
