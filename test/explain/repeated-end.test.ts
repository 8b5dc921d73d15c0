/** Explanations compare the end of a downlink in the run with its end in a repetition only if both got as far. */
import { describe, expect, it } from 'vitest';
import { DeviceExplainer } from '../../src/explain/explain.js';
import type { Explanation } from '../../src/explain/explanation.js';
import type { Ending } from '../../src/explain/outcome.js';
import type { Situation } from '../../src/explain/situation.js';
import { defineScenario, explain, run, type ScenarioDefinition, whatIf } from '../../src/index.js';
import { writeExplanation } from '../../src/report/explanation/text.js';
import { type ChangedDownlink, writeWhatIf } from '../../src/report/explanation/what-if.js';
import { downlinkLife, type Life } from '../trace/fixtures.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const ANSWERED: Life = { queued: HOUR, wake: HOUR + 1000, contact: HOUR + 2000, offered: HOUR + 2100 };
const REACHED = { received: HOUR + 3000, delivered: HOUR + 3200, executed: HOUR + 4000 };

const PENDING: Ending = { outcome: 'pending', received: true, time: MINUTE, progress: 0 };
const UNANSWERED: Ending = { outcome: 'delivered', received: true, time: 2000, progress: 1 };
const COMPLETE: Ending = { outcome: 'answered', received: true, time: 2 * MINUTE, progress: 2 };

/** Explains a downlink of a run of 70 min whose device ends in this way without the outage, and in a simulation. */
function explained(life: Life, without: Ending, simulated?: Ending): Promise<Explanation> {
  const outage = { from: HOUR - MINUTE, until: HOUR + 500 };
  const situation: Situation = {
    fleet: [],
    settings: [],
    faults: [
      {
        ...{
          name: 'outage',
          what: 'outage',
          whom: '',
          serials: null,
          effect: 'blocks',
          sign: 'outage',
          on: 'datagrams',
        },
        windows: [outage],
      },
    ],
  };
  const events = [
    { kind: 'device.boot', at: 0, serial: 1, cause: 'power' } as const,
    ...downlinkLife(life),
    { kind: 'world.closing', at: HOUR + 10 * MINUTE } as const,
  ];
  const repeats = {
    simulated: simulated !== undefined,
    findRefusal: async () => undefined,
    findEnding: async (_: unknown, __: unknown, causes: ReadonlySet<string>) =>
      causes.size === 0 ? simulated : causes.has('fault:0') ? without : undefined,
  };
  const explainer = new DeviceExplainer({ serial: 1, events }, 'clime-0001', { situation, repeats });
  const [record] = explainer.downlinks;
  if (record === undefined) throw new Error('the history has no downlink');
  return explainer.explain(record);
}

describe('a change', () => {
  it.each<readonly [string, Ending, string]>([
    ['pending', PENDING, 'been pending at the end of the run, after 1m'],
    ['delivered without its answer', UNANSWERED, 'been delivered after 2s, without an answer'],
    ['cancelled', { ...PENDING, outcome: 'cancelled' }, 'been cancelled after 1m'],
    ['expired', { ...PENDING, outcome: 'expired' }, 'expired after 1m'],
    ['lost', { ...UNANSWERED, received: false, progress: 0 }, 'been lost'],
  ])('with which an answered downlink is %s is not sooner, and the text says how it ends', async (_, end, said) => {
    const answered = { ...ANSWERED, ...REACHED, answered: HOUR + 5 * MINUTE };
    const explanation = await explained(answered, end);
    const { time, outcome, received } = end;
    expect(explanation.sooner).toEqual([]);
    expect(explanation.notSooner).toEqual([{ without: ['outage'], change: 'without outage', time, outcome, received }]);
    expect(explanation.text).toContain(`Without outage it would have ${said}.`);
    const named = received ? outcome : 'lost';
    expect(writeExplanation(explanation, 100).join('\n')).toMatch(
      new RegExp(`not sooner\\n.*without outage: ${named}`),
    );
  });

  it.each<readonly [string, Life]>([
    ['pending', { queued: HOUR + 9 * MINUTE }],
    ['delivered without its answer', { ...ANSWERED, ...REACHED }],
    ['lost', { ...ANSWERED, delivered: HOUR + 3200 }],
  ])('with which a downlink that was %s is answered counts as sooner, even if its time is longer', async (_, life) => {
    const { sooner, notSooner, text } = await explained(life, COMPLETE);
    expect(sooner).toEqual([
      expect.objectContaining({ change: 'without outage', time: 2 * MINUTE, outcome: 'answered' }),
    ]);
    expect(notSooner).toBeUndefined();
    expect(text).toContain('Without outage it would have been answered after 2m.');
  });

  it('with which a pending downlink is still pending is neither, and its time so far does not count as fast', async () => {
    const { sooner, notSooner, text } = await explained({ queued: HOUR + 9 * MINUTE }, { ...PENDING, time: 1000 });
    expect([sooner, notSooner]).toEqual([[], undefined]);
    expect(text).not.toContain('does not count as slow');
  });

  it('with which a downlink takes longer is not sooner, and its time is in the text', async () => {
    const answered = { ...ANSWERED, ...REACHED, answered: HOUR + MINUTE };
    const { sooner, text } = await explained(answered, COMPLETE);
    expect(sooner).toEqual([]);
    expect(text).toContain('Without outage it would have taken 2m.');
  });

  it('is compared with the simulation of a run in real time, whose end the text names', async () => {
    const answered = { ...ANSWERED, ...REACHED, answered: HOUR + 5 * MINUTE };
    const { simulated, sooner, text } = await explained(answered, COMPLETE, PENDING);
    expect(simulated).toEqual({ outcome: 'pending', received: true, time: MINUTE });
    expect(sooner).toHaveLength(1);
    expect(text).toContain(
      'In a simulation of the same plan it would have been pending at the end of the run, after 1m, and without ' +
        'outage it would have taken 2m.',
    );
  });
});

describe('what-if', () => {
  /** A downlink of a hio device whose report an outage keeps open; without the outage it waits for the next report. */
  const OUTAGE: ScenarioDefinition = {
    ...{ name: 'short', duration: '66m', seed: 3, network: { latency: '150ms..900ms' } },
    fleet: [{ name: 'node', profile: 'hio-node', count: 1 }],
    faults: [{ outage: 'both', from: '60m', until: '70m' }],
    steps: [{ at: '65m', commands: ['info show'] }],
  };

  it('and explain agree that a downlink is pending if the run ends before the next report', async () => {
    const result = await run(defineScenario(OUTAGE));
    const explanation = await explain(result, 'node-0001');
    const { downlinks } = await whatIf(result, { without: ['outage'] });
    expect(explanation.outcome).toBe('answered');
    expect(downlinks[0]?.after).toMatchObject({ outcome: 'pending', took: MINUTE });
    expect(explanation.sooner.filter(({ change }) => change === 'without outage')).toEqual([]);
    expect(explanation.notSooner).toContainEqual(
      expect.objectContaining({ change: 'without outage', outcome: 'pending', time: MINUTE }),
    );
  });

  it('compares only times of downlinks that got as far on both sides, and says so', () => {
    const course = { outcome: 'answered', received: true, stages: {}, timeline: [] } as const;
    const changed = (before: number, after: number | undefined): ChangedDownlink => ({
      ...{ downlink: 'd', serial: 1, device: 'clime-0001', type: 'shell', queuedAt: 0 },
      before: { ...course, took: before },
      after: after === undefined ? { ...course, outcome: 'pending', took: 1000 } : { ...course, took: after },
    });
    const lines = (...downlinks: readonly ChangedDownlink[]) =>
      writeWhatIf({ changes: ['x'], simulated: false, downlinks }, false, 100).join('\n');
    const partly = lines(changed(30 * MINUTE, undefined), changed(20 * MINUTE, 10 * MINUTE));
    expect(partly).toMatch(/time max +20m +10m\n/);
    expect(partly).toContain(
      'The times are without the downlinks (1) that were not delivered, or answered, on both sides.',
    );
    expect(lines(changed(30 * MINUTE, undefined))).toContain('so no times can be compared.');
    expect(lines(changed(20 * MINUTE, 10 * MINUTE))).not.toContain('on both sides');
  });
});
