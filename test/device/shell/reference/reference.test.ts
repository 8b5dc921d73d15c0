import { describe, expect, it } from 'vitest';
import { COMMAND_GROUPS } from '../../../../src/device/commands/groups.js';
import type { Command } from '../../../../src/device/shell/command.js';
import { commandHelp } from '../../../../src/device/shell/help.js';
import { shellDevice } from '../shell-device.js';
import { APPLICATIONS } from './rows-applications.js';
import { BASICS } from './rows-basics.js';
import { BOARD } from './rows-board.js';
import { EQUIPMENT } from './rows-equipment.js';
import { SUBSYSTEMS } from './rows-subsystems.js';
import { ZEPHYR } from './rows-zephyr.js';
import { everyShell, help, play, type Row } from './table.js';

const ROWS: readonly Row[] = [...BASICS, ...SUBSYSTEMS, ...BOARD, ...EQUIPMENT, ...ZEPHYR, ...APPLICATIONS];
/** Command groups of Serial and wM-Bus, which have tests of their own. */
const ELSEWHERE: ReadonlySet<string> = new Set(['device', 'modbus', 'serial', 'wm']);

describe.each(ROWS.map((row) => [`${row.section}: ${row.typed.join(' ↵ ').slice(0, 90)}`, row] as const))(
  '%s',
  (_name, row) => {
    it('answers as in the reference', () => {
      const result = play(row);
      const wanted = row.prints.flatMap((part) => {
        if (typeof part === 'string') return [part];
        return part instanceof RegExp ? [expect.stringMatching(part)] : help(part.helpOf);
      });
      expect(result.lines).toEqual(wanted);
      expect([result.code, result.takes / 1000, result.reboot !== undefined]).toEqual([
        row.code,
        row.takes,
        row.reboots ?? false,
      ]);
      if (row.asked) expect(result.asked).toEqual(row.asked);
    });
  },
);

/** The commands that each rule of the shell documents. */
const DOCUMENTED: Readonly<Record<string, readonly string[]>> = {
  'S-10': ['config', 'config modules', 'config show', 'config save', 'config reset'],
  'S-11': ['app config', 'lte config', 'lrw config', 'ble config', 'cloud config', 'radon config'],
  'S-20': [
    'info show',
    ...['vendor-name', 'product-name', 'hw-variant', 'hw-revision', 'fw-bundle', 'fw-name', 'fw-version'].map(
      (word) => `info ${word}`,
    ),
    ...['serial-number', 'claim-token', 'ble-devaddr', 'ble-passkey'].map((word) => `info ${word}`),
  ],
  'S-21': [
    ...['state', 'metrics', 'poll', 'firmware download', 'spool count', 'spool fake', 'spool clean'].map(
      (words) => `cloud ${words}`,
    ),
  ],
  'S-23': [
    ...['imei', 'imsi', 'iccid', 'fw-version', 'state', 'metrics', 'reconnect'].map((word) => `lte ${word}`),
    ...['uart', 'reset', 'wakeup', 'cmd', 'prepare', 'bypass'].map((word) => `lte test ${word}`),
  ],
  'S-27': ['lrw start', 'lrw join', 'lrw test uart', 'lrw test reset', 'lrw test cmd'],
  'S-28': ['rtc get', 'rtc set'],
  'S-29': [
    ...[
      'version',
      'uptime',
      'cycles',
      'reboot',
      'reboot cold',
      'reboot warm',
      'thread list',
      'thread stacks',
      'heap',
    ].map((words) => `kernel ${words}`),
  ],
  'S-30': ['led switch', 'button read', 'batt measure', 'batt load', 'batt unload', 'accel read', 'therm read'],
  'S-31': [
    ...['hygro read', 'ds18b20 scan', 'ds18b20 read', 'w1 scan', 'rtd read', 'tc read', 'sps30 read', 'radon read'],
    ...['meteo read', 'mpl3115a2 read', 'iaq calibrate-co2', 'gnss start', 'gnss stop', 'gnss state', 'backup status'],
  ],
  'S-35': [
    ...['show', 'enabled', 'scan-interval', 'scan-duration'].map((word) => `tag config ${word}`),
    ...['add', 'list', 'remove', 'clear'].map((word) => `tag config devices ${word}`),
    ...['read', 'show', 'enroll'].map((word) => `tag ${word}`),
  ],
  'S-37': [
    ...['i2c scan', 'i2c read', 'i2c write', 'gpio conf', 'gpio get', 'gpio set'],
    ...['mcuboot', 'mcuboot confirm', 'mcuboot request_upgrade'],
    ...['settings list', 'settings read', 'settings write', 'settings delete', 'fs ls', 'fs cat', 'fs rm'],
    ...['flash read', 'flash write', 'flash erase', 'flash page_info'],
  ],
  'S-38': ['sample', 'send', 'aggreg', 'poll', 'measure', 'test'],
  apps: [
    ...['channel show', 'channel read', 'channel reset', 'sensors_read', 'motion samples', 'motion detection'],
    ...[1, 2, 3, 4].flatMap((n) =>
      ['read', 'calib set-0', 'calib set-1', 'calib show', 'calib reset', 'calib mode'].map(
        (words) => `current channel-${n} ${words}`,
      ),
    ),
  ],
  'S-7': ['help'],
};

/** All commands that can be run, as they are typed. */
function runnable(command: Command, before = ''): readonly string[] {
  const path = `${before}${command.word}`;
  const below = (command.children ?? []).flatMap((child) => runnable(child, `${path} `));
  return command.run ? [path, ...below] : below;
}

const ALL = Object.values(COMMAND_GROUPS).map((make) => make(() => true));
const TREES = ALL.filter(({ word }) => !ELSEWHERE.has(word));
const EXISTING = new Set([...TREES.flatMap((tree) => runnable(tree)), 'help']);
const TYPED = ROWS.flatMap(({ typed }) => typed);
const isTyped = (path: string) => TYPED.some((line) => line === path || line.startsWith(`${path} `));
/** Whether a command is a group: its handler prints its help, and it has commands below it. */
const isGroup = (path: string) => [...EXISTING].some((other) => other.startsWith(`${path} `));

describe('nothing is missing', () => {
  it.each(Object.entries(DOCUMENTED))('%s: every command that it names exists, and is in the table', (_rule, paths) => {
    expect(paths.filter((path) => !EXISTING.has(path))).toEqual([]);
    expect(paths.filter((path) => !isTyped(path) && path !== 'config show')).toEqual([]);
  });

  it('every command that exists is named by a rule, or is a group of such commands', () => {
    const documented = new Set(Object.values(DOCUMENTED).flat());

    expect([...EXISTING].filter((path) => !documented.has(path) && !isGroup(path))).toEqual([]);
  });

  it('every command that exists is in the table', () => {
    expect([...EXISTING].filter((path) => !isTyped(path) && path !== 'config show')).toEqual([]);
  });

  it('every rule of the shell about typed commands has rows', () => {
    const rules = [3, 5, 10, 11, 16, 17, 20, 21, 23, 27, 28, 29, 30, 31, 35, 37, 38, 48].map((n) => `S-${n}`);
    expect([...new Set(ROWS.map((row) => row.section))].sort()).toEqual([...rules, 'apps'].sort());
  });
});

describe('help (shell S-7)', () => {
  const shell = everyShell();
  const groups = (command: Command, before = ''): readonly (readonly [string, Command])[] => [
    [`${before}${command.word}`, command],
    ...(command.children ?? []).flatMap((child) => groups(child, `${before}${command.word} `)),
  ];

  it.each(ALL.flatMap((tree) => groups(tree)))('of "%s" names exactly the commands below it', (path, command) => {
    const { lines, code } = shell.run(shellDevice(), `${path} -h`);
    expect(code).toBe(1);
    expect(lines).toEqual(commandHelp(command));
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    const listed = lines
      .slice(lines.indexOf('Subcommands:') + 1)
      .flatMap((line) => /^ {2}(\S+) +: /.exec(line)?.[1] ?? []);
    expect(lines.includes('Subcommands:') ? listed : []).toEqual((command.children ?? []).map(({ word }) => word));
    for (const word of listed)
      expect(shell.run(shellDevice(), `${path} ${word} -h`).lines[0]).toMatch(new RegExp(`^${word} - `));
  });

  it('help lists every root command once, in alphabetical order, in columns', () => {
    const { lines, code } = shell.run(shellDevice(), 'help');
    expect(code).toBe(0);
    expect(lines.slice(1, 3)).toEqual(['', 'Available commands:']);
    const listed = lines.slice(3).flatMap((line) => /^ {2}(\S+) +: /.exec(line)?.[1] ?? []);
    expect(listed).toEqual([...Object.keys(COMMAND_GROUPS), 'help'].sort());
  });
});
