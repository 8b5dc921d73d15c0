/** `ghostfleet init`: each template works as it is written, and no file of the user is changed. vitest runs templates/ itself. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet } from '../support/host.js';

const before = process.cwd();
beforeEach(() => process.chdir(folderOfTest()));
afterEach(() => process.chdir(before));

const written = () => readdirSync('.', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

it('init without a word writes the scenario', async () => {
  const { exit, out } = await ghostfleet(['init']);
  expect([exit, out]).toEqual([0, expect.stringContaining('next: npx ghostfleet run fleet.yaml\n')]);
  expect(readFileSync('fleet.yaml', 'utf8')).toBe(readFileSync(`${before}/templates/fleet.yaml`, 'utf8'));
});

it('init device writes a profile that is valid', async () => {
  await ghostfleet(['init', 'device']);
  expect(await ghostfleet(['profile', 'check', 'profiles/my-device.yaml'])).toMatchObject({ exit: 0 });
});

it('init vitest writes the test that the tests of ghostfleet run too', async () => {
  expect(await ghostfleet(['init', 'vitest'])).toMatchObject({ exit: 0 });
  expect(readFileSync('fleet.test.ts', 'utf8')).toBe(readFileSync(`${before}/templates/fleet.test.ts`, 'utf8'));
});

it('init ci writes a workflow whose commands pass with the ghostfleet of the project, published or not', async () => {
  expect(await ghostfleet(['init', 'ci'])).toMatchObject({ exit: 0 });
  const { version } = JSON.parse(readFileSync(`${before}/package.json`, 'utf8'));
  const workflow = readFileSync('.github/workflows/ghostfleet.yml', 'utf8');
  expect(workflow).toContain(`npm install --save-dev ./ghostfleet-${version}.tgz\n`);
  const commands: readonly string[] = parse(workflow).jobs.fleet.steps.flatMap(
    ({ run }: { readonly run?: string }) => run ?? [],
  );
  expect(commands).toEqual(['npm ci', expect.stringMatching(/^npx ghostfleet run /)]);
  const words = commands.at(-1)?.replace('"$GITHUB_STEP_SUMMARY"', 'summary.md').split(' ').slice(2) ?? [];
  // Another test runs the scenario of the template.
  writeFileSync('fleet.yaml', 'name: fleet\nduration: 10m\nfleet: [{ name: logger, profile: clime, count: 1 }]\n');
  expect(await ghostfleet(words)).toMatchObject({ exit: 0 });
  expect(readFileSync('summary.md', 'utf8')).toContain('### fleet: passed');
});

it.each([
  ['scenario', 'fleet.yaml'],
  ['vitest', 'fleet.test.ts'],
  ['ci', '.github/workflows/ghostfleet.yml'],
  ['device', 'profiles/my-device.yaml'],
])('init %s writes nothing if %s exists, and names the file', async (what, file) => {
  mkdirSync('.github/workflows', { recursive: true });
  mkdirSync('profiles');
  writeFileSync(file, 'mine');
  const { exit, err } = await ghostfleet(['init', what]);
  expect([exit, err]).toEqual([2, expect.stringContaining(`"${file}" exists, and init never changes a file`)]);
  expect([readFileSync(file, 'utf8'), written().length]).toEqual(['mine', 1]);
});

it('init ci keeps a scenario that exists', async () => {
  writeFileSync('fleet.yaml', 'mine');
  const { exit, out } = await ghostfleet(['init', 'ci']);
  expect([exit, out]).toEqual([0, expect.stringContaining('fleet.yaml exists and stays as it is\n')]);
  expect(readFileSync('fleet.yaml', 'utf8')).toBe('mine');
});

it.each([
  ['scenaro', 'did you mean "scenario"?'],
  ['vitets', 'did you mean "vitest"?'],
  ['cl', 'did you mean "ci"?'],
  ['devices', 'did you mean "device"?'],
  ['-', '<what> "-" is not one of scenario, vitest, ci or device'],
])('init %s is rejected: %s', async (word, guess) => {
  const { exit, err } = await ghostfleet(['init', word]);
  expect([exit, err]).toEqual([2, expect.stringContaining(guess)]);
  expect(written()).toEqual([]);
});

it.each([
  ['ci', '.github', '.github/workflows/ghostfleet.yml'],
  ['device', 'profiles', 'profiles/my-device.yaml'],
])('init %s writes nothing through a link %s to a folder elsewhere', async (what, link, file) => {
  const elsewhere = folderOfTest();
  symlinkSync(elsewhere, link);
  const { exit, out, err } = await ghostfleet(['init', what]);
  expect([exit, out, err]).toEqual([2, '', expect.stringContaining(`"${file}" leads out of this folder`)]);
  expect(readdirSync(elsewhere)).toEqual([]);
});

it('init says that a file is written only when it is', async () => {
  symlinkSync('nowhere', 'fleet.yaml');
  const { exit, out, err } = await ghostfleet(['init']);
  expect([exit, out, err]).toEqual([2, '', expect.stringContaining('"fleet.yaml"')]);
});

it('a file in the place of a folder is an error that names the file', async () => {
  writeFileSync('profiles', 'mine');
  const { exit, err } = await ghostfleet(['init', 'device']);
  expect([exit, err]).toEqual([2, expect.stringContaining('cannot write "profiles/my-device.yaml"')]);
});
