/**
 * docs/reference/shell.md as a table: each row has the typed lines, and the output of a device. A row names its rule.
 * `reference.test.ts` runs all rows, and checks that every command has one.
 */
import { buildShell } from '../../../../src/device/commands/index.js';
import type { Shell } from '../../../../src/device/shell/shell.js';
import { COMMAND_WORDS } from '../../../../src/profile/command-words.js';
import { packagedProfiles } from '../../../../src/profile/library.js';
import type { ModuleSpec } from '../../../../src/profile/parameters.js';
import { finish, type ShellDeviceOptions, shellDevice } from '../shell-device.js';

export interface Row {
  /** The rule of docs/reference/shell.md, or `apps` for the commands in catalog.json. */
  readonly section: string;
  /** Lines that are typed one after the other on the same device; the output of the last one is checked. */
  readonly typed: readonly string[];
  /** The complete output. {@link helpOf} stands for the help of a command. */
  readonly prints: readonly (string | RegExp | HelpOf)[];
  readonly code: number;
  /** Seconds until the last line has finished. */
  readonly takes: number;
  readonly host?: ShellDeviceOptions;
  /** The requests of all lines to the device, in order. Undefined: the requests are not checked. */
  readonly asked?: readonly string[];
  readonly reboots?: boolean;
}

interface HelpOf {
  readonly helpOf: string;
}

export const helpOf = (command: string): HelpOf => ({ helpOf: command });

type Extra = Partial<Omit<Row, 'section' | 'typed' | 'prints'>>;

/** Rows of one rule. By default, the code is 0 and the command ends at once. @param host the device of its rows */
export function section(number: string, host: ShellDeviceOptions = {}) {
  return (typed: string | readonly string[], prints: Row['prints'], extra: Extra = {}): Row => ({
    section: number,
    typed: typeof typed === 'string' ? [typed] : typed,
    prints,
    code: 0,
    takes: 0,
    host,
    ...extra,
  });
}

/** The configuration modules of Clime, and the module of the radon probe. */
export function allModules(): readonly ModuleSpec[] {
  known.modules ??= makeModules();
  return known.modules;
}

/** A shell with all commands. */
export function everyShell(): Shell {
  known.shell ??= buildShell(COMMAND_WORDS, allModules());
  return known.shell;
}

const known: { modules?: readonly ModuleSpec[]; shell?: Shell } = {};

function makeModules(): readonly ModuleSpec[] {
  const clime = packagedProfiles().get('clime');
  if (clime === undefined) throw new Error('no profile clime');
  const lte = clime.modules.filter(({ name }) => name === 'lte');
  return [...clime.modules.filter(({ name }) => name !== 'lte'), RADON, ...lte];
}

const RADON: ModuleSpec = {
  name: 'radon',
  prefix: 'radon',
  parameters: [
    { name: 'modbus-baud', type: 'int', min: 1200, max: 19200, default: 19200, help: 'Speed.' },
    { name: 'modbus-addr', type: 'int', min: 1, max: 247, default: 1, help: 'Address.' },
    { name: 'modbus-parity', type: 'enum', values: ['none', 'odd', 'even'], default: 'even', help: 'Parity.' },
    { name: 'modbus-stop-bits', type: 'enum', values: ['1', '2'], default: '1', help: 'Stop bits.' },
  ],
};

/** Types the lines of a row, waits for the end of each, and returns the result of the last one. */
export function play({ typed, host: options }: Row) {
  const shell = everyShell();
  const commands = typed.flatMap((line) => /\w+/.exec(line) ?? []);
  const host = shellDevice({ modules: allModules(), commands, ...options });
  let result = finish(host, { code: 0, lines: [] });
  for (const line of typed) {
    result = finish(host, shell.run(host, line));
    if (result.reboot) host.config.boot();
  }
  return { ...result, asked: host.asked };
}

/** The lines of a command's help. */
export function help(command: string): readonly string[] {
  return everyShell().run(shellDevice(), `${command} -h`).lines;
}
