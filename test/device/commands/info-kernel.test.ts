import { describe, expect, test } from 'vitest';
import { buildShell } from '../../../src/device/commands/index.js';
import { type FakeHostOptions, fakeHost } from '../shell/fake-host.js';

const shell = buildShell(['info', 'kernel', 'sample', 'send', 'aggreg', 'poll', 'rtc'], []);
const run = (line: string, options?: FakeHostOptions) => shell.run(fakeHost(options), line);

describe('info', () => {
  test('show prints all facts in order', () => {
    expect(run('info show')).toEqual({
      code: 0,
      lines: [
        'vendor name: HARDWARIO',
        'product name: CHESTER-M',
        'hardware variant: CGLS',
        'hardware revision: R3.4',
        'firmware bundle: com.hardwario.chester.app.clime',
        'firmware name: CHESTER Clime',
        'firmware version: v3.5.1',
        'serial number: 2159018267',
        'claim token: 00112233445566778899aabbccddeeff',
        'ble devaddr: aa:bb:cc:dd:ee:ff',
        'ble passkey: 123456',
      ],
    });
  });

  test.each([
    ['vendor-name', 'vendor name: HARDWARIO'],
    ['product-name', 'product name: CHESTER-M'],
    ['hw-variant', 'hardware variant: CGLS'],
    ['hw-revision', 'hardware revision: R3.4'],
    ['fw-bundle', 'firmware bundle: com.hardwario.chester.app.clime'],
    ['fw-name', 'firmware name: CHESTER Clime'],
    ['fw-version', 'firmware version: v3.5.1'],
    ['serial-number', 'serial number: 2159018267'],
    ['claim-token', 'claim token: 00112233445566778899aabbccddeeff'],
    ['ble-devaddr', 'ble devaddr: aa:bb:cc:dd:ee:ff'],
    ['ble-passkey', 'ble passkey: 123456'],
  ])('%s prints its line', (word, line) => {
    expect(run(`info ${word}`)).toEqual({ code: 0, lines: [line] });
  });

  test('shows what was never written as unset', () => {
    expect(run('info claim-token', { identity: { claimToken: undefined } }).lines).toEqual(['claim token: (unset)']);
  });

  test('alone, or with an unknown word, prints its help', () => {
    expect(run('info').code).toBe(1);
    expect(run('info foo')).toEqual(run('info'));
    expect(run('info').lines.slice(0, 3)).toEqual([
      'info - Facts about this device.',
      'Subcommands:',
      '  show           : Show all of them.',
    ]);
  });

  test('takes no argument', () => {
    const { code, lines } = run('info show all');
    expect([code, lines[0]]).toEqual([-22, 'show: wrong parameter count']);
  });
});

describe('kernel', () => {
  test('version names Zephyr', () => {
    expect(run('kernel version').lines[0]).toMatch(/^Zephyr version \d+\.\d+\.\d+$/);
  });

  test('uptime counts milliseconds', () => {
    expect(run('kernel uptime')).toEqual({ code: 0, lines: ['Uptime: 90061007 ms'] });
  });

  test.each(['-p', '--pretty'])('uptime %s spells them out', (option) => {
    // 90061007 ms = 1 d + 1 h + 1 min + 1 s + 7 ms
    expect(run(`kernel uptime ${option}`).lines).toEqual([
      'uptime: 1 days, 1 hours, 1 minutes, 1 seconds, 7 milliseconds',
    ]);
  });

  test('uptime refuses another option', () => {
    expect(run('kernel uptime -x')).toEqual({ code: -5, lines: ['Unsupported option: -x'] });
  });

  test('cycles run at 32768 Hz in 32 bits', () => {
    expect(run('kernel cycles', { uptime: 1000 }).lines).toEqual(['cycles: 32768 hw cycles']);
    // 2^32 / 32768 = 131072 s
    expect(run('kernel cycles', { uptime: 131_072_000 }).lines).toEqual(['cycles: 0 hw cycles']);
  });

  test.each(['kernel reboot', 'kernel reboot cold', 'kernel reboot warm'])('%s restarts without a word', (line) => {
    expect(run(line)).toEqual({ code: 0, lines: [], reboot: 'shell' });
  });
});

describe('commands that queue work', () => {
  test.each([
    ['sample', 'sample'],
    ['aggreg', 'aggregate'],
    ['send', 'report'],
    ['poll', 'poll'],
  ])('%s prints nothing', (word, asked) => {
    const host = fakeHost();
    expect(shell.run(host, word)).toEqual({ code: 0, lines: [] });
    expect(host.asked).toEqual([asked]);
  });

  test('refuse an argument and do nothing', () => {
    const host = fakeHost();
    expect(shell.run(host, 'send now')).toEqual({
      code: -22,
      lines: ['unknown parameter: now', 'send - Send a report now.'],
    });
    expect(host.asked).toEqual([]);
  });
});

describe('rtc', () => {
  test('get prints date, time and weekday', () => {
    expect(run('rtc get').lines).toEqual(['2026/08/07 12:34:56 Fri']);
    expect(run('rtc get', { unixTime: 59 }).lines).toEqual(['1970/01/01 00:00:59 Thu']);
  });

  test('set takes a date and a time', () => {
    const host = fakeHost();
    expect(shell.run(host, 'rtc set 2026/08/07 12:34:56')).toEqual({ code: 0, lines: [] });
    expect(host.asked).toEqual(['set time 1786106096']);
  });

  test.each(['2026-08-07 12:34:56', '2026/8/7 12:34:56', '2026/08/07 12:34'])('set %s prints its help', (text) => {
    const { code, lines } = run(`rtc set ${text}`);
    expect([code, lines[0]]).toEqual([-22, 'set - Set date and time: YYYY/MM/DD hh:mm:ss']);
  });

  test.each(['2026/02/29 00:00:00', '2026/13/01 00:00:00', '2026/08/07 24:00:00', '1969/12/31 00:00:00'])(
    'set %s, which does not exist, is refused without a word',
    (text) => {
      const host = fakeHost();
      expect(shell.run(host, `rtc set ${text}`)).toEqual({ code: -22, lines: [] });
      expect(host.asked).toEqual([]);
    },
  );
});
