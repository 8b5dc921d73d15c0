/** The scenario in TypeScript of the guide, run unchanged. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defineScenario, InputError, run, UsageError } from '../../src/index.js';

it('a new configuration reaches every device within two reports', async () => {
  const plan = defineScenario({
    name: 'new-configuration',
    duration: '2h',
    fleet: [{ name: 'clime', profile: 'clime', count: 20, config: { 'interval-report': 900 } }],
    network: { latency: '150ms..900ms', loss: '1%' },
    faults: [{ outage: 'both', from: '40m', until: '50m', to: '10%' }],
    steps: [{ after: 'device.ready == fleet.devices', within: '30m', config: { 'interval-report': 600 } }],
    expect: ['downlink.delivered == fleet.devices', 'downlink.delivered max < 31m'],
  });
  const { passed, expectations } = await run(plan, { transport: 'memory' });
  expect(expectations.filter((one) => !one.passed)).toEqual([]);
  expect(passed).toBe(true);
});

it('the guide contains exactly the test above', () => {
  const body = (text: string) => /it\('a new configuration[\s\S]*?\n}\);/.exec(text)?.[0];
  const shown = body(readFileSync('docs/SCENARIOS.md', 'utf8'));
  expect(shown).toBeDefined();
  expect(body(readFileSync(import.meta.filename, 'utf8'))).toBe(shown);
});

it('all mistakes are reported together, each with its path', () => {
  const broken = () =>
    defineScenario({
      name: 'broken',
      duration: 'long',
      fleet: [{ name: 'clime', profile: 'climate', count: 0 }],
      steps: [{ at: '1h', to: 'clima', shell: 'send' }],
    });
  expect(broken).toThrow(InputError);
  expect(broken).toThrow(
    /^duration: "long" is not a duration[^\n]*\nfleet\[0\]\.count: "0" is not[^\n]*\nfleet\[0\]\.profile: "climate" is not[^\n]*\nsteps\[0\]\.to: "clima" is not/,
  );
});

it('a value that is not a scenario is rejected with a message', () => {
  // @ts-expect-error JavaScript lets it pass
  expect(() => defineScenario(undefined)).toThrow(/^the scenario: "undefined" is not a scenario: a map with name/);
});

it('files that a scenario names are read from the given folder', () => {
  const step = { at: '1h', sensor: { 'hygrometer.temperature': { replay: 'cellar.csv' } } };
  const fleet = [{ name: 'clime', profile: 'clime', count: 1 }];
  const replaying = { name: 'replaying', duration: '2h', fleet, steps: [step] };
  expect(() => defineScenario(replaying)).toThrow('needs the option "folder" to name files');
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-folder-'));
  try {
    writeFileSync(join(folder, 'cellar.csv'), 'time [min],temperature\n0,21\n10,30\n');
    expect(defineScenario(replaying, { folder }).actions).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('keys that only files may have are rejected', () => {
  const fleet = [{ name: 'clime', profile: 'clime', count: 1 }];
  // @ts-expect-error JavaScript lets it pass
  expect(() => defineScenario({ name: 'files', duration: '2h', fleet, vars: { n: 1 } })).toThrow(
    'vars: "vars" is for YAML files; use the variables and modules of TypeScript',
  );
});

it('a value that is not a plan is rejected with a message', async () => {
  // @ts-expect-error JavaScript lets it pass
  await expect(run({ name: 'not-defined' })).rejects.toThrow(
    new UsageError('no-plan', 'run needs a plan, as defineScenario returns it'),
  );
});

it('invalid values of options are rejected, all together', async () => {
  const plan = defineScenario({ name: 'fine', duration: '1h', fleet: [{ name: 'clime', profile: 'clime', count: 1 }] });
  // @ts-expect-error JavaScript lets it pass
  await expect(run(plan, { clock: 'fast', transport: 'pigeon', speed: 0 })).rejects.toThrow(
    new InputError(
      [
        ['clock', '"fast" is not one of virtual or real'],
        ['speed', '"0" is not a number above 0'],
        ['transport', '"pigeon" is not one of memory, udp or http'],
      ].map(([file = '', message = '']) => ({ file, line: 0, column: 0, message })),
    ),
  );
});

it('a seed given as an option and the same seed in the scenario give the same plan', () => {
  const fleet = [{ name: 'clime', profile: 'clime', count: 3 }] as const;
  expect(defineScenario({ name: 'same', duration: '1h', fleet }, { seed: 3 })).toEqual(
    defineScenario({ name: 'same', duration: '1h', fleet, seed: 3 }),
  );
});
