/** The texts of the guided tour. */
import { describe, expect, it } from 'vitest';
import type { RunState } from '../../src/control/run-state.js';
import { tourSteps } from '../../web/src/model/tour.js';

const minute = 60_000;

function stateAt(now_ms: number, state: 'planned' | 'active' | 'over'): RunState {
  const outage = {
    id: 'f1',
    fault: 'outage both',
    part: 'network',
    to: 'cellar',
    from: 60 * minute,
    until: 180 * minute,
  };
  const loss = { id: 'f0', fault: 'loss 1%', part: 'network', to: null, from: 0, until: null, state: 'active' };
  return {
    ...{ name: 'live', seed: 42, devices: 300, now_ms, now: '2026-03-02T07:00:00.000Z', duration_ms: 600 * minute },
    ...{
      speed: 60,
      paused: false,
      counts: {},
      latencies: {},
      expectations: [],
      travels: true,
      last_event: null,
      target: null,
      has_history: true,
      past_of_ms: null,
    },
    faults: [loss, { ...outage, state }] as RunState['faults'],
  };
}

const ROWS = [
  { id: 'd1', name: 'cellar-0001' },
  { id: 'd2', name: 'office-0001' },
];
const outageText = (state: RunState) => tourSteps(state, ROWS)[1]?.text;

describe('the tour', () => {
  it('has six steps, each with a page, and shows a command for a device that has its network', () => {
    const steps = tourSteps(stateAt(20 * minute, 'planned'), ROWS);
    expect(steps.map(({ path }) => path.join('/'))).toEqual([
      ...['overview', 'overview', 'devices/d2/queue', 'downlinks', 'run', 'scenario'],
    ]);
    expect(steps[0]?.text).toContain('Each second, 1m of its time pass.');
  });

  it('says when the next outage begins, also in real time, and not the losses that are always there', () => {
    expect(outageText(stateAt(20 * minute, 'planned'))).toMatch(/^In 40m, outage both \(cellar\) begins: 40s at this/);
  });

  it('says how long an outage lasts, and that the last one is over', () => {
    expect(outageText(stateAt(90 * minute, 'active'))).toMatch(
      /^Now in force: outage both \(cellar\), for another 1h 30m\./,
    );
    expect(outageText(stateAt(200 * minute, 'over'))).toMatch(/^Over: outage both \(cellar\)\./);
  });

  it('leads to the fleet while no device is listed', () => {
    expect(tourSteps(stateAt(0, 'planned'), [])[2]?.path).toEqual(['fleet']);
  });
});
