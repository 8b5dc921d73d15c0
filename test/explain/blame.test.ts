/** A fault is a cause only if it affected an exchange, not merely because it was in force. */
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/explain/explanation.js';
import { defineScenario, type FaultDefinition, run, type ScenarioDefinition } from '../../src/index.js';

async function slowest(change: Partial<ScenarioDefinition>): Promise<Explanation> {
  const { explanations } = await run(defineScenario({ name: 'blamed', seed: 1, ...change } as ScenarioDefinition));
  const [first] = explanations ?? [];
  if (first === undefined) throw new Error('the run has no downlinks');
  return first;
}

describe('a modem in a reset loop', () => {
  const RESETTING: Partial<ScenarioDefinition> = {
    duration: '3h',
    fleet: [{ name: 'clime', profile: 'clime', count: 1, config: { 'interval-report': 900, 'interval-poll': 60 } }],
    steps: [
      { at: '2h', to: 'clime/1', modem: 'reset-loop' },
      { at: '121m', commands: ['info show'] },
    ],
  };
  const STEP = 'modem: reset-loop (clime-0001)';

  it.each<readonly [string, Partial<ScenarioDefinition>]>([
    ['a loss of 1%', { faults: [{ loss: '1%', from: '1h', until: '3h' } as FaultDefinition] }],
    ['a loss of 20%', { faults: [{ loss: '20%', from: '1h', until: '3h' } as FaultDefinition] }],
    ['a lossy network', { network: { loss: '1%' } }],
    ['a weak signal', { faults: [{ signal: { rsrp: -116 }, from: '1h', until: '3h' } as FaultDefinition] }],
    ['corruption', { faults: [{ corruption: '1/200', from: '1h', until: '3h' } as FaultDefinition] }],
    ['a short outage', { faults: [{ outage: 'up', from: '122m', until: '130m' } as FaultDefinition] }],
  ])(
    'is the only cause, even if %s is active at the same time but affects none of the datagrams',
    async (_, background) => {
      const { causes, waits, timeline } = await slowest({ ...RESETTING, ...background });
      expect(causes).toEqual([{ kind: 'step', name: STEP }]);
      expect(waits[0]?.what).toBe(STEP);
      const stuck = timeline.filter(({ what }) => what.includes('modem stuck'));
      expect(stuck.length).toBeGreaterThan(0);
      for (const { what } of stuck) expect(what).toContain(`modem stuck: ${STEP}`);
    },
  );

  it('appears in the timeline as a rule of the firmware, even if it began before the downlink was queued', async () => {
    const { timeline } = await slowest(RESETTING);
    expect(timeline).toContainEqual(
      expect.objectContaining({
        at: 0,
        kind: 'rule',
        what: 'too many resets: the modem is off for 32 min, since 1m before, 32m 10s',
      }),
    );
  });
});

it('duplicated datagrams are the cause, and not a jitter that on its own would cause only short delays', async () => {
  const { causes, sooner } = await slowest({
    duration: '5h',
    fleet: [{ name: 'clime', profile: 'clime', count: 2, config: { 'interval-report': 300 } }],
    faults: [
      { duplication: '100%', from: '65m', until: '4h' },
      { jitter: { by: '6s', shape: 'even' }, from: '65m', until: '4h' },
    ] as FaultDefinition[],
    steps: [{ at: '2h', commands: ['info show'] }],
  });
  expect(causes).toEqual([{ kind: 'fault', name: 'duplication 100%' }]);
  expect(sooner.map(({ without }) => without)).not.toContainEqual(['jitter 6s, even']);
});
