/** Options with which a program permits scenarios to use other files and private networks, as on the command line. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defineScenario, readScenario, run, runScenario, type ScenarioDefinition } from '../../src/index.js';

const top = mkdtempSync(join(tmpdir(), 'ghostfleet-trust-'));
afterAll(() => rmSync(top, { recursive: true }));
const folder = join(top, 'scenario');
mkdirSync(folder);
const script = join(top, 'forward.js');
writeFileSync(script, 'function main() { return null; }');

const fleet = [{ name: 'clime', profile: 'clime', count: 1 }];
const outside: ScenarioDefinition = {
  ...{ name: 'outside', duration: '1m', fleet },
  setup: [{ connector: { name: 'forward', file: '../forward.js' } }],
};
const file = join(folder, 'outside.yaml');
writeFileSync(file, JSON.stringify(outside));

describe('a file outside the folder of the scenario', () => {
  const message = '"../forward.js" is not in the folder of the scenario';

  it('is not read without the option allowFiles', async () => {
    expect(() => readScenario(file)).toThrow(message);
    expect(() => defineScenario(outside, { folder })).toThrow(message);
    await expect(runScenario(file)).rejects.toThrow(message);
  });

  it('is read with the option allowFiles', () => {
    expect(readScenario(file, { allowFiles: [script] }).scenario).toBe('outside');
    expect(defineScenario(outside, { folder, allowFiles: [script] }).scenario).toBe('outside');
  });
});

it('a scenario with allow-private runs only with the option allowPrivate', async () => {
  const definition: ScenarioDefinition = { name: 'private', duration: '1m', fleet, cloud: { 'allow-private': true } };
  await expect(runScenario(definition)).rejects.toMatchObject({
    code: 'untrusted',
    hint: 'if you trust the scenario, run it with the option allowPrivate',
  });
  expect((await run(defineScenario(definition), { allowPrivate: true, allowHosts: [] })).passed).toBe(true);
});
