/** A cloud behind a proxy that alters its answers: a run against it names each lie, and finds none in the truth. */
import type { Message } from '../../src/client/client.js';
import { runPlan } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { deviceTypes } from '../../src/runner/known-types.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { type Lies, lyingProxy } from '../../test/support/lying-proxy.js';
import { unhurried } from '../../test/support/unhurried.js';
import type { Verdict } from '../support/proof.js';
import { FREE_PORTS, startServe } from '../support/serve-process.js';
import { API_KEY } from './fleet.js';

const SCENARIO = `
name: behind-a-proxy
duration: 4m
settle: 3m
fleet:
  - { name: clime, profile: clime, count: 3, config: { interval-report: 60 } }
network: { latency: 1s..2s }
steps:
  - { at: 90s, commands: [info serial-number] }
  - { at: 120s, commands: [info product-name] }
`;

/** Times faster than real time. */
const SPEED = 60;

interface Lie {
  readonly name: string;
  /** Made for each run. */
  readonly make: () => Lies;
  readonly isLie: boolean;
}

const LIES: readonly Lie[] = [
  { name: 'the truth', make: () => ({}), isLie: false },
  {
    name: 'commands queued twice',
    make: () => ({ times: (method, path) => (method === 'POST' && path.endsWith('/commands') ? 2 : 1) }),
    isLie: true,
  },
  { name: 'an acknowledged uplink that is not stored', make: () => onNth(1, () => []), isLie: true },
  {
    name: 'an altered body',
    make: () => onNth(1, (message) => [{ ...message, body: { altered: true } }]),
    isLie: true,
  },
];

/** Alters the data message of one place, in the order in which the cloud first shows them. */
function onNth(place: number, alter: (message: Message) => readonly Message[]): Lies {
  const seen: string[] = [];
  return {
    answer: (_method, path, answer) => {
      if (!path.includes('/messages') || !Array.isArray(answer)) return answer;
      // Because the service answers with messages.
      return (answer as readonly Message[]).flatMap((message) => {
        if (message.type !== 'data') return [message];
        if (!seen.includes(message.id)) seen.push(message.id);
        return message.id === seen[place] ? alter(message) : [message];
      });
    },
  };
}

export async function nameLies(): Promise<Verdict> {
  let right = 0;
  for (const lie of LIES) {
    const named = await namedLies(lie);
    if (named.length > 0 === lie.isLie) right++;
    else console.log(`     ${lie.name}: ${named.length === 0 ? 'not named' : named.join('; ')}`);
  }
  return {
    what: `${LIES.length - 1} lies of a proxy before the cloud, and the truth`,
    held: right === LIES.length,
    detail: `${right} of ${LIES.length} judged correctly`,
  };
}

/** The rules about the cloud that a run found broken. */
async function namedLies({ make }: Lie): Promise<readonly string[]> {
  const service = await startServe(['--db', 'memory', '--api-key', API_KEY], FREE_PORTS);
  const proxy = await lyingProxy(service.api, make());
  try {
    const plan = planScenario(parseScenario(SCENARIO, 'chaos.yaml', deviceTypes(packagedProfiles())), { seed: 7 });
    const { expectations } = await runPlan(plan, {
      ...{ clock: 'real', speed: SPEED, meter: unhurried },
      cloud: {
        ...{ api: proxy.url, apiKey: API_KEY, spaceId: null, keyOf: String },
        gateway: { host: '127.0.0.1', port: service.ports.udp },
        pace: { atOnce: 4, perSecond: null },
      },
    });
    return expectations.filter(({ passed, line }) => !passed && line.startsWith('the target')).map(({ line }) => line);
  } finally {
    await proxy.close();
    await service.end('SIGKILL');
  }
}
