/** `ghostfleet capacity` as its user sees it: in virtual time, against an embedded cloud with a rate limit. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { file, folder, LIMITED, limited, RATE } from './capacity-support.js';

afterAll(() => rmSync(folder, { recursive: true }));

describe('ghostfleet capacity', () => {
  it('finds the limit of the embedded cloud, and says what fails above it', async () => {
    const out = join(folder, 'found');
    const words = ['capacity', limited, ...RATE, '--precision', '10%', '--workers', '1', '--out', out];
    const { exit, out: text, err } = await ghostfleet(words);
    expect(exit).toBe(0);
    expect(text).toMatch(/✓ 0\.2\/s +3 +0\.2 +0\.2\n +✗ 0\.21\d*\/s +3 +0\.217 +0\.2\n/);
    expect(text).toContain('fails first, at 0.213/s\n  call.refused is 1, wanted == 0\n');
    expect(text).toContain(
      'limit found · load.latest-value.rate: all expectations hold up to 0.2/s, and not at 0.213/s\n',
    );
    expect(err).toMatch(/^ *0\.1\/s {2}holds$/m);
    expect(readdirSync(out).sort()).toEqual(['capacity.html', 'capacity.json', 'junit.xml']);
  });

  it('is not continued with other options, which would remove earlier levels from its folder', async () => {
    const out = join(folder, 'other');
    const base = ['capacity', limited, '--workers', '1', '--hold', '10s'];
    const range = ['--vary', 'load.1.rate', '--from', '0.1', '--to', '0.2'];
    expect((await ghostfleet([...base, ...range, '--out', out])).exit).toBe(0);
    const file = join(out, 'capacity.json');
    const before = readFileSync(file, 'utf8');
    for (const [i, text] of [
      [1, 'load.latest-value.rate'],
      [3, '0.05'],
      [5, '0.4'],
    ] as const) {
      const { exit, err } = await ghostfleet([...base, ...range.with(i, text), '--continue', out]);
      expect([exit, err]).toEqual([
        2,
        expect.stringContaining('has another search: of load.1.rate from 0.1/s to 0.2/s'),
      ]);
    }
    for (const more of [
      ['--precision', '20%', 'to 5%'],
      ['--at-least', '0.2', 'to 5%, without --at-least'],
    ]) {
      const { exit, err } = await ghostfleet([...base, ...range, ...more.slice(0, 2), '--continue', out]);
      expect([exit, err]).toEqual([2, expect.stringContaining(`${more[2]}\n`)]);
    }
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('stops when its time is over, and says so', async () => {
    const { exit, out } = await ghostfleet(['capacity', limited, ...RATE, '--workers', '1', '--budget', '1ms']);
    expect([exit, out]).toEqual([4, expect.stringContaining('stopped after 1ms; --budget sets the time limit')]);
  });

  it.each<[string, readonly string[], string, string?]>([
    [
      'an unknown key',
      ['--vary', 'fleet.device'],
      '(did you mean "fleet.devices"?); possible keys are period, rate, fleet.dev',
    ],
    [
      'a variable without a number',
      ['--vary', 'word'],
      '"word" cannot be varied: the variable is "hello", not a number',
    ],
    ['an empty range', ['--from', '16'], 'the range is empty: --from "16" is not below --to "3.2"'],
    [
      'a unit that the value does not have',
      ['--from', '1ms'],
      'the unit of "load.latest-value.rate" is "/s", not "ms"',
    ],
    ['a level without a number', ['--from', '1.2.3'], '--from "1.2.3" is not a number above 0, such as "10/s"'],
    [
      'a fraction of a device',
      ['--vary', 'fleet.devices', '--from', '0.5', '--to', '16'],
      '--from "0.5" is not a whole number above 0',
    ],
    [
      'a limit outside of the range',
      ['--at-least', '99'],
      '--at-least "99" is not between --from "0.1" and --to "3.2"',
    ],
    [
      'a value that nothing uses',
      ['--vary', 'rate'],
      '"rate" changes nothing: the runs at 0.1/s and 3.2/s are the same',
    ],
    ['a precision of nothing', ['--precision', '0%'], '--precision "0%" is not a share from 0.1% to 50%'],
    ['a seed without following ones', ['--seed', '9007199254740991'], 'expected a seed from 0 to 9007199254740988'],
    ['an option without its cloud', ['--queue', 'postgres://x'], '--queue requires --target'],
    ['a folder without a search', ['--continue', folder], `"${join(folder, 'capacity.json')}" cannot be read`],
    [
      'a level that is not valid',
      ['--vary', 'fleet.devices', '--from', '1', '--to', '9000000'],
      'is not valid with fleet.devices = 9000000',
    ],
    [
      'a hold that ends before a load begins',
      ['--hold', '10s'],
      'the load would end',
      LIMITED.replace('rate: 0.1/s', 'rate: 0.1/s, until: 50s'),
    ],
    [
      'a scenario without expectations',
      [],
      'for example: call.refused == 0; for the speed of a service, use --target',
      LIMITED.slice(0, LIMITED.indexOf('expect:')),
    ],
    [
      'expectations of other things',
      [],
      'no level of "load.latest-value.rate" can change the expectations: "fleet.devices == 1"',
      LIMITED.replace('call.refused == 0', 'fleet.devices == 1'),
    ],
    ...['call.latency p(95) < 500ms', 'call.service max * 2 < 1s + 200ms', 'call.in-flight == 0'].map(
      (line): [string, readonly string[], string, string] => [
        `"${line}", because requests take no time in virtual time`,
        [],
        `can change the expectations: "${line}"; requests take no time in virtual time\nexpect something that depends on the load, for example: call.refused == 0; for the speed of a service, use --target`,
        LIMITED.replace('call.refused == 0', line),
      ],
    ),
    [
      'a share of requests that no cloud refuses',
      [],
      'can change the expectations: "call.answered within 1s >= 99%"; requests take no time',
      LIMITED.replace('call.refused == 0', 'call.answered within 1s >= 99%').replace(/cloud:.*\n/, ''),
    ],
    ['a rate that is not steady', [], 'its rate is not steady', LIMITED.replace('0.1/s', '1/s..2/s')],
  ])('rejects %s', async (_, more, message, text = LIMITED) => {
    const given = new Map([...pairs(RATE), ...pairs(more)]);
    const words = ['capacity', file('bad', text), ...[...given].flat(), '--workers', '1'];
    const { exit, err } = await ghostfleet(words);
    expect([exit, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

function pairs(words: readonly string[]): readonly (readonly [string, string])[] {
  return words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1] ?? ''] as const] : []));
}
