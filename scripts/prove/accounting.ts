/** If a server is killed during a load, every planned request is still accounted for. */

import type { Proof } from '../support/proof.js';
import { measure, startNullServer, steady } from './measured-load.js';

export const accounting: Proof = {
  name: 'accounting',
  async run() {
    const server = await startNullServer();
    try {
      const { summary, contradictions } = await measure({
        baseUrl: server.baseUrl,
        pace: steady(1000, 6000, 'poisson'),
        duration: 6000,
        at: { 3000: () => server.kill() },
      });
      const { planned, sent, answered, failed, inFlight, dropped } = summary;
      const sums = planned === sent + dropped && sent === answered + failed + inFlight;
      return [
        {
          what: 'after a server was killed, every planned request is accounted for',
          held: sums && contradictions.length === 0 && answered > 0 && failed > 0,
          detail: `${planned} planned = ${answered} answered + ${failed} failed + ${inFlight} in flight + ${dropped} dropped`,
        },
      ];
    } finally {
      server.kill();
    }
  },
};
