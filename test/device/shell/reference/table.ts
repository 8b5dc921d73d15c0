/**
 * The firmware shell's reference as a table: each row is something that is typed, and what a device answers. Rows name the
 * section they come from. `reference.test.ts` runs them all, and checks that no command is without one.
 */
import { buildShell } from '../../../../src/device/commands/index.js';
import type { Shell } from '../../../../src/device/shell/shell.js';
import { COMMAND_WORDS } from '../../../../src/profile/command-words.js';
import { packagedProfiles } from '../../../../src/profile/library.js';
import type { ModuleSpec } from '../../../../src/profile/parameters.js';
import { type FakeHostOptions, fakeHost, finish } from '../fake-host.js';

export interface Row {
  /** Of the firmware shell's reference; `apps` for the commands of applications.json. */
  readonly section: string;
  /** Typed one after the other on the same device; the last one is looked at. */
  readonly typed: readonly string[];
  /** What it prints, in full. A command behind {@link helpOf} stands for its help. */
  readonly prints: readonly (string | RegExp | HelpOf)[];
  readonly code: number;
  /** Seconds until it is over. */
  readonly takes: number;
  readonly host?: FakeHostOptions;
  /** What the device was asked to do by all lines together. */
  readonly asked?: readonly string[];
  readonly reboots?: boolean;
}

interface HelpOf {
  readonly helpOf: string;
}

export const helpOf = (command: string): HelpOf => ({ helpOf: command });

type Extra = Partial<Omit<Row, 'section' | 'typed' | 'prints'>>;

/** Rows of one section; the code is 0 and the command is over at once unless said otherwise. */
export function section(number: string) {
  return (typed: string | readonly string[], prints: Row['prints'], extra: Extra = {}): Row => ({
    section: number,
    typed: typeof typed === 'string' ? [typed] : typed,
    prints,
    code: 0,
    takes: 0,
    ...extra,
  });
}

/** The settings of Clime, whose modules are those of every device type, and of the radon probe. */
export function allModules(): readonly ModuleSpec[] {
  known.modules ??= makeModules();
  return known.modules;
}

/** A device that has every command there is. */
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

/** Types the lines of a row, each to its end, and returns what the last one has led to. */
export function play({ typed, host: options }: Row) {
  const shell = everyShell();
  const host = fakeHost({ modules: allModules(), ...options });
  let result = finish(host, { code: 0, lines: [] });
  for (const line of typed) {
    result = finish(host, shell.run(host, line));
    if (result.reboot) host.config.boot();
  }
  return { ...result, asked: host.asked };
}

/** The lines of a command's help. */
export function help(command: string): readonly string[] {
  return everyShell().run(fakeHost(), `${command} -h`).lines;
}
