/** The faults of a run in progress, which its user injects, ends and cancels. */
import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { LiveFaults } from '../../../src/runner/world/live-faults.js';
import type { PlannedAction } from '../../../src/scenario/model/plan.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { scenarioOf } from '../../scenario/fixtures.js';

/** The faults of a run, after some minutes of it. */
async function runAfter(time: number, faults: string) {
  const plan = planScenario(scenarioOf({ head: `name: test\nduration: 2h\nfaults:\n${faults}` }));
  const clock = new VirtualClock();
  const live = new LiveFaults(plan, clock);
  const carried: PlannedAction[] = [];
  live.begin((action) => carried.push(action));
  await clock.runUntil(minutes(time));
  return { plan, live, carried };
}

describe('the faults of a run in progress', () => {
  it('contain each time of a recurring fault, of which the user can cancel one', async () => {
    const { live } = await runAfter(15, '  - { outage: both, from: 10m, until: 35m, every: 10m, lasts: 6m }\n');
    expect(live.all().map(({ id, state }) => [id, state])).toEqual([
      ['planned-1', 'active'],
      ['planned-2', 'planned'],
      ['planned-3', 'planned'],
    ]);
    expect(live.lift('planned-2')).toBe(true);
    expect(live.lift('planned-2')).toBe(false);
    expect(live.list.all.map(({ from }) => from)).toEqual([minutes(10), minutes(30)]);
    expect(live.happened.faults).toMatchObject([
      { id: 'fault-1', windows: [{ from: minutes(10) }, { from: minutes(30), until: minutes(35) }] },
    ]);
  });

  it('can be restored after they were lifted: planned ones as they were, others for the rest of their time', async () => {
    const { live } = await runAfter(15, '  - { outage: both, from: 10m, until: 35m, every: 20m, lasts: 6m }\n');
    const before = live.all();
    expect([live.lift('planned-2'), live.restore('planned-2'), live.all()]).toEqual([true, true, before]);
    expect([live.lift('planned-1'), live.restore('planned-1'), live.restore('planned-1')]).toEqual([true, true, false]);
    expect(live.all().map(({ id, from, until, state }) => [id, from, until, state])).toEqual([
      ['planned-1', minutes(10), minutes(15), 'over'],
      ['planned-2', minutes(30), minutes(35), 'planned'],
      ['injected-1', minutes(15), minutes(16), 'active'],
    ]);
    expect(live.list.all.map(({ from, until }) => [from, until])).toEqual([
      [minutes(30), minutes(35)],
      [minutes(15), minutes(16)],
    ]);
  });

  it('of devices can be restored, too: their steps are carried out again', async () => {
    const { live, carried } = await runAfter(20, '  - { no-signal:, from: 10m, until: 1h, to: clime/1 }\n');
    live.lift('planned-1');
    expect(live.restore('planned-1')).toBe(true);
    expect(carried.map(({ options, at }) => [options, at])).toEqual([
      ['on', minutes(20)],
      ['off', minutes(20)],
      ['on', minutes(60)],
    ]);
  });

  it('include a fault of devices without an end, which the user can end by its step', async () => {
    const { live, carried } = await runAfter(90, '  - { no-signal:, from: 1h, to: clime/1 }\n');
    expect(live.lift('planned-1')).toBe(true);
    expect(carried).toMatchObject([
      { step: 'radio', options: 'on', at: minutes(90), fault: 'fault-1', devices: [0], origin: -1 },
    ]);
    expect(live.happened.faults[0]?.windows).toEqual([{ from: minutes(60), until: minutes(90) }]);
    expect(live.happened.actions.map(({ at, options }) => [at, options])).toEqual([
      [minutes(60), 'off'],
      [minutes(90), 'on'],
    ]);
  });

  it('skip the later steps of one time of a fault of devices that was ended, and of no other time', async () => {
    const { plan, live } = await runAfter(12, '  - { no-signal:, from: 10m, until: 1h, every: 20m, lasts: 5m }\n');
    expect(live.lift('planned-1')).toBe(true);
    const later = plan.actions.filter((action) => !live.skips(action));
    expect(later.map(({ at }) => at)).toEqual([10, 30, 35, 50, 55].map(minutes));
  });

  it('have an id for each injected fault, with the steps that carry it out', async () => {
    const { live, carried } = await runAfter(20, '  - { loss: 5% }\n');
    const call = { kind: 'reboot', options: minutes(15) } as const;
    expect(live.inject({ call, to: 'control', devices: [3, 4], lasts: minutes(40) })).toBe('injected-1');
    expect(carried.map(({ at, fault, devices }) => [at, fault, devices])).toEqual(
      [20, 35, 50].map((at) => [minutes(at), 'injected-1', [3, 4]]),
    );
    expect(live.all()[1]).toEqual({
      ...{ id: 'injected-1', fault: 'reboot', part: 'device', way: 'both', to: 'control' },
      ...{ from: minutes(20), until: minutes(60), state: 'active', injected: true },
    });
    const down = { call: { kind: 'service-down', options: null }, to: null, devices: null, lasts: undefined } as const;
    expect(() => live.inject(down)).toThrow('the fault service-down requires the embedded cloud');
    expect(live.all()).toHaveLength(2);
  });
});
