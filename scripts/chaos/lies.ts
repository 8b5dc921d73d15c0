/**
 * A cloud behind a proxy that alters its answers: a run against it reports each lie, and reports none if the proxy alters
 * nothing.
 */
import { runPlan } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { lyingProxy } from '../../test/support/lying-proxy.js';
import { unhurried } from '../../test/support/unhurried.js';
import type { Verdict } from '../support/proof.js';
import { FREE_PORTS, startServe } from '../support/serve-process.js';
import { API_KEY } from './fleet.js';
import { LIES, type Lie } from './lie-kinds.js';

const SCENARIO = `
name: behind-a-proxy
duration: 5m
settle: 3m
fleet:
  - { name: clime, profile: clime, count: 3, config: { interval-report: 60 } }
  # Its downlinks wait until after the run: it reports and polls once an hour.
  - { name: quiet, profile: clime, count: 1, config: { interval-report: 3600, interval-poll: 3600 } }
network: { latency: 1s..2s }
steps:
  - { at: 215s, commands: [info serial-number] }
  - { at: 217s, commands: [info product-name] }
`;

/**
 * Times faster than real time. HTTP requests take longer than datagrams. At a higher speed, devices would repeat requests, and
 * a repetition could look like a lie.
 */
const SPEED = { udp: 60, http: 20 };

export async function nameLies(): Promise<Verdict> {
  let right = 0;
  for (const lie of LIES) {
    const named = await namedLies(lie);
    const isRight = lie.rule === null ? named.length === 0 : named.some((line) => line.startsWith(lie.rule ?? ''));
    if (isRight) right++;
    else console.log(`     ${lie.name}: ${named.length === 0 ? 'not named' : named.join('; ')}`);
  }
  return {
    what: `${LIES.filter(({ rule }) => rule !== null).length} lies of a proxy before the cloud, each by its rule, and the truth`,
    held: right === LIES.length,
    detail: `${right} of ${LIES.length} judged correctly`,
  };
}

/** The rules about the cloud that a run found broken. */
async function namedLies({ make, link = 'udp' }: Lie): Promise<readonly string[]> {
  const service = await startServe(['--db', 'memory', '--api-key', API_KEY], FREE_PORTS);
  const proxy = await lyingProxy(service.api, make());
  try {
    const plan = planScenario(parseScenario(SCENARIO, 'chaos.yaml', describeDeviceTypes(packagedProfiles())), {
      seed: 7,
    });
    const { expectations } = await runPlan(plan, {
      ...{ clock: 'real', speed: SPEED[link], meter: unhurried },
      cloud: {
        ...{ api: proxy.url, apiKey: API_KEY, spaceId: null, keyOf: String },
        gateway: link === 'udp' ? { host: '127.0.0.1', port: service.ports.udp } : null,
        pace: { atOnce: 4, perSecond: null },
      },
    });
    return expectations
      .filter(({ passed, undecided, line }) => !passed && undecided !== true && line.startsWith('the target'))
      .map(({ line }) => line);
  } finally {
    await proxy.close();
    await service.end('SIGKILL');
  }
}
