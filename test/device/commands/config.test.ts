import { describe, expect, it } from 'vitest';
import { buildShell } from '../../../src/device/commands/index.js';
import { modules } from '../config/specs.js';
import { shellDevice } from '../shell/shell-device.js';

const shell = buildShell(['app', 'ble', 'cloud', 'config', 'lrw', 'lte', 'tag'], modules());

describe('config', () => {
  it('show prints every parameter of every module, in the order of registration', () => {
    expect(shell.run(shellDevice(), 'config show')).toEqual({
      code: 0,
      lines: [
        'app config interval-sample 60',
        'app config interval-report 1800',
        'app config interval-poll 0',
        'app config backup-report-connected true',
        'app config backup-report-disconnected true',
        'app config hygro-t-alarm-hi-thr 0.00',
        'app config mode "none"',
        'ble config passkey ""',
        'tag config enabled false',
        'tag config scan-interval 300',
        'tag config scan-duration 12',
        'tag config devices addr 0 000000000000',
        'tag config devices addr 1 000000000000',
        'tag config devices addr 2 000000000000',
        'cloud config spool-size 10',
        'lrw config deveui 0000000000000000',
        'lte config test false',
        'lte config mode "lte-m,nb-iot"',
        'lte config bands ""',
        'lte config network ""',
        'lte config apn ""',
      ],
    });
  });

  it('modules lists the settings prefixes', () => {
    const { lines } = shell.run(shellDevice(), 'config modules');
    expect(lines).toEqual(['app-clime', 'ble', 'tag', 'cloud', 'lrw', 'lte']);
  });

  it('save prints nothing, writes flash and restarts', () => {
    const host = shellDevice();
    shell.run(host, 'app config interval-report 60');
    expect(shell.run(host, 'config save')).toEqual({ code: 0, lines: [], reboot: 'config' });
    host.config.boot();
    expect(host.config.number('app', 'interval-report')).toBe(60);
  });

  it('reset prints nothing, erases flash and restarts', () => {
    const host = shellDevice();
    shell.run(host, 'app config interval-report 60');
    shell.run(host, 'config save');
    expect(shell.run(host, 'config reset')).toEqual({ code: 0, lines: [], reboot: 'config' });
    host.config.boot();
    expect(host.config.number('app', 'interval-report')).toBe(1800);
  });

  it('alone prints its help; with an unknown word, it prints an error first', () => {
    const help = shell.run(shellDevice(), 'config');
    expect(help.code).toBe(0);
    expect(help.lines[0]).toMatch(/^config - /);
    expect(shell.run(shellDevice(), 'config foo')).toEqual({
      code: -22,
      lines: ['command not found: foo', ...help.lines],
    });
  });
});

describe('<module> config', () => {
  const allHelp = (module: string) => shell.run(shellDevice(), `${module} config`).lines;

  it('alone prints the help lines of all parameters', () => {
    const { code, lines } = shell.run(shellDevice(), 'lrw config');
    expect({ code, lines }).toEqual({ code: 0, lines: ['  deveui            :Device EUI. (len: 8 B)'] });
    expect(allHelp('app')).toContain('  interval-report   :Get/Set report interval in seconds. <30~86400>');
  });

  it('show prints all parameters of the module', () => {
    const { lines } = shell.run(shellDevice(), 'lte config show');
    expect(lines[0]).toBe('lte config test false');
    expect(lines).toHaveLength(5);
  });

  it('a name prints its line; a prefix with * prints the lines of all matching parameters', () => {
    const host = shellDevice();
    expect(shell.run(host, 'app config mode').lines).toEqual(['app config mode "none"']);
    expect(shell.run(host, 'app config backup-report-*').lines).toEqual([
      'app config backup-report-connected true',
      'app config backup-report-disconnected true',
    ]);
    expect(shell.run(host, 'app config *').lines).toEqual(shell.run(host, 'app config show').lines);
  });

  it('a write prints nothing, and the next read shows the new value', () => {
    const host = shellDevice();
    expect(shell.run(host, 'app config mode "lte"')).toEqual({ code: 0, lines: [] });
    expect(shell.run(host, 'app config mode').lines).toEqual(['app config mode "lte"']);
  });

  it('a prefix with * writes all matching parameters, each of which accepts or rejects the value', () => {
    const host = shellDevice();
    expect(shell.run(host, 'app config backup-* false').lines).toEqual([]);
    // 20 is below the minimum of interval-report, and valid for the others.
    expect(shell.run(host, 'app config interval-* 20')).toEqual({
      code: 0,
      lines: ['Invalid range', '  interval-report   :Get/Set report interval in seconds. <30~86400>'],
      rejected: true,
    });
    expect(shell.run(host, 'app config show').lines.slice(0, 5)).toEqual([
      'app config interval-sample 20',
      'app config interval-report 1800',
      'app config interval-poll 20',
      'app config backup-report-connected false',
      'app config backup-report-disconnected false',
    ]);
  });

  it('an unknown name, with or without value, prints the help of all parameters', () => {
    for (const words of ['foo', 'foo 1', 'x*', 'show 1', '""']) {
      expect(shell.run(shellDevice(), `app config ${words}`)).toEqual({
        code: 0,
        lines: allHelp('app'),
        rejected: true,
      });
    }
  });

  it('a write with one surplus word has no effect; with two surplus words, it is an error', () => {
    const host = shellDevice();
    expect(shell.run(host, 'app config mode lte lrw')).toEqual({ code: 0, lines: [], rejected: true });
    expect(shell.run(host, 'app config mode').lines).toEqual(['app config mode "none"']);
    const { code, lines } = shell.run(host, 'app config mode a b c');
    expect([code, lines[0]]).toEqual([-22, 'config: wrong parameter count']);
  });

  it('prints the help of its own module only', () => {
    expect(shell.run(shellDevice(), 'cloud config').lines).toEqual(['  spool-size        :Spool size. <0~100>']);
  });
});

it('the command app with an unknown word prints an error, then its help', () => {
  const { code, lines } = shell.run(shellDevice(), 'app foo');
  expect([code, lines[0]]).toEqual([-22, 'command not found: foo']);
  expect(lines[1]).toMatch(/^app - /);
});
