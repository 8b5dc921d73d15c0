/** Time travel: a run that is repeated up to a moment, and its comparison with the original. */
import { afterAll, expect, it, vi } from 'vitest';
import { PastRuns } from '../../src/cli/past-runs.js';
import { DeviceCloudClient } from '../../src/client/client.js';
import { EXIT, GhostfleetError } from '../../src/kernel/errors.js';
import { defineScenario } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { RunResult } from '../../src/report/result.js';
import { type RunControl, run } from '../../src/runner/run.js';
import { QUIET } from '../support/cloud.js';
import { until } from '../support/until.js';

const plan = defineScenario({
  name: 'past',
  duration: '1h',
  fleet: [{ name: 'clime', profile: 'clime', count: 3, config: { 'interval-report': 300 } }],
  steps: [{ at: '30m', commands: ['info show'] }],
  expect: ['downlink.delivered == downlink.queued'],
});

let control: RunControl | undefined;
const farewells: string[] = [];
/** Called with each repeated run when its console is opened. */
let starting = (_: RunControl): void => {};
const options: ConstructorParameters<typeof PastRuns>[0] = {
  again: (changes) =>
    run({
      ...{ profiles: packagedProfiles(), clock: 'virtual', speed: 1, transport: 'memory', db: 'memory', log: QUIET },
      ...{ reproduce: '', out: null, stopwatch: () => 0, webConsole: '/nowhere', ...changes },
    }),
  happened: () => plan,
  now: () => 50 * 60_000,
  speed: () => 60,
  openConsole: async (begun) => {
    control = begun;
    starting(begun);
    return { link: begun.world?.consoleLink() ?? '', close: async (why) => void farewells.push(why) };
  },
};
const past = new PastRuns(options);
afterAll(() => past.close());

it('a run of the past is paused at its moment, with a console of its own', async () => {
  const { at_ms, link } = await past.back(25 * 60_000);
  const { pace } = control?.world ?? {};
  expect([at_ms, pace?.now, pace?.isPaused, pace?.speed]).toEqual([1_500_000, 1_500_000, true, 60]);
  expect(link).toMatch(/#token=/);
});

it('a run of the past ends like the original if no user changes anything', async () => {
  const { id } = await past.back(10 * 60_000);
  const comparison = await past.compare(id);
  const { original, fork, difference } = comparison ?? {};
  expect([original?.passed, fork?.digest, difference]).toEqual([true, original?.digest, null]);
  // It can be looked at again, for example after a reload of the page.
  expect(past.all).toContainEqual({ id, at_ms: 600_000, link: null, comparing: false, compared: true });
  expect(await past.compare(id)).toBe(comparison);
});

it('a run of the past is compared once, also if it is asked for several times at once', async () => {
  const { id } = await past.back(10 * 60_000);
  const comparisons = Promise.allSettled([1, 2, 3].map(() => past.compare(id)));
  expect(past.all.find((each) => each.id === id)).toMatchObject({ comparing: true, compared: false });
  const [first, ...others] = await comparisons;
  expect(first).toMatchObject({ status: 'fulfilled', value: { difference: null } });
  for (const other of others) {
    expect(other).toMatchObject({ reason: { message: 'this run of the past is being compared already' } });
  }
});

it('a run of the past differs from the original after a fault, from the moment of the fault on', async () => {
  const { id } = await past.back(25 * 60_000);
  const call = { kind: 'outage', options: 'both' } as const;
  const { faults, fleet } = control?.world ?? {};
  for (const { serial } of fleet?.members() ?? []) fleet?.noted(serial, 'fault: outage: both');
  faults?.inject({ call, to: null, devices: null, lasts: undefined });
  const { original, fork, difference } = (await past.compare(id)) ?? {};
  expect([original?.passed, fork?.passed]).toEqual([true, false]);
  expect(difference?.at_ms).toBeGreaterThanOrEqual(25 * 60_000);
  expect(difference?.fork?.text).toContain('"kind":"net.fault"');
  expect(difference?.fork?.sentence).toMatch(/^clime-000\d (sends|is sent) a datagram that is hit by outage$/);
  expect(difference?.original?.sentence).not.toBe(difference?.fork?.sentence);
  expect([original?.faults, fork?.faults]).toMatchObject([[], [{ fault: 'outage', from: 25 * 60_000, until: null }]]);
  // Both have a curve. From a minute after the fault on, because a rate is that of a minute, only the original has reports.
  const reports = (end: typeof fork) =>
    end?.history?.figures.reports_per_minute.mean.slice(156).reduce<number>((sum, each) => sum + (each ?? 0), 0);
  expect([reports(fork), Number(reports(original)) > 0]).toEqual([0, true]);
});

it('a comparison of the next minutes stops both runs then, and leaves what follows undecided', async () => {
  const { id } = await past.back(25 * 60_000);
  const { original, fork, difference, until_ms } = (await past.compare(id, 3 * 60_000)) ?? {};
  expect([until_ms, difference, original?.passed, original?.failure]).toEqual([28 * 60_000, null, true, null]);
  expect(original?.expectations).toMatchObject([{ undecided: true }]);
  expect(fork?.history?.figures.devices_on_time.mean.length).toBe(28 * 6);
});

it('a run says what would have delivered a downlink sooner only if it is asked, because its time waits for the answer', async () => {
  await past.back(40 * 60_000);
  const [record] = [...(control?.metrics.downlinks ?? [])].filter(({ type }) => type === 'shell');
  const ask = (repeats: boolean) => control?.explainer(repeats).explainById(record?.serial ?? 0, record?.id ?? '');
  expect((await ask(false))?.sooner).toEqual([]);
  expect((await ask(true))?.sooner).toContainEqual(expect.objectContaining({ change: 'with interval-poll 60' }));
});

it('a run cannot repeat a device to which a user has sent a downlink, and says so', async () => {
  await past.back(45 * 60_000);
  const { api, fleet } = control?.world ?? {};
  const client = new DeviceCloudClient({ baseUrl: '', spaceId: '', apiKey: '', ...api });
  const [device] = await client.devices({ limit: 1 });
  const { id } = await client.sendCommands(device?.id ?? '', ['info show']);
  const serial = Number(device?.serial_number);
  expect([...(fleet?.members() ?? [])].map((member) => member.serial)).toContain(serial);
  // The events of an instant are known when time goes on.
  control?.world?.pace?.resume();
  await until(async () => (await control?.explainer().explainById(serial, id)) !== undefined);
  const explanation = await control?.explainer(true).explainById(serial, id);
  expect(explanation?.unknown.join()).toContain(
    'because a user sent downlinks to its device that are not in the scenario',
  );
  await client.close();
});

it('the first run of the past ends with a message when a third one begins, and can be started again', async () => {
  const first = await past.back(4 * 60_000);
  for (const moment of [5, 6]) await past.back(moment * 60_000);
  expect(past.all).toContainEqual({ ...first, link: null });
  expect(farewells.at(-1)).toMatch(/another one was begun.* go back to 4m on the page Run/);
  expect(await past.compare(first.id)).toBeUndefined();
  const { id, link } = await past.back(first.at_ms);
  expect(link).toMatch(/#token=/);
  expect(past.all.filter(({ at_ms }) => at_ms === first.at_ms)).toEqual([
    { id, link, at_ms: first.at_ms, comparing: false, compared: false },
  ]);
});

it('at most two runs of the past are open, even if several are begun at once', async () => {
  await Promise.all([7, 8, 9].map((minute) => past.back(minute * 60_000)));
  expect(past.all.filter(({ link }) => link !== null)).toHaveLength(2);
});

it('a run of the past that ends before its moment is given up, and the reason is passed on', async () => {
  const before = farewells.length;
  const back = past.back(11 * 60_000);
  const rejected = expect(back).rejects.toThrow('the repeated run ended before 11m: its time was held');
  starting = (begun) => begun.stop(new GhostfleetError('held', 'its time was held', 1));
  await rejected;
  starting = () => {};
  expect(farewells.slice(before)).toContain('This run of the past could not be repeated up to its moment.');
  // The next one has its turn.
  expect(await past.back(12 * 60_000)).toMatchObject({ at_ms: 720_000 });
});

it('a run of the past whose console cannot be opened is ended', async () => {
  const opens = vi.fn(() => Promise.resolve(undefined));
  const ends: Promise<RunResult>[] = [];
  const other = new PastRuns({
    ...options,
    openConsole: opens,
    again: (changes) => {
      const result = options.again(changes);
      ends.push(result);
      return result;
    },
  });
  await expect(other.back(10 * 60_000)).rejects.toThrow('the console cannot be opened');
  const [ended] = await Promise.all(ends);
  expect(ended?.exitCode).toBe(EXIT.interrupted);
});

it('a run of the past cannot begin at a moment that the original has not reached', async () => {
  await expect(past.back(51 * 60_000)).rejects.toThrow('the run has only reached 50m');
  expect(await past.compare('past-99')).toBeUndefined();
});
