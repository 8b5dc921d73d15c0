/**
 * A server that is suspended for 6 s of a minute delays a tenth of all requests, by up to 6 s, evenly distributed: 95 % of the
 * latencies are then below 3 s, 99 % below 5.4 s, 99.9 % below 5.94 s. Latencies that count from the time of sending, instead
 * of the due time, hardly show the stall.
 */

import type { Proof } from '../support/proof.js';
import { measure, startNullServer, steady } from './measured-load.js';

const WANTED = { 95: 3000, 99: 5400, 99.9: 5940 };
const [LEAST, MOST] = [0.98, 1.12];
const SECOND = 1000;

export const stall: Proof = {
  name: 'stall',
  async run() {
    const server = await startNullServer();
    try {
      const { percentile, summary, generator } = await measure({
        baseUrl: server.baseUrl,
        pace: steady(500, 60 * SECOND),
        duration: 60 * SECOND,
        at: { [20 * SECOND]: () => server.freeze(), [26 * SECOND]: () => server.thaw() },
      });
      const verdicts = Object.entries(WANTED).map(([percent, wanted]) => {
        const found = percentile(Number(percent));
        return {
          what: `a server frozen for 6 s of 60 s shows in p${percent}`,
          held: found >= wanted * LEAST && found <= wanted * MOST,
          detail: `${(found / SECOND).toFixed(2)} s, expected ${(wanted / SECOND).toFixed(2)} s −2 %/+12 %`,
        };
      });
      return [
        ...verdicts,
        {
          what: 'every one of 30,000 requests is answered',
          held: summary.planned === 30_000 && summary.answered === 30_000,
          detail: `${summary.answered} of ${summary.planned}`,
        },
        {
          what: 'a slow server does not make the run invalid',
          held: generator.spoiled === null,
          detail: `actions at most ${generator.lateness?.max.toFixed(0)} ms late`,
        },
      ];
    } finally {
      server.thaw();
      server.kill();
    }
  },
};
