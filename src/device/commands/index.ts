/**
 * All command groups, by the word that a profile lists them under (firmware shell, 2). To add one: write its file, and
 * name it here.
 */
import type { ModuleSpec } from '../../profile/parameters.js';
import type { Command } from '../shell/command.js';
import { Shell } from '../shell/shell.js';
import { backup } from './backup.js';
import { batt } from './batt.js';
import { accel, button, led, therm } from './board.js';
import { channel } from './channel.js';
import { cloudGroup } from './cloud.js';
import { config } from './config.js';
import { info } from './info.js';
import { kernel } from './kernel.js';
import { lte } from './lte.js';
import { moduleConfig } from './module-config.js';
import { ds18b20, hygro, w1 } from './probes.js';
import { groupHelp } from './results.js';
import { rtc } from './rtc.js';
import { tag } from './tag.js';
import { aggreg, poll, sample, send } from './work.js';

/** Makes the command of a group; `has` tells whether the device type has a configuration module. */
type Group = (has: (module: string) => boolean) => Command;

/** Groups that can be run. `help` is part of the shell itself. */
export const COMMAND_GROUPS: Readonly<Record<string, Group>> = {
  accel: () => accel,
  aggreg: () => aggreg,
  app: () => withConfig({ word: 'app', help: 'The application.', run: groupHelp }),
  backup: () => backup,
  batt: () => batt,
  ble: () => withConfig({ word: 'ble', help: 'Bluetooth.', run: groupHelp }),
  button: () => button,
  channel: () => channel,
  // The spool and the module with its size come together.
  cloud: (has) => (has('cloud') ? withConfig(cloudGroup(true)) : cloudGroup(false)),
  config: () => config,
  ds18b20: () => ds18b20,
  hygro: () => hygro,
  info: () => info,
  kernel: () => kernel,
  led: () => led,
  lrw: () => withConfig({ word: 'lrw', help: 'The LoRaWAN modem.', run: groupHelp }),
  lte: () => withConfig(lte),
  poll: () => poll,
  rtc: () => rtc,
  sample: () => sample,
  send: () => send,
  tag: () => tag,
  therm: () => therm,
  w1: () => w1,
};

/**
 * Groups that a real device has and this one leaves out: its `help` does not list them, and calling one is an unknown
 * command. A profile may name them, because it states facts about the device.
 */
export const NOT_EMULATED: ReadonlySet<string> = new Set([
  // Zephyr's own tools for hardware, flash and boot loader
  ...['device', 'flash', 'fs', 'gpio', 'i2c', 'mcuboot', 'settings'],
  // probes of variants and of other applications
  ...['current', 'gnss', 'iaq', 'meteo', 'mpl3115a2', 'radon', 'rtd', 'sensors_read', 'sps30', 'tc'],
  // other applications
  ...['measure', 'modbus', 'motion', 'serial', 'test', 'wm'],
]);

/**
 * Builds the shell of a device type from its command groups and configuration modules; all its devices share it.
 * @throws Error when a group is neither known nor known to be left out: the profile was not checked
 */
export function buildShell(groups: readonly string[], modules: readonly ModuleSpec[]): Shell {
  const has = (name: string) => modules.some((module) => module.name === name);
  const roots: Command[] = [];
  for (const name of groups) {
    const group = COMMAND_GROUPS[name];
    if (group) roots.push(group(has));
    else if (name !== 'help' && !NOT_EMULATED.has(name)) throw new Error(`"${name}" is not a command group`);
  }
  return new Shell(roots);
}

function withConfig(group: Command): Command {
  return { ...group, children: [moduleConfig(group.word), ...(group.children ?? [])] };
}
