import { describe, expect, it } from 'vitest';
import { buildShell } from '../../../src/device/commands/index.js';
import { NOON, shellDevice } from '../shell/shell-device.js';

const shell = buildShell(['wm', 'serial', 'modbus', 'device'], []);

describe('wm', () => {
  it('poll_ts prints the time of the last downlink, or that there was none', () => {
    const heard = shellDevice({ cloud: { lastSeen: NOON } });
    expect(shell.run(heard, 'wm poll_ts').lines).toEqual([`ts: ${NOON}, date: Fri Aug 07 2026 12:34:56`]);
    const silent = shellDevice({ cloud: { lastSeen: undefined } });
    expect(shell.run(silent, 'wm poll_ts').lines).toEqual(['No downlink timestamp']);
  });

  it('send and timeout request a report from the device, and poll requests a poll', () => {
    const host = shellDevice();
    for (const line of ['wm send', 'wm timeout', 'wm poll']) shell.run(host, line);
    expect(host.asked).toEqual(['report', 'report', 'poll']);
  });

  it('ant requires two words', () => {
    expect(shell.run(shellDevice(), 'wm ant 1')).toMatchObject({
      code: -22,
      lines: ['ant: wrong parameter count', expect.any(String)],
    });
  });
});

describe('serial', () => {
  it('send prints the sent bytes in the hex dump format of Zephyr, and waits for an answer', () => {
    const { lines, rest } = shell.run(shellDevice(), 'serial send 41424300ff0102030405060708090a0b0c 3');
    expect(lines).toEqual([
      'TX (17 bytes):',
      '00000000: 41 42 43 00 ff 01 02 03  04 05 06 07 08 09 0a 0b |ABC..... ........|',
      '00000010: 0c                                               |.                |',
      'Waiting 3 s for response...',
    ]);
    expect(rest?.wait).toBe(3000);
    expect(rest?.go().lines).toEqual(['No response received']);
  });

  it('recv waits one second by default, and also with a timeout of 0', () => {
    expect(shell.run(shellDevice(), 'serial recv').rest?.wait).toBe(1000);
    expect(shell.run(shellDevice(), 'serial recv 0').rest?.wait).toBe(1000);
  });
});

it('commands for the serial line find no device if the device type has no serial line', () => {
  expect(shell.run(shellDevice(), 'modbus read 1 0 1')).toEqual({ code: -116, lines: ['Read failed: -116'] });
  expect(shell.run(shellDevice(), 'device list').lines).toEqual(['Configured devices:', '  (none)']);
  expect(shell.run(shellDevice(), 'device sample 0')).toEqual({ code: -22, lines: ['Invalid index (0-7)'] });
});
