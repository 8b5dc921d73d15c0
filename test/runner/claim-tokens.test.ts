/** Programs that know the scenario of a run cannot play its devices. */
import { describe, expect, it, vi } from 'vitest';
import { startDevice, startService, virtualTime } from '../../src/index.js';
import { entropy } from '../../src/kernel/entropy.js';
import { minutes } from '../../src/kernel/time.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import type { RunControl } from '../../src/runner/run.js';
import type { TransportName } from '../../src/runner/targets/embedded.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { profiles, runText } from './run-text.js';

const SCENARIO = `
name: predictable
duration: 20m
network: { corruption: 20% }
fleet:
  - { name: clime, profile: clime, count: 3 }
steps:
  - { at: 10m, commands: [info claim-token] }
`;

/** Signs in at the device ingress of a service. Returns the HTTP status. */
async function plays(api: string, { serial, claimToken }: { serial: number; claimToken: string }): Promise<number> {
  const headers = { authorization: `Claim ${claimToken}`, 'content-type': 'application/json' };
  const answer = await fetch(`${api}/v2/device/${serial}/session`, { method: 'POST', headers, body: '{}' });
  return answer.status;
}

/** Runs the scenario and tries the tokens of its plan in the middle of the run. Returns the HTTP statuses. */
async function attacked(text: string, transport: TransportName) {
  const plan = planScenario(parseScenario(text, 'test.yaml', describeDeviceTypes(profiles)), { seed: 7 });
  const statuses: number[] = [];
  const started = ({ clock, world }: RunControl) =>
    void clock.after(minutes(15), 'a stranger', () => {
      const release = clock.hold('requests of a stranger');
      void Promise.all(plan.devices.map((device) => plays(world?.api.baseUrl ?? '', device)))
        .then((all) => void statuses.push(...all))
        .finally(release);
    });
  await runText(text, { transport, started });
  return statuses;
}

describe('the claim tokens of a run', () => {
  it.each([
    ['in memory', 'memory'],
    ['over UDP', 'udp'],
    ['over HTTP', 'http'],
  ] as const)('do not follow from scenario and seed, %s', async (_, transport) => {
    expect(await attacked(SCENARIO, transport)).toEqual([401, 401, 401]);
  });

  it('differ between two runs, which have the same digest and show none of them', async () => {
    const random = vi.spyOn(entropy, 'bytes');
    const lines: string[] = [];
    const sink = { write: (line: string) => void lines.push(line), close: () => {} };
    const first = await runText(SCENARIO, { sinks: [sink] });
    const second = await runText(SCENARIO);
    const drawn = random.mock.results.map(({ value }) => Buffer.from(value).toString('hex'));
    random.mockRestore();
    expect(first.digest).toBe(second.digest);
    expect(new Set(drawn).size).toBeGreaterThanOrEqual(6);
    const shown = lines.join('') + JSON.stringify([first, second]);
    expect(drawn.filter((token) => shown.includes(token))).toEqual([]);
  });
});

it('the claim token of a device of the library does not follow from its serial number', async () => {
  const random = vi.spyOn(entropy, 'bytes');
  const time = virtualTime();
  await using service = await startService({ time });
  await startDevice({ profile: 'clime', service });
  const drawn = random.mock.results.map(({ value }) => Buffer.from(value).toString('hex'));
  random.mockRestore();
  const [device] = await service.client.devices();
  const statuses = await Promise.all(
    drawn
      .filter((token) => token.length === 32)
      .map((claimToken) => plays(service.api, { serial: Number(device?.serial_number), claimToken })),
  );
  expect(statuses).toContain(200);
});
