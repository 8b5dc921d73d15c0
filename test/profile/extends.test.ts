/** Profiles that extend others. */
import { describe, expect, it } from 'vitest';
import { readProfile } from '../../src/profile/read.js';
import { changed, FILES, problemsOf, read } from './fixtures.js';

describe('extends', () => {
  const base = 'profiles/common/chester.yaml';

  it('merges maps, and the extending file wins', () => {
    const profile = read({ change: [['fw_name: CHESTER Clime', 'fw_name: CHESTER Clime\n  vendor: ACME']] });
    expect(profile.identity).toMatchObject({ vendorName: 'ACME', productName: 'CHESTER-M', fwName: 'CHESTER Clime' });
  });

  it('reports a problem of an extended file with the path of that file', () => {
    const [problem] = problemsOf({ others: { [base]: changed(FILES[base] ?? '', [['jitter: 20%', 'jitter: 120%']]) } });
    expect(problem).toMatchObject({ file: base });
    expect(problem?.message).toContain('"120%" is not');
  });

  it('removes an inherited value that the extending file sets to ~', () => {
    const profile = read({ change: [['identity:', 'supply_module: ~\nidentity:']] });
    expect(read()).toHaveProperty('supplyModule');
    expect(profile.supplyModule).toBeUndefined();
  });

  it('names, for a problem of an inherited entry, the line that removes the entry', () => {
    const without = (parameter: string) => problemsOf({ change: [[`${parameter}: {`, 'other: {']] });
    expect(without('downlink-wdg-interval')).toMatchObject([
      {
        file: base,
        message:
          '"downlink-wdg-interval" is not a configuration parameter of this device type; to remove this inherited entry, write "timing: { downlink_watchdog: ~ }"',
      },
    ]);
    const [incomplete] = problemsOf({ change: [['  backup: { capacity: 32 }\n', '']] });
    expect(incomplete?.message).toBe(
      'an edge event list needs "capacity"; to remove this inherited entry, write "events: { backup: ~ }"',
    );
  });

  it('names no such line for a problem of the file itself', () => {
    const [own] = problemsOf({ change: [['send_timeout: send-timeout', 'send_timeout: patience']] });
    expect(own?.message).toBe('"patience" is not a configuration parameter of this device type');
  });

  it('may be chained', () => {
    const middle = 'extends: common/chester.yaml\nidentity: { hw_revision: R9.9 }\n';
    const profile = read({
      change: [['extends: common/chester.yaml', 'extends: middle.yaml']],
      others: { 'profiles/middle.yaml': middle },
    });
    expect(profile.identity).toMatchObject({ hwRevision: 'R9.9', vendorName: 'HARDWARIO' });
  });

  it('merges several files, the later over the earlier; a value that a later file removes from its own base is kept', () => {
    const profile = read({
      change: [['extends: common/chester.yaml', 'extends: [common/first.yaml, common/second.yaml]']],
      others: {
        'profiles/common/first.yaml': 'extends: chester.yaml\nidentity: { hw_variant: A, hw_revision: R1 }\n',
        'profiles/common/second.yaml': 'extends: chester.yaml\nidentity: { hw_revision: R2 }\nsupply_module: ~\n',
      },
    });
    expect(profile.identity).toMatchObject({ hwVariant: 'CGLS', hwRevision: 'R2' });
    expect(profile).toHaveProperty('supplyModule');
  });

  it('rejects an empty list of files', () => {
    const [problem] = problemsOf({ change: [['extends: common/chester.yaml', 'extends: []']] });
    expect(problem?.message).toBe('an empty list of files to extend');
  });

  it('inserts a parameter `after` another one, and rejects an unknown one', () => {
    const added = (after: string) =>
      `parameters:\n        color: { type: int, range: [0, 9], default: 1, after: ${after}, help: Color. }`;
    const { modules } = read({ change: [['parameters:', added('interval-sample')]] });
    expect(modules[0]?.parameters.slice(0, 3).map(({ name }) => name)).toEqual([
      ...['interval-sample', 'color', 'interval-aggreg'],
    ]);
    const [problem] = problemsOf({ change: [['parameters:', added('interval-sampel')]] });
    expect(problem?.message).toContain('is not another parameter of this module (did you mean "interval-sample"?)');
  });

  it('rejects a file that extends itself', () => {
    const problems = problemsOf({
      change: [['extends: common/chester.yaml', 'extends: middle.yaml']],
      others: { 'profiles/middle.yaml': 'extends: clime.yaml' },
    });
    expect(problems[0]).toMatchObject({ file: 'profiles/middle.yaml', line: 1 });
    expect(problems[0]?.message).toContain('profiles/clime.yaml → profiles/middle.yaml → profiles/clime.yaml');
  });

  it.each(['/etc/passwd', '../other.yaml', 'common/../../x.yaml', 'http://host/x.yaml', 'common/chester.json'])(
    'rejects a path that does not lead to a .yaml file below the folder of the profile: %s',
    (path) => {
      const asked: string[] = [];
      const source = changed(FILES['profiles/clime.yaml'] ?? '', [['common/chester.yaml', path]]);
      const reading = () =>
        readProfile(source, 'profiles/clime.yaml', (file) => {
          asked.push(file);
          return undefined;
        });
      expect(reading).toThrow('is not the path of a .yaml file below the folder of this one');
      expect(asked).toEqual([]);
    },
  );

  it('names a missing file', () => {
    expect(problemsOf({ change: [['common/chester.yaml', 'common/chestre.yaml']] })[0]?.message).toBe(
      '"common/chestre.yaml" cannot be read: file profiles/common/chestre.yaml not found',
    );
  });
});
