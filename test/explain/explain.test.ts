/** Explanations of downlinks in small scenarios. */
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/explain/explanation.js';
import { defineScenario, explain, type FaultDefinition, run } from '../../src/index.js';
import { CLIME, expectFaultNamed, expectLastAcknowledgementLost, slowest } from './slowest.js';

describe('the cause of a slow downlink', () => {
  it('is the interval of a device that was at rest', async () => {
    const { causes, sooner, text, outcome } = await slowest({});
    expect(outcome).toBe('answered');
    expect(causes).toEqual([{ kind: 'interval', name: 'next report (every 30m, no polls)' }]);
    expect(sooner[0]?.change).toBe('with interval-poll 60');
    expect(sooner[0]?.time).toBeLessThan(180_000);
    expect(text).toContain('was at rest until its next report (every 30m, no polls)');
  });

  it('is named after the contact that ended the rest, if it was none of the timers', async () => {
    const push = { name: 'push', profile: 'push', count: 1, config: { 'interval-report': 14_400 } };
    const pressed = await slowest({
      fleet: [push],
      steps: [
        { at: '65m', commands: ['info show'] },
        { at: '95m', to: 'push', button: { which: 2, clicks: 1 } },
      ],
    });
    expect(pressed.causes).toEqual([{ kind: 'interval', name: 'next event report' }]);
    expect(pressed.waits[0]?.what).toBe('next event report');
    expect(pressed.text).toContain('The device was at rest until its next event report.');
    expect(pressed.text).toMatch(/It waited [\dm s]+ for the next event report/);
  });

  it.each<readonly [string, FaultDefinition]>([
    ['no-signal', { 'no-signal': null, from: '65m30s', until: '2h', to: 'clime' }],
  ])('is the fault %s, with its name', expectFaultNamed);

  it.each<readonly [string, FaultDefinition]>([['outage, up only', { outage: 'up', from: '3672s', until: '3732s' }]])(
    'is %s if it lost the last acknowledgement, so that the cloud knew of the delivery only much later',
    expectLastAcknowledgementLost,
  );

  it('is missing for a fast downlink', async () => {
    const { causes, text } = await slowest({ fleet: [{ ...CLIME, config: { 'interval-poll': 60 } }] });
    expect(causes).toEqual([]);
    expect(text).toContain('A time up to 10m does not count as slow.');
  });
});

describe('an explanation', () => {
  const LOSSY = { faults: [{ loss: '40%', from: '60m', until: '3h' }] };
  let lossy: Promise<Explanation> | undefined;
  /** The explanation of one downlink, which the tests share. */
  const explained = () => (lossy ??= slowest(LOSSY));

  it('splits the whole time among its causes', async () => {
    const { took, waits } = await explained();
    expect(waits.length).toBeGreaterThan(1);
    expect(waits.reduce((sum, { time }) => sum + time, 0)).toBeCloseTo(took, 0);
  });

  it('has a timeline in chronological order that begins when the downlink is queued', async () => {
    const { timeline } = await explained();
    expect(timeline[0]).toEqual({ at: 0, kind: 'stage', what: 'shell downlink queued' });
    const times = timeline.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('is the same for the same seed', async () => {
    expect(await slowest(LOSSY)).toEqual(await explained());
  });
});

describe('explain', () => {
  let made: ReturnType<typeof run> | undefined;
  /** The result of one run, which the tests share. */
  const ran = () =>
    (made ??= run(
      defineScenario({
        ...{ name: 'explained', duration: '2h', fleet: [{ ...CLIME, count: 2 }] },
        steps: [{ at: '65m', commands: ['info show'] }],
      }),
    ));

  it('explains a downlink that the caller names by its id or by the last ten characters of its id', async () => {
    const result = await ran();
    const { id } = result.downlinks.slowest[0] ?? { id: '' };
    expect((await explain(result, id)).downlink).toBe(id);
    expect(await explain(result, id.slice(-10))).toEqual(await explain(result, id));
  });

  it('accepts a limit for slow downlinks: a downlink that took less time has no causes', async () => {
    const result = await ran();
    const { id } = result.downlinks.slowest[0] ?? { id: '' };
    expect((await explain(result, id, 24 * 3_600_000)).causes).toEqual([]);
  });

  it('names the limit if no change makes a downlink fast', async () => {
    const result = await ran();
    const { id } = result.downlinks.slowest[0] ?? { id: '' };
    const { text } = await explain(result, id, 1000);
    expect(text).toContain('No cause is known without which it would have taken at most 1s.');
  });

  it('explains the slowest downlink of a device that the caller names by its name or serial number', async () => {
    const result = await ran();
    const [one, other] = result.downlinks.slowest;
    for (const each of [one, other]) {
      const name = result.names[String(each?.serial)] ?? '';
      expect((await explain(result, name)).downlink).toBe(each?.id);
      expect((await explain(result, String(each?.serial))).downlink).toBe(each?.id);
    }
  });

  it('rejects an unknown id, an ambiguous one, and a copy of a result', async () => {
    const result = await ran();
    await expect(explain(result, 'nothing')).rejects.toThrow('no downlink "nothing", nor a device with downlinks');
    await expect(explain(result, '0')).rejects.toThrow('2 downlinks match "0"');
    await expect(explain({ ...result }, '0')).rejects.toThrow('not a copy');
  });
});
