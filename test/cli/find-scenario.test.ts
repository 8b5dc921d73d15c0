/** Scenarios of `run`, `plan` and `validate`: files, packaged scenarios by name, and the standard input. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

const SMALL = [
  'name: typed',
  'duration: 1m',
  'fleet: [{ name: clime, profile: clime, count: 1 }]',
  'expect: [device.boots == 1]',
];

it.each(['typed', 'typed.yml'])('the message for %s names the file typed.yaml beside it', async (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-names-'));
  writeFileSync(join(folder, 'typed.yaml'), SMALL.join('\n'));
  const { exit, err } = await ghostfleet(['plan', join(folder, name)]);
  rmSync(folder, { recursive: true });
  expect([exit, err]).toEqual([2, expect.stringContaining(`(did you mean "${join(folder, 'typed.yaml')}"?)`)]);
});

describe('a packaged scenario', () => {
  it.each([
    ['demo', 'demo'],
    ['library/boot-storm', 'boot-storm'],
    ['boot-storm', 'boot-storm'],
    ['boot-storm.yaml', 'boot-storm'],
    ['applications/demo', 'demo'],
  ])('is found as %s', async (name, scenario) => {
    const { exit, out } = await ghostfleet(['plan', name]);
    expect([exit, out]).toEqual([0, expect.stringMatching(new RegExp(`^plan of ${scenario} `))]);
  });

  it('is not used if a file has its name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-names-'));
    const before = process.cwd();
    try {
      writeFileSync(join(folder, 'demo'), SMALL.join('\n'));
      process.chdir(folder);
      expect((await ghostfleet(['plan', 'demo'])).out).toMatch(/^plan of typed /);
    } finally {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['boot-strom', 'no packaged scenario has this name (did you mean "boot-storm"?)'],
    ['library/boot-strom', 'no packaged scenario has this name (did you mean "library/boot-storm"?)'],
    ['xyzzy', 'no packaged scenario has this name: the packaged scenarios are applications/clime, '],
    ['my-own-file.yaml', '"my-own-file.yaml" cannot be read: the file does not exist\n'],
  ])('is not found as %s, and the message gives the reason', async (name, message) => {
    const { exit, err } = await ghostfleet(['run', name]);
    expect([exit, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('the standard input', () => {
  const before = process.cwd();
  // The tests run in an empty folder, because a scenario from stdin uses the profiles of the current folder, and the root of
  // the project has many profiles.
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-stdin-'));
  beforeAll(() => process.chdir(folder));
  afterAll(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });

  it('is run, planned and validated if the file is "-"', async () => {
    expect(await ghostfleet(['run', '-'], { typed: SMALL })).toMatchObject({ exit: 0 });
    expect((await ghostfleet(['plan', '-'], { typed: SMALL })).out).toMatch(/^plan of typed /);
    expect((await ghostfleet(['validate', '-'], { typed: SMALL })).out).toBe('-: valid\n');
  });

  it('is named in messages about problems, with line and column', async () => {
    const { exit, err } = await ghostfleet(['run', '-'], { typed: ['name: typed', 'duration: 1 hour'] });
    expect([exit, err]).toEqual([2, expect.stringContaining('<stdin>:2:11: "1 hour" is not a duration')]);
  });
});
