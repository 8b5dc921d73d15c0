/** `diverge` and `shrink` as their user sees them. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-shrink-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const PLANTED = `# A device that is out of reach when its downlink comes.
name: planted
duration: 10m
fleet:
  - { name: clime, profile: clime, count: 2, config: { interval-report: 60 } }
  # These devices poll.
  - { name: control, profile: control, count: 3, config: { interval-report: 60 } }
network:
  faults:
    - { outage: both, from: 4m, to: control }
steps:
  - { at: 3m, to: clime, commands: [info show] }
  # Never arrives.
  - { at: 5m, to: control/3, downlink: { output_1_state: 1 } }
expect:
  - always no-loss-across-reconnects
  - always downlinks-settled
`;

describe('ghostfleet shrink', () => {
  const planted = file('planted.yaml', PLANTED);
  const out = join(directory, 'small.yaml');

  /** Reduces a scenario, and returns what the program prints and writes. */
  async function reduced(workers: string, scenario = planted) {
    const { exit, ...printed } = await ghostfleet([
      ...['shrink', scenario, '--out', out, '--budget', '1d', '--workers', workers],
    ]);
    expect(exit).toBe(0);
    return { ...printed, text: readFileSync(out, 'utf8') };
  }

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

  it('has the same result with one worker and with three', async () => {
    // `test/scenario/shrink` tests further numbers of simultaneous attempts.
    const four = file('four.yaml', hopeless(4));
    expect(await reduced('3', four)).toEqual(await reduced('1', four));
  }, 60_000);

  it('reduces a scenario whose expectation about numbers is not met', async () => {
    const text = `name: quick
duration: 10m
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 60 } }]
network: { faults: [{ outage: both, from: 4m }] }
steps:
  - { at: 5m, to: clime/2, commands: [info show] }
expect: [downlink.delivered == downlink.queued]
`;
    const { exit, err } = await ghostfleet(['shrink', file('quick.yaml', text), '--workers', '1', '--budget', '1d']);
    expect(exit).toBe(0);
    expect(readFileSync(join(directory, 'quick-small.yaml'), 'utf8')).toContain(
      '- { at: 5m, commands: [ info show ] }',
    );
    expect(err).toMatch(/^ +1 try {4}of "clime" only device 2$/m);
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
    [['--out', join(directory, 'same.yaml')], 'is the scenario itself'],
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

  /** Reduces a scenario with one worker, and returns the text of the result. */
  async function small(name: string, text: string): Promise<string> {
    const { exit, err } = await ghostfleet(['shrink', file(`${name}.yaml`, text), '--workers', '1', '--budget', '1d']);
    expect([exit, exit === 0 ? '' : err]).toEqual([0, '']);
    return readFileSync(join(directory, `${name}-small.yaml`), 'utf8');
  }

  it.each([
    [
      'within',
      'device.ready == fleet.devices, within: 5m',
      /step 1, .*: waited 5m for "device.ready == fleet.devices"; device.ready is 0, .* which is 1/,
    ],
    [
      'unlimited',
      'device.ready == fleet.devices',
      /step 1, .*: waited until the end of the scenario for "device.ready == fleet.devices"; device.ready is 0,/,
    ],
  ])(
    'keeps the condition for which a step waited in vain, and its limit: %s',
    async (name, after, failure) => {
      const text = await small(
        name,
        `name: waits
duration: 20m
fleet: [{ name: aa, profile: clime, count: 1 }]
network: { faults: [{ outage: up }] }
steps:
  - { after: ${after}, config: { interval-report: 1200 } }
  - { after: device.updated == 1, commands: [info show] }
`,
      );
      expect(text).toMatch(failure);
      expect(text).toContain('outage: up');
      expect(text).toContain(`- { after: ${after}, `);
      if (name === 'unlimited') expect(text).toContain('duration: 20m');
      else expect(text).toMatch(/duration: (5|10)m/);
      const again = await ghostfleet(['run', file('again.yaml', text)]);
      expect(again.out.replaceAll('\n', ' ')).toMatch(failure);
    },
    60_000,
  );

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

  const hopeless = (count: number) => `name: hopeless
duration: 10s
fleet: [{ name: aa, profile: clime, count: ${count} }]
expect: [fleet.devices > 5]
`;

  it('writes one try in the singular', async () => {
    const { err } = await ghostfleet(['shrink', file('two.yaml', hopeless(2)), '--workers', '1', '--budget', '1d']);
    expect(err).toMatch(/^ {4}1 try {4}of "aa" only device 1$/m);
  });

  it('writes one cut in the singular, and a command that can be pasted into a shell', async () => {
    const path = file("bob's one.yaml", hopeless(1));
    const flags = ['--workers', '1', '--budget', '1d', '--allow-host', 'a b'];
    const { out } = await ghostfleet(['shrink', path, ...flags]);
    expect(out).toMatch(/; 1 cut in \d+ tries, nothing more can be removed\n/);
    expect(out.split('\n').at(-2)).toMatch(/^ghostfleet run '\S+\/bob'\\''s one-small\.yaml' --allow-host 'a b'$/);
  });

  it('reads a scenario from the standard input, and finds a packaged one by its name', async () => {
    const out = join(directory, 'typed.yaml');
    const typed = await ghostfleet(['shrink', '-', '--out', out, '--workers', '1'], {
      typed: hopeless(1).trim().split('\n'),
    });
    expect(typed).toMatchObject({ exit: 0, err: expect.stringContaining('running - with seed 1\n') });
    expect(readFileSync(out, 'utf8')).toMatch(/^# Reduced by "ghostfleet shrink" from standard input with seed 1\./);
    const packaged = await ghostfleet(['shrink', 'demo', '--out', join(directory, 'nowhere', 'x.yaml')]);
    expect(packaged.err).toContain('cannot write');
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

  it.each(['1', '2'])(
    'with --workers %s writes the smallest scenario so far when it is interrupted, and ends with exit code 130',
    async (workers) => {
      const out = join(directory, `half-${workers}.yaml`);
      const path = file('slow.yaml', PLANTED);
      const { exit, out: printed } = await ghostfleet(['shrink', path, '--out', out, '--workers', workers], {
        interruptOn: /only device 3/,
      });
      expect(exit).toBe(130);
      expect(printed).toBe(`interrupted: ${out} has the smallest scenario found so far\n`);
      expect(readFileSync(out, 'utf8')).toContain('count: 1');
    },
    30_000,
  );
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

  it('says of two empty logs that there is nothing to compare', async () => {
    const { exit, out } = await ghostfleet(['diverge', file('empty.jsonl', ''), file('hollow.jsonl', '')]);
    expect([exit, out]).toEqual([
      0,
      expect.stringMatching(/\n\nBoth logs are empty: there is nothing to compare\.\n$/),
    ]);
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
