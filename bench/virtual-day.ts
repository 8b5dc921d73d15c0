/** How much faster than real time a day of a fleet passes: samples, codec and signatures included. */
import { packagedProfiles } from '../src/profile/library.js';
import { deviceTypes } from '../src/runner/bench-config.js';
import { run } from '../src/runner/run.js';
import { parseScenario } from '../src/scenario/parse.js';
import { planScenario } from '../src/scenario/plan-scenario.js';
import type { Bench } from './result.js';

const DEVICES = 1000;
const HOURS = 24;
const LIMIT = 10_000;

const SCENARIO = `
name: virtual-day
duration: ${HOURS}h
fleet: [{ name: clime, profile: clime, count: ${DEVICES}, boot: { over: 30m } }]
network: { latency: 150ms..900ms }
expect:
  - device.ready == ${DEVICES}
  - uplink.stored == uplink.sent
  - uplink.stored > ${DEVICES * (HOURS * 2 - 3)}
`;

const quiet = () => {};

export const virtualDay: Bench = {
  name: 'virtual-day',
  async run() {
    const profiles = packagedProfiles();
    const plan = planScenario(parseScenario(SCENARIO, 'virtual-day', deviceTypes(profiles)), { seed: 7 });
    // Making 1,000 devices known through the REST API is not what is measured here.
    let began = 0;
    const result = await run({
      plan,
      profiles,
      clock: 'virtual',
      speed: 1,
      transport: 'memory',
      db: 'memory',
      sinks: [],
      log: { info: quiet, warn: quiet, error: quiet },
      reproduce: '',
      out: null,
      stopwatch: () => performance.now(),
      started: () => {
        began = performance.now();
      },
    });
    const took = performance.now() - began;
    if (!result.passed) throw new Error(`the day went wrong: ${JSON.stringify(result.expectations)} ${result.failure}`);
    const ratio = result.simulatedMs / took;
    return [
      {
        what: `${DEVICES} clime devices × ${HOURS} h in virtual time, against real time`,
        ratio,
        limit: LIMIT,
        detail: `${result.uplinks.byType.data?.stored} uplinks, ${result.events} events in ${(took / 1000).toFixed(1)} s`,
      },
    ];
  },
};
