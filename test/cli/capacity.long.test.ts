/** Further tests beside capacity.test.ts. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CapacityResult } from '../../src/report/capacity/result.js';
import { ghostfleet } from '../support/host.js';
import { file, folder, LIMITED, limited, RATE, resultOf } from './capacity-support.js';

afterAll(() => rmSync(folder, { recursive: true }));

describe('ghostfleet capacity', () => {
  it('has the same result for any number of runs at a time', async () => {
    const words = [limited, ...RATE, '--precision', '50%'];
    const one = await resultOf(...words);
    const { out } = await ghostfleet(['capacity', ...words, '--workers', '2', '--json']);
    expect(JSON.parse(out)).toEqual(one);
  });

  it.each([
    ['0.2', 0, true],
    ['0.21', 1, false],
  ])('ends with the exit code for --at-least %s', async (atLeast, code, reached) => {
    const out = join(folder, `least-${atLeast}`);
    const words = [...RATE, '--precision', '50%', '--at-least', atLeast, '--workers', '1', '--out', out];
    expect((await ghostfleet(['capacity', limited, ...words])).exit).toBe(code);
    expect((JSON.parse(readFileSync(join(out, 'capacity.json'), 'utf8')) as CapacityResult).reached).toBe(reached);
    expect(readFileSync(join(out, 'junit.xml'), 'utf8').includes('<failure ')).toBe(!reached);
  });

  it('says that the range ends below the limit, or begins above it', async () => {
    const low = await resultOf(limited, '--vary', 'load.1.rate', '--from', '0.1', '--to', '0.15');
    expect(low).toMatchObject({ outcome: 'no limit', holds: 0.15, fails: null, exitCode: 0 });
    const high = await resultOf(limited, '--vary', 'load.1.rate', '--from', '20/m', '--to', '60/m');
    expect(high).toMatchObject({ outcome: 'below range', unit: '/m', holds: null, fails: 20, exitCode: 3 });
  });

  it('divides the devices of all groups in proportion', async () => {
    const text = LIMITED.replace('expect:', 'expect:\n  - fleet.devices < 6').replace(
      'load:',
      '  - { name: attic, profile: clime, count: 2 }\nload:',
    );
    const found = await resultOf(file('groups', text), '--vary', 'fleet.devices', '--from', '3', '--to', '12');
    expect(found).toMatchObject({ holds: 5, fails: 6, outcome: 'found' });
  });

  it('accepts times that a fault makes longer, and shares of requests that can be refused', async () => {
    const range = ['--vary', 'load.1.rate', '--from', '0.1', '--to', '3.2', '--budget', '1ms'];
    const delayed = LIMITED.replace('load:', 'faults:\n  - { api-delay: 2s }\nload:');
    const times = file('delayed', delayed.replace('call.refused == 0', 'call.latency p(95) < 5s'));
    const share = file('share', LIMITED.replace('call.refused == 0', 'call.answered within 1s >= 99%'));
    for (const scenario of [times, share])
      expect(await resultOf(scenario, ...range)).toMatchObject({ outcome: 'unfinished', notes: [] });
  });

  it('notes in every format that times of requests say nothing in virtual time', async () => {
    const out = join(folder, 'noted');
    const text = LIMITED.replace('expect:', 'expect:\n  - call.latency p(95) < 500ms');
    const range = ['--vary', 'load.1.rate', '--from', '0.1', '--to', '0.15'];
    const { exit, out: shown } = await ghostfleet([
      'capacity',
      file('noted', text),
      ...range,
      '--workers',
      '1',
      '--out',
      out,
    ]);
    const note = /"?call\.latency p\(95\) &?(lt;|<) 500ms(&quot;|")? says nothing here/;
    expect(exit).toBe(0);
    expect(shown.replace(/\s+/g, ' ')).toMatch(note);
    for (const name of ['capacity.html', 'capacity.json', 'junit.xml'])
      expect(readFileSync(join(out, name), 'utf8').replaceAll('\\"', '"')).toMatch(note);
  });

  it('notices during the search that no level changes what fails', async () => {
    const never = file('never', LIMITED.replace('call.refused == 0', 'downlink.queued == 1'));
    const { exit, err } = await ghostfleet(['capacity', never, ...RATE, '--workers', '1']);
    expect(exit).toBe(2);
    expect(err).toContain(
      'no level has changed these expectations, which fail with the same values in all 4 runs, at 0.1/s and 0.2/s: downlink.',
    );
  });

  it('ends with what is known after Ctrl-C, and continues without repeating a run', async () => {
    const out = join(folder, 'continued');
    const words = ['capacity', limited, ...RATE, '--precision', '50%', '--workers', '1'];
    const first = await ghostfleet([...words, '--out', out], { interruptOn: /0\.4\/s {2}fails/ });
    expect(first.exit).toBe(130);
    expect(first.out).toContain(
      'NOT FINISHED · load.latest-value.rate: all expectations hold at 0.2/s, not at 0.4/s (not',
    );
    expect(first.out).toContain(`interrupted; continue with --continue ${out}`);
    expect(readFileSync(join(out, 'junit.xml'), 'utf8')).toContain('<error type="unfinished"');
    const file = join(out, 'capacity.json');
    // A run that the continued search takes from here has this digest.
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/"digest": ".*"/g, '"digest": "earlier"'));
    const second = await ghostfleet([...words, '--continue', out, '--json']);
    expect(second.exit).toBe(0);
    const { levels, ...rest } = JSON.parse(second.out) as CapacityResult;
    const digests = levels.flatMap(({ value, runs }) =>
      runs.map(({ digest }) => [value, digest === 'earlier'] as const),
    );
    expect(digests.filter(([, isEarlier]) => isEarlier).map(([value]) => value)).toEqual([0.1, 0.2, 0.4]);
    const { levels: _, ...whole } = await resultOf(...words.slice(1, -2));
    expect(rest).toEqual(whole);
  });
});
