/**
 * All command groups, by the word under which a profile lists them (shell S-8). To add one, write its file and list it here.
 */
import type { CommandWord } from '../../profile/command-words.js';
import type { FamilyName } from '../../profile/profile.js';
import type { Command } from '../shell/command.js';
import { backup } from './backup.js';
import { batt } from './batt.js';
import { accel, button, led, therm } from './board.js';
import { channel } from './channel.js';
import { cloudGroup } from './cloud.js';
import { config } from './config.js';
import { current } from './current.js';
import { flash } from './flash.js';
import { fs } from './fs.js';
import { gnss } from './gnss.js';
import { hioApp, hioCloud, hioInfo, hioLte } from './hio.js';
import { infoGroup } from './info.js';
import { kernel } from './kernel.js';
import { lrw } from './lrw.js';
import { lte } from './lte.js';
import { mcuboot } from './mcuboot.js';
import { moduleConfig } from './module-config.js';
import { motion } from './motion.js';
import { gpio, i2c } from './pins.js';
import { ds18b20, hygro, w1 } from './probes.js';
import { groupHelp } from './results.js';
import { rtc } from './rtc.js';
import { device, modbus, serial } from './serial.js';
import { settings } from './settings.js';
import { tag } from './tag.js';
import { iaq, radon, rtd, sps30, tc } from './variants.js';
import { meteo, mpl3115a2, sensorsRead } from './weather.js';
import { wm } from './wm.js';
import { aggreg, measure, poll, sample, send, test } from './work.js';

/** Builds the command of a group. `has`: whether the device type has a configuration module of this name. */
type Group = (has: (module: string) => boolean) => Command;

/** All command groups except `help`, which is part of the shell itself. */
export const COMMAND_GROUPS: Readonly<Record<Exclude<CommandWord, 'help'>, Group>> = {
  accel: () => accel,
  aggreg: () => aggreg,
  app: () => withConfig({ word: 'app', help: 'The application.', run: groupHelp }),
  backup: () => backup,
  batt: () => batt,
  ble: () => withConfig({ word: 'ble', help: 'Bluetooth.', run: groupHelp }),
  button: () => button,
  channel: () => channel,
  // A device type with a spool has the configuration module `cloud`, which contains the size of the spool.
  cloud: (has) => (has('cloud') ? withConfig(cloudGroup(true)) : cloudGroup(false)),
  config: () => config,
  current: () => current,
  device: () => device,
  ds18b20: () => ds18b20,
  flash: () => flash,
  fs: () => fs,
  gnss: () => gnss,
  gpio: () => gpio,
  hygro: () => hygro,
  i2c: () => i2c,
  iaq: () => iaq,
  info: () => infoGroup(),
  kernel: () => kernel,
  led: () => led,
  lrw: () => withConfig(lrw),
  lte: () => withConfig(lte),
  mcuboot: () => mcuboot,
  measure: () => measure,
  meteo: () => meteo,
  modbus: () => modbus,
  motion: () => motion,
  mpl3115a2: () => mpl3115a2,
  poll: () => poll,
  radon: (has) => (has('radon') ? withConfig(radon) : radon),
  rtc: () => rtc,
  rtd: () => rtd,
  sample: () => sample,
  send: () => send,
  sensors_read: () => sensorsRead,
  serial: () => serial,
  settings: () => settings,
  sps30: () => sps30,
  tag: () => tag,
  tc: () => tc,
  test: () => test,
  therm: () => therm,
  w1: () => w1,
  wm: () => wm,
};

/** Command groups of a firmware family that replace those of the same word in {@link COMMAND_GROUPS}. */
export const GROUPS_OF_FAMILY: Readonly<Record<FamilyName, Partial<Record<CommandWord, Command>>>> = {
  chester: {},
  hio: { app: hioApp, cloud: hioCloud, info: hioInfo, lte: hioLte },
};

function withConfig(group: Command): Command {
  return { ...group, children: [moduleConfig(group.word), ...(group.children ?? [])] };
}
