/** `ghostfleet profile`, and the profiles of a user. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../scripts/pages/pages.js';
import { ghostfleet } from '../support/host.js';

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-profile-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const PUSH = readFileSync('profiles/push.yaml', 'utf8');
/** The folder of this profile has no common/chester.yaml, so it extends the packaged one. */
const MINE = file('mine.yaml', PUSH.replace('title: CHESTER Push', 'title: My own'));
const BROKEN = file(
  'broken.yaml',
  PUSH.replace('transfer_buffer: 16384', 'transfer_buffer: 1').replace('[lrw,', '[lrv,'),
);

describe('ghostfleet profile check', () => {
  it('accepts packaged profiles and profiles that extend them', async () => {
    const { exit, out } = await ghostfleet(['profile', 'check', 'profiles/serial.yaml', MINE]);
    expect([exit, out]).toEqual([0, `profiles/serial.yaml: valid\n${MINE}: valid\n`]);
  });

  it('lists all problems of all files, each with its place', async () => {
    const { exit, out, err } = await ghostfleet(['profile', 'check', BROKEN, MINE, join(directory, 'none.yaml')]);
    expect(exit).toBe(2);
    expect(out).toBe(`${MINE}: valid\n`);
    expect(err).toContain(`${BROKEN}:12:18: "1" is not a whole number from 512 to 16384`);
    expect(err).toMatch(/broken\.yaml:15:9: "lrv" is not one of .*\(did you mean "lrw"\?\)/);
    expect(err).toContain('none.yaml" cannot be read: the file does not exist');
  });

  it('requires a file', async () => {
    const { exit, err } = await ghostfleet(['profile', 'check']);
    expect(exit).toBe(2);
    expect(err).toContain('profile check requires a file');
  });
});

describe('ghostfleet profile show', () => {
  it('prints the file of a packaged profile unchanged', async () => {
    expect((await ghostfleet(['profile', 'show', 'push'])).out).toBe(PUSH);
  });

  it('with --resolved prints a file without "extends" that is valid', async () => {
    for (const name of ['wmbus', MINE]) {
      const { exit, out } = await ghostfleet(['profile', 'show', name, '--resolved']);
      expect(exit).toBe(0);
      const alone = file('alone.yaml', out);
      expect((await ghostfleet(['profile', 'check', alone])).exit).toBe(0);
      expect(out).toContain('modem_firmware: mfw_nrf91x1');
    }
  });

  it('lists the profiles if the name is unknown', async () => {
    const { exit, err } = await ghostfleet(['profile', 'show', 'fridge']);
    expect(exit).toBe(2);
    expect(err).toContain('unknown profile "fridge"; expected one of clime, clime-iaq,');
  });
});

describe('ghostfleet profile schema', () => {
  it('prints the packaged schema', async () => {
    const { out } = await ghostfleet(['profile', 'schema']);
    expect(JSON.parse(out)).toEqual(JSON.parse(PAGES['schemas/profile.schema.json']?.() ?? ''));
  });
});

describe('a profile of the user', () => {
  const scenario = (name: string) =>
    file(
      name,
      'name: own\nduration: 40m\nfleet: [{ name: mine, profile: mine, count: 1 }]\nexpect: [device.ready == 1]\n',
    );

  it('in a folder "profiles" can be used by the scenarios beside this folder', async () => {
    const own = scenario('own.yaml');
    expect((await ghostfleet(['validate', own])).err).toContain('"mine" is not one of');
    mkdirSync(join(directory, 'profiles'));
    file('profiles/mine.yaml', PUSH);
    expect((await ghostfleet(['run', own])).exit).toBe(0);
  });

  it('is rejected with the place of its error', async () => {
    file('profiles/mine.yaml', readFileSync(BROKEN, 'utf8'));
    const { exit, err } = await ghostfleet(['validate', scenario('own.yaml')]);
    expect(exit).toBe(2);
    expect(err).toContain(`${join(directory, 'profiles', 'mine.yaml')}:12:18:`);
  });
});

describe('ghostfleet profile new', () => {
  const page = readFileSync('docs/PROFILES.md', 'utf8');
  const [, history = ''] = /<!-- example: well\.json -->\n```json\n([\s\S]*?)```/.exec(page) ?? [];
  const drafts = join(directory, 'own', 'profiles');
  mkdirSync(drafts, { recursive: true });

  it('writes profiles that run without changes: from the history in docs/PROFILES.md, and from both templates', async () => {
    const from = file('well.json', history);
    const well = join(drafts, 'well.yaml');
    expect((await ghostfleet(['profile', 'new', well, '--from', from])).exit).toBe(0);
    expect((await ghostfleet(['profile', 'new', join(drafts, 'room.yaml')])).exit).toBe(0);
    expect((await ghostfleet(['profile', 'new', join(drafts, 'node.yaml'), '--family', 'hio'])).exit).toBe(0);
    const draft = readFileSync(well, 'utf8');
    for (const known of ['fw_bundle: com.example.well', 'depth-alarm:', 'default: 600', 'last probe.depth'])
      expect(draft).toContain(known);
    const fleet = ['well', 'room', 'node'].map((name) => `  - { name: ${name}, profile: ${name}, count: 1 }`);
    const expects = ['expect:', '  - device.ready == 3', '  - uplink.stored >= 9', '  - uplink.stored == uplink.made'];
    const lines = ['name: drafts', 'about: drafts', 'duration: 1h', 'fleet:', ...fleet, ...expects];
    const { exit, err } = await ghostfleet(['run', file('own/drafts.yaml', `${lines.join('\n')}\n`)]);
    expect([exit, err]).toEqual([0, '']);
  });

  it('rejects a name that is not valid, and a file that exists or cannot be written', async () => {
    expect((await ghostfleet(['profile', 'new', join(drafts, 'My Room.yaml')])).err).toContain(
      'is not a name for a profile',
    );
    const reasons = [MINE, join(directory, 'none', 'a.yaml')].map(async (path) => {
      const { exit, err } = await ghostfleet(['profile', 'new', path]);
      expect(exit).toBe(2);
      return err.replace(path, 'FILE');
    });
    expect(await Promise.all(reasons)).toEqual([
      'ghostfleet: cannot write "FILE": a file with that name exists\n',
      'ghostfleet: cannot write "FILE": no such directory\n',
    ]);
  });

  it('reports line and value of each problem in a history', async () => {
    const from = file(
      'odd.json',
      '[\n  { "type": "data", "body": null },\n  { "type": "data", "body": { "a": "x" } }\n]',
    );
    const { exit, err } = await ghostfleet(['profile', 'new', join(drafts, 'a.yaml'), '--from', from]);
    expect([exit, err.replaceAll(from, 'FILE')]).toEqual([
      2,
      [
        'ghostfleet: FILE:2:29: "null" is not a map of sections with the values of a report',
        'FILE:3:36: "x" is not a section with numbers, such as {"probe": {"depth": 1.25}}, and no report has one\n',
      ].join('\n'),
    ]);
  });

  it('rejects a history whose profile would be too long, with the path of the history', async () => {
    const sections = Array.from({ length: 40 }, (_, n) => [
      `s${n}`,
      Object.fromEntries(Array.from({ length: 60 }, (__, m) => [`k${m}`, 5])),
    ]);
    const messages = [
      { type: 'data', body: Object.fromEntries(sections) },
      { type: 'config', body: ['app config a 5'] },
      { type: 'session', body: { fw_name: 'W' } },
    ];
    const from = file('long.json', JSON.stringify(messages));
    const { exit, err } = await ghostfleet(['profile', 'new', join(drafts, 'long.yaml'), '--from', from]);
    expect(exit).toBe(2);
    expect(err).toContain(`${from}: a profile of these messages is not valid: the file is too long`);
  });
});
