/** A run in virtual time at a pace: watching it changes nothing. */
import { expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { RunControls } from '../../src/control/controls.js';
import { InterruptedError } from '../../src/kernel/errors.js';
import type { Pace } from '../../src/kernel/pace.js';
import { defineScenario } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { type RunControl, type RunOptions, run } from '../../src/runner/run.js';
import { QUIET } from '../support/cloud.js';

const plan = defineScenario({
  name: 'paced',
  duration: '2h',
  fleet: [{ name: 'clime', profile: 'clime', count: 6, config: { 'interval-report': 300 } }],
  network: { latency: '150ms..900ms', loss: '5%' },
  steps: [{ at: '30m', over: '20m', commands: ['info show'] }],
  expect: ['downlink.delivered == downlink.queued'],
});
const COMMON: RunOptions = {
  ...{ plan, profiles: packagedProfiles(), clock: 'virtual', speed: 1, transport: 'memory', db: 'memory', sinks: [] },
  ...{ log: QUIET, reproduce: '', out: null, stopwatch: () => performance.now() },
};

it('a run at a pace has the same digest as a run without a pace, even if a user watches it, pauses it and advances it in steps', async () => {
  const { digest } = await run(COMMON);
  let looks = 0;
  const watch = async (control: RunControl) => {
    const { world } = control;
    if (!world?.pace) throw new Error('the run has no pace');
    const { pace, api, fleet, faults } = world;
    const controls = new RunControls(plan, control, { fleet, faults, pace });
    const client = new DeviceCloudClient(api);
    const look = () => Promise.all([client.devices(), client.messages({ limit: 50 })]);
    while (pace.now < plan.duration / 2) {
      await look();
      JSON.stringify(controls.state());
      if (++looks === 5) pace.pause();
      if (looks > 5 && looks < 10) pace.step();
      if (looks === 10) pace.resume();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    pace.speed = 100_000;
    await client.close();
  };
  let watched: Promise<void> | undefined;
  const paced = await run({
    ...{ ...COMMON, pace: 3600, webConsole: '/nowhere' },
    started: (control) => {
      watched = watch(control);
    },
  });
  await watched;
  expect([paced.digest, paced.passed]).toEqual([digest, true]);
  expect(looks).toBeGreaterThan(10);
});

it('a step ends at an event of the run, not at a sample of the history or another work of the service', async () => {
  const log: string[] = [];
  const reached: number[] = [];
  let watched: Promise<void> | undefined;
  const watch = async ({ world, stop }: RunControl) => {
    const { pace } = world ?? {};
    if (!pace) throw new Error('the run has no pace');
    while (pace.now < 60_000) await turn();
    pace.pause();
    await atRest(pace);
    for (let n = 0; n < 20; n++) {
      pace.step();
      await atRest(pace);
      reached.push(pace.now);
    }
    stop(new InterruptedError('SIGINT'));
  };
  const turn = () => new Promise((resolve) => setTimeout(resolve, 20));
  const atRest = async (pace: Pace) => {
    for (let before = -1; before !== pace.now; await turn()) before = pace.now;
  };
  await run({
    ...{ ...COMMON, pace: 600, webConsole: '/nowhere' },
    sinks: [{ write: (lines) => void log.push(lines), close: () => {} }],
    started: (control) => {
      watched = watch(control);
    },
  });
  await watched;
  const times = new Set(
    log
      .join('')
      .split('\n')
      .map((line) => line && JSON.parse(line).at),
  );
  expect(new Set(reached).size).toBeGreaterThan(10);
  expect(reached.filter((time) => !times.has(time))).toEqual([]);
});
