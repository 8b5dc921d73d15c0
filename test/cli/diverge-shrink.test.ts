/** `diverge` and `shrink` as their user sees them. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { directory, file, hopeless, out, PLANTED, planted, reduced } from './diverge-shrink-support.js';

afterAll(() => rmSync(directory, { recursive: true }));

describe('ghostfleet shrink', () => {
  it('writes a small scenario that fails in the same way, and does not change the original', async () => {
    const { out: printed, err, text } = await reduced('1');
    expect(err).toMatch(/^ +\d+ tries {2}the group "control" alone$/m);
    expect(err).toContain('of "control" only device 3');
    expect(printed).toContain(`ghostfleet run ${out}`);
    expect(readFileSync(planted, 'utf8')).toBe(PLANTED);
    expect(text).toMatch(
      /^# Reduced by "ghostfleet shrink" from planted.yaml with seed 1\. It fails in the same way:\n/,
    );
    expect(text.split('\n').filter((line) => /^ {2}- /.test(line)).length).toBeLessThanOrEqual(4);
    expect(text).toContain('count: 1');
    expect(text).toContain('  # Never arrives.\n  - { at: 5m, downlink: { output_1_state: 1 } }\n');
    expect(text).not.toMatch(/clime|always no-loss/);
    const again = await ghostfleet(['run', out]);
    expect(again.out).toContain('✗ always downlinks-settled');
  }, 60_000);

  it('rejects a scenario that passes, with exit code 2', async () => {
    const path = file(
      'fine.yaml',
      PLANTED.replace('  - always downlinks-settled\n', '').replace('from: 4m', 'from: 4m, until: 5m'),
    );
    const { exit, err } = await ghostfleet(['shrink', path, '--seed', '9']);
    expect(exit).toBe(2);
    expect(err).toContain('passes with seed 9');
    expect(existsSync(join(directory, 'fine-small.yaml'))).toBe(false);
  });

  it.each([
    [['--budget', 'soon'], '--budget "soon" is not a duration'],
    [['--workers', '0'], '--workers "0" is not a whole number from 1 to 64'],
    [['--out', join(directory, 'same.yaml')], '--out and <file> name the same file'],
    [['--out', join(directory, 'nowhere', 'x.yaml')], 'cannot write'],
  ])('rejects %j before it begins', async (flags, complaint) => {
    const { exit, err } = await ghostfleet(['shrink', file('same.yaml', PLANTED), ...flags]);
    expect(err).toContain(complaint);
    expect(exit).toBe(2);
  });

  it.each(['common.yaml', 'recording.csv'])('does not overwrite %s, which the scenario names', async (name) => {
    const out = file(name, name === 'common.yaml' ? 'duration: 15m\n' : 'time [min],temperature\n0,21\n');
    const before = readFileSync(out, 'utf8');
    const sensor = '{ at: 1m, sensor: { hygrometer.temperature: { replay: recording.csv, column: temperature } } }';
    const text = `name: two-files
${name === 'common.yaml' ? 'include: [common.yaml]' : 'duration: 15m'}
fleet:
  - { name: clime, profile: clime, count: 1 }
network: { faults: [{ outage: both }] }
${name === 'common.yaml' ? '' : `steps: [${sensor}]`}
expect: [device.ready == fleet.devices]
`;
    const { exit, err } = await ghostfleet(['shrink', file('two-files.yaml', text), '--out', out]);
    expect(err).toContain(`--out "${out}" is a file that the scenario names; choose another file`);
    expect(exit).toBe(2);
    expect(readFileSync(out, 'utf8')).toBe(before);
  });

  it.each(['', '--out'])('does not replace a scenario of the user in the place of its result %s', async (option) => {
    const result = file('mine-small.yaml', PLANTED);
    const { exit, err } = await ghostfleet(['shrink', file('mine.yaml', PLANTED), ...(option ? [option, result] : [])]);
    expect([exit, err]).toEqual([2, expect.stringContaining(`"${result}" has other content than a reduced scenario`)]);
    expect(err).not.toContain('running');
    expect(readFileSync(result, 'utf8')).toBe(PLANTED);
  });

  it('replaces its own result', async () => {
    const path = file('again.yaml', hopeless(1));
    for (const _ of [1, 2]) expect((await ghostfleet(['shrink', path, '--workers', '1'])).exit).toBe(0);
  });

  it('rejects --out in another folder if the scenario cannot include the same files from there, and writes no file', async () => {
    const elsewhere = join(directory, 'elsewhere');
    mkdirSync(elsewhere);
    file('rest.yaml', 'settle: 1m\n');
    const out = join(elsewhere, 'small.yaml');
    const text = `include: [rest.yaml]\n${PLANTED}`;
    const { exit, err } = await ghostfleet(['shrink', file('parts.yaml', text), '--out', out]);
    expect([exit, err]).toEqual([2, expect.stringContaining(`in the folder of "${out}"`)]);
    expect(err).not.toContain('running');
    expect(existsSync(out)).toBe(false);
  });

  it('writes one cut in the singular, and a command that can be pasted into a shell', async () => {
    const path = file("bob's one.yaml", hopeless(1));
    const flags = ['--workers', '1', '--budget', '1d', '--allow-host', 'a b'];
    const { out } = await ghostfleet(['shrink', path, ...flags]);
    expect(out).toMatch(/; 1 cut in \d+ tries, nothing more can be removed\n/);
    expect(out.split('\n').at(-2)).toMatch(/^ghostfleet run '\S+\/bob'\\''s one-small\.yaml' --allow-host 'a b'$/);
  });

  it('says that it has found nothing if it is interrupted before its first result, and writes no file', async () => {
    const out = join(directory, 'early.yaml');
    const { exit, out: printed } = await ghostfleet(['shrink', file('slow.yaml', PLANTED), '--out', out], {
      interruptOn: /^running /,
    });
    expect(exit).toBe(130);
    expect(printed).toBe('interrupted: no smaller scenario has been found yet\n');
    expect(existsSync(out)).toBe(false);
  });
});

describe('ghostfleet diverge', () => {
  // Without a downlink: the report of a run repeats the devices of its slowest downlinks.
  const small = file('small-run.yaml', PLANTED.replace(/^steps:\n(?: .*\n)+/m, ''));
  const one = join(directory, 'one');
  const two = join(directory, 'two');
  const other = join(directory, 'other');

  it('finds no difference with equal seeds, and shows the first difference with different seeds', async () => {
    await ghostfleet(['run', small, '--out', one]);
    await ghostfleet(['run', small, '--out', two]);
    await ghostfleet(['run', small, '--out', other, '--seed', '2']);
    const same = await ghostfleet(['diverge', one, two]);
    expect(same).toMatchObject({ exit: 0, err: '' });
    expect(same.out).toMatch(/same scenario, seed, plan, version.*\n\nThe same: \d+ events\.\n$/);
    const differ = await ghostfleet(['diverge', one, join(other, 'events.jsonl')]);
    expect(differ.exit).toBe(3);
    expect(differ.out).toContain('seed differs: 1 in A, 2 in B');
    expect(differ.out).toMatch(/ {2}device (clime|control)-000\d/);
    expect(differ.out).toContain('different fields: ');
  });

  it('fails if there is nothing to compare', async () => {
    const both = await ghostfleet(['diverge', file('empty.jsonl', ''), file('hollow.jsonl', '')]);
    expect([both.exit, both.err]).toEqual([2, 'ghostfleet: there is nothing to compare: no event\n']);
    const packed = join(directory, 'packed');
    mkdirSync(packed);
    writeFileSync(join(packed, 'events.jsonl'), gzipSync('{"kind":"device.boot","at":0}\n'));
    const { exit, err } = await ghostfleet(['diverge', one, packed]);
    expect([exit, err]).toEqual([
      2,
      expect.stringContaining(`nothing to compare: no event\n"${packed}" has no summary`),
    ]);
  });

  it('does not take the line ends of Windows for a difference', async () => {
    const [lf, crlf] = [file('lf.jsonl', '{"kind":"a","at":0}\n'), file('crlf.jsonl', '{"kind":"a","at":0}\r\n')];
    expect((await ghostfleet(['diverge', lf, crlf])).err).toContain(`the lines of "${crlf}" end with CR LF`);
    expect((await ghostfleet(['diverge', crlf, crlf])).out).toContain('The same: 1 event.');
  });

  it('shows facts of a summary that are not what they should be', async () => {
    const odd = join(directory, 'odd');
    cpSync(one, odd, { recursive: true });
    writeFileSync(join(odd, 'summary.json'), '{"seed":{"toString":1},"names":{"1":[]}}');
    const { exit, out } = await ghostfleet(['diverge', odd, one]);
    expect(exit).toBe(0);
    expect(out).toContain('seed differs: {"toString":1} in A, 1 in B');
  });

  it('rejects a file that was cut off, with its line, and a missing file', async () => {
    const cut = file('cut.jsonl', readFileSync(join(one, 'events.jsonl'), 'utf8').slice(0, 1000));
    const { exit, err } = await ghostfleet(['diverge', one, cut]);
    expect(exit).toBe(2);
    expect(err).toMatch(/cut\.jsonl:\d+: not an event/);
    const missing = await ghostfleet(['diverge', join(directory, 'gone'), cut]);
    expect(missing).toMatchObject({ exit: 2 });
    expect(missing.err).toContain('file not found');
  });
});
