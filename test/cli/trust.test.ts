/** The options with which the command line permits a scenario to use files in other folders, hosts and private networks. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

const top = mkdtempSync(join(tmpdir(), 'ghostfleet-trust-'));
afterAll(() => rmSync(top, { recursive: true }));
mkdirSync(join(top, 'scenario'));
const script = join(top, 'forward.js');
writeFileSync(script, 'function main() { return null; }');

function scenario(name: string, rest: string): string {
  const file = join(top, 'scenario', `${name}.yaml`);
  writeFileSync(file, `name: ${name}\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n${rest}`);
  return file;
}

describe('a file outside the folder of the scenario', () => {
  const file = scenario('outside', 'setup: [{ connector: { name: forward, file: ../forward.js } }]\n');

  it.each(['validate', 'plan', 'run'])('is refused by %s', async (command) => {
    const { exit, err } = await ghostfleet([command, file]);
    expect(err).toContain('"../forward.js" is not in the folder of the scenario');
    expect(exit).toBe(2);
  });

  it('is read if the command line names it', async () => {
    expect(await ghostfleet(['validate', file, '--allow-file', script])).toMatchObject({ exit: 0 });
    expect((await ghostfleet(['run', file, '--allow-file', '/etc/hostname'])).exit).toBe(2);
  });
});

describe('a profile beside the scenario', () => {
  it('is not read through a link to a file outside the folder, and no message shows text of that file', async () => {
    const folder = join(top, 'linked');
    mkdirSync(join(folder, 'profiles'), { recursive: true });
    writeFileSync(join(top, 'secret.txt'), 'a-secret-of-this-machine');
    symlinkSync(join(top, 'secret.txt'), join(folder, 'profiles', 'evil.yaml'));
    const file = join(folder, 'linked.yaml');
    writeFileSync(file, 'name: linked\nduration: 1m\nfleet: [{ name: dd, profile: evil, count: 1 }]\n');
    for (const command of ['validate', 'plan', 'run']) {
      const { exit, err } = await ghostfleet([command, file]);
      expect(err).toContain('"profiles/evil.yaml" is not in the folder of the scenario');
      expect(err).not.toContain('a-secret');
      expect(exit).toBe(2);
    }
  });
});

describe('shrink', () => {
  const never = 'expect: [fleet.devices > 5]\n';

  it('reads files outside the folder, and accepts allow-private, only if the command line permits it', async () => {
    const connector = 'setup: [{ connector: { name: forward, file: ../forward.js } }]\n';
    const file = scenario('reduced', `cloud: { allow-private: true }\n${connector}${never}`);
    const shrunk = (...flags: readonly string[]) => ghostfleet(['shrink', file, '--budget', '1s', ...flags]);
    expect((await shrunk('--allow-private')).err).toContain('"../forward.js" is not in the folder');
    expect((await shrunk('--allow-file', script)).err).toContain('run it with --allow-private');
    const { exit, out } = await shrunk('--allow-file', script, '--allow-private');
    const words = `--allow-file ${script} --allow-private`;
    expect([exit, out]).toEqual([0, expect.stringContaining(words)]);
    const result = readFileSync(file.replace('.yaml', '-small.yaml'), 'utf8');
    expect(result).toContain(`#     ghostfleet run reduced-small.yaml ${words}\n`);
  });
});

describe('a scenario with allow-private', () => {
  const file = scenario('private', 'cloud: { allow-private: true }\n');

  it('runs only if the command line permits it', async () => {
    const refused = await ghostfleet(['run', file]);
    expect([refused.exit, refused.err]).toEqual([2, expect.stringContaining('run it with --allow-private')]);
    const { exit, out } = await ghostfleet(['run', file, '--allow-private', '--allow-host', 'hooks.example.com']);
    expect([exit, out]).toEqual([0, expect.stringContaining('--allow-host hooks.example.com --allow-private')]);
  });

  it('is valid', async () => {
    expect(await ghostfleet(['validate', file])).toMatchObject({ exit: 0 });
  });
});

it('the path of a request in setup cannot leave the space', async () => {
  const file = scenario('climb', 'setup: [{ request: { post: /keys/../../other, body: {} } }]\n');
  expect((await ghostfleet(['validate', file])).err).toContain('"/keys/../../other" is not a path below the space');
});
