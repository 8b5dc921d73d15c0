import { describe, expect, it } from 'vitest';
import { buildShell } from '../../../src/device/commands/index.js';
import { listConfig, runRemoteConfig, runRemoteShell } from '../../../src/device/shell/remote.js';
import { modules } from '../config/specs.js';
import { shellDevice } from './shell-device.js';

const shell = buildShell(['app', 'config', 'info', 'kernel', 'lte', 'rtc', 'send', 'tag'], modules());

describe('commands from the cloud', () => {
  it('are answered together, with result and lines of each', () => {
    const host = shellDevice();
    expect(runRemoteShell(shell, host, ['info hw-variant', 'send', 'reset', 'app config mode gsm'])).toEqual({
      kind: 'answer',
      responses: [
        { command: 'info hw-variant', result: 0, lines: ['hardware variant: CGLS'] },
        { command: 'send', result: 0, lines: [] },
        { command: 'reset', result: -8, lines: ['reset: command not found'] },
        {
          command: 'app config mode gsm',
          result: 0,
          lines: [
            'invalid option',
            '  mode              :Radio.',
            ...['none', 'lte', 'lrw'].map((v) => `${' '.repeat(21)}- ${v}`),
          ],
        },
      ],
      rejected: true,
    });
    expect(host.asked).toEqual(['report']);
  });

  it.each([
    ['kernel reboot', 'shell'],
    ['config save', 'config'],
    ['config reset', 'config'],
  ])('that contain "%s" restart the device before the next command runs', (command, cause) => {
    const host = shellDevice();
    expect(runRemoteShell(shell, host, ['info show', command, 'send'])).toEqual({
      kind: 'reboot',
      cause,
      rejected: false,
    });
    expect(host.asked).toEqual([]);
  });

  it('that fill the lines of the terminal exactly leave the whole message without answer', () => {
    // With the prompt of 3 characters, 77 characters fill a line of 80. The command runs nevertheless.
    const host = shellDevice();
    expect(runRemoteShell(shell, host, ['info show', 'send'.padEnd(77)])).toEqual({ kind: 'failed', code: -22 });
    expect(host.asked).toEqual(['report']);
  });

  it('that are too long leave the whole message without answer', () => {
    const outcome = runRemoteShell(shell, shellDevice(), ['info show', 'x'.repeat(256)]);
    expect(outcome).toEqual({ kind: 'failed', code: -12 });
  });

  it('can be 20,000 in one message', () => {
    const outcome = runRemoteShell(
      shell,
      shellDevice(),
      Array.from({ length: 20_000 }, () => 'send'),
    );
    expect(outcome.kind === 'answer' && outcome.responses.length).toBe(20_000);
  });
});

describe('commands that take time', () => {
  const board = buildShell(['batt', 'info', 'kernel', 'sample'], []);

  it('finish before the next command runs', () => {
    const host = shellDevice();
    let outcome = runRemoteShell(board, host, ['info hw-variant', 'batt measure', 'kernel uptime']);
    const waited: number[] = [];
    while (outcome.kind === 'waits') {
      waited.push(outcome.wait);
      host.pass(outcome.wait);
      outcome = outcome.go();
    }
    expect(waited).toEqual([1000, 9000]);
    expect(outcome).toEqual({
      kind: 'answer',
      responses: [
        { command: 'info hw-variant', result: 0, lines: ['hardware variant: CGLS'] },
        { command: 'batt measure', result: 0, lines: expect.arrayContaining(['load current: 35 milliamps']) },
        { command: 'kernel uptime', result: 0, lines: ['Uptime: 90071007 ms'] },
      ],
      rejected: false,
    });
  });

  it('finish before the next line of a configuration, too', () => {
    const outcome = runRemoteConfig(board, shellDevice(), ['batt measure', 'info']);
    expect(outcome).toMatchObject({ kind: 'waits', wait: 1000 });
    const next = outcome.kind === 'waits' ? outcome.go() : outcome;
    expect(next).toMatchObject({ kind: 'waits', wait: 9000 });
    expect(next.kind === 'waits' && next.go()).toEqual({ kind: 'stopped', line: 'info', code: 1, ran: 1 });
  });

  it('the output of the application after a command has returned is not captured', () => {
    const counts = { detectLeft: 1, detectRight: 1, motionLeft: 0, motionRight: 1, time: 0 };
    const host = shellDevice({ motion: [counts, counts, counts] });
    expect(board.run(host, 'sample').afterwards).toEqual(['[2] L=1, R=1, L->R=1, R->L=0, 1970-01-01 00:00:00']);
    expect(runRemoteShell(board, shellDevice({ motion: [counts, counts, counts] }), ['sample'])).toEqual({
      kind: 'answer',
      responses: [{ command: 'sample', result: 0, lines: [] }],
      rejected: false,
    });
  });
});

describe('a configuration from the cloud', () => {
  const interval = (host: ReturnType<typeof shellDevice>) =>
    shell.run(host, 'app config interval-report').lines[0]?.split(' ').at(-1);

  it('is saved after all its lines have run; "config save", "config reset" and "config show" are skipped', () => {
    const host = shellDevice();
    const lines = ['config show', 'app config interval-report 60', 'config save', 'config reset', 'send'];
    expect(runRemoteConfig(shell, host, lines)).toEqual({ kind: 'save', ran: 2, rejected: false });
    expect(interval(host)).toBe('60');
    expect(host.config.number('app', 'interval-report')).toBe(1800);
  });

  it('continues after a rejected value', () => {
    const host = shellDevice();
    const lines = ['app config mode gsm', 'app config interval-report 60'];
    expect(runRemoteConfig(shell, host, lines)).toEqual({ kind: 'save', ran: 2, rejected: true });
    expect(interval(host)).toBe('60');
  });

  it.each([
    ['application config mode lte', -8],
    ['app config a b c d', -22],
    ['tag config devices addr 0 000000000000', -22],
    ['info', 1],
    ['', -8],
  ])('stops at "%s"', (line, code) => {
    const host = shellDevice();
    const lines = ['app config interval-report 60', line, 'send'];
    expect(runRemoteConfig(shell, host, lines)).toEqual({ kind: 'stopped', line, code, ran: 1 });
    expect(host.asked).toEqual([]);
    // The values of earlier lines stay written, but unsaved.
    expect(interval(host)).toBe('60');
  });

  it('with a line that is too long is rejected as a whole', () => {
    const host = shellDevice();
    const long = 'x'.repeat(256);
    expect(runRemoteConfig(shell, host, ['app config interval-report 60', long])).toEqual({
      kind: 'stopped',
      line: long,
      code: -12,
      ran: 0,
    });
    expect(interval(host)).toBe('1800');
  });

  it('with a reboot among its lines restarts the device and saves nothing', () => {
    const host = shellDevice();
    const lines = ['app config interval-report 60', 'kernel reboot cold', 'send'];
    expect(runRemoteConfig(shell, host, lines)).toEqual({ kind: 'reboot', cause: 'shell', rejected: false });
    host.config.boot();
    expect(interval(host)).toBe('1800');
  });
});

it('the text for the configuration hash is the listing for the upload, with line ends before, between and after the lines', () => {
  const { text, lines } = listConfig(shell, shellDevice());
  expect(lines[0]).toBe('app config interval-sample 60');
  expect(text).toBe(`\r\n${lines.join('\r\n')}\r\n`);
});
