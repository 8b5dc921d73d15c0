/** `tag read`, `tag show`, `tag enroll`: commands that receive BLE tags, or show received data (shell S-36). */
import { type Seconds, seconds } from '../../kernel/time.js';
import { EBUSY, EINVAL, ENOSPC, EPERM } from '../../protocol/errno.js';
import type { ConfigItem } from '../config/layout.js';
import { leadingInteger } from '../config/parse.js';
import type { Command, CommandResult } from '../shell/command.js';
import type { ShellTags, TagReading } from '../shell/equipment.js';
import type { ShellHost } from '../shell/host.js';
import { later, refused, succeeded } from './results.js';

/** Default and largest duration of `tag read all`, in seconds. */
const SEARCH = { default: 60, max: 300 };
/** Default threshold of `tag enroll` in dBm: only a tag next to the device is this strong. */
const ENROLL_RSSI = -40;
const ENROLL_LIMIT = seconds(12);
/** Time in which every tag advertises at least once [assumption]. */
const ADVERTISED = seconds(2);
export const EMPTY_ADDRESS = '000000000000';

export const tagRead: Command = {
  word: 'read',
  help: 'Scan, and show the received tags; all: also tags that are in no slot. [all [1-300]]',
  args: [0, 2],
  run: (host, [what, text]) =>
    whenEnabled(host, 'tag functionality is disabled', (tags) => {
      if (what === undefined) return scan(tags);
      if (what !== 'all') return refused(EINVAL, `unknown parameter: ${what}`);
      const duration = text === undefined ? SEARCH.default : leadingInteger(text);
      if (duration < 1 || duration > SEARCH.max) return refused(EINVAL, 'timeout out of range [1:300]');
      return search(host, tags, duration);
    }),
};

export const tagShow: Command = {
  word: 'show',
  help: 'Show the last data of the tags in the slots.',
  args: [0, 0],
  run: (host) =>
    whenEnabled(host, 'tag subsystem is disabled', (tags) => {
      const lines = tags.cached().map((tag, slot) => `slot ${slot}: ${tag ? tagText(tag) : 'not received data'}`);
      return succeeded('cached data:', ...lines);
    }),
};

export const tagEnroll: Command = {
  word: 'enroll',
  help: 'Add the tag that is held close to the device: [-128..0]',
  args: [0, 1],
  run: (host, [text]) =>
    whenEnabled(host, 'tag subsystem is disabled', (tags) => {
      const threshold = text === undefined ? ENROLL_RSSI : leadingInteger(text);
      const isNumber = text === undefined || /^[+-]?\d+$/.test(text);
      if (!isNumber || threshold < -128 || threshold > 0) {
        return refused(EINVAL, 'invalid input, expected [-128:0]dbm');
      }
      const free = freeSlot(host);
      if (free === undefined) return refused(ENOSPC, 'no slot available for enrollment');
      return enroll(host, tags, threshold, free);
    }),
};

function scan(tags: ShellTags): CommandResult {
  return later(['scanning...'], tags.scanDuration, () => {
    const lines = tags.scan().flatMap((tag, slot) => (tag ? [`slot ${slot}: ${tagText(tag)}`] : []));
    return succeeded('scan finished', ...lines);
  });
}

function search(host: ShellHost, tags: ShellTags, duration: Seconds): CommandResult {
  if (host.uptime < host.shellMemory.searchingUntil) return refused(EBUSY, 'discover already in progress');
  host.shellMemory.searchingUntil = host.uptime + seconds(duration);
  return later([`discovering all nearby BLE tags for ${duration} s...`], seconds(duration), () => {
    const found = tags.nearby();
    return succeeded(...found.map(tagText), 'scan finished', `discovered ${found.length} BLE tag(s)`);
  });
}

/** Looks for a strong tag in no slot, and writes its address to `free`. The firmware uses it from the next saved boot on. */
function enroll(host: ShellHost, tags: ShellTags, threshold: number, free: ConfigItem): CommandResult {
  const { config } = host;
  const until = host.uptime + ENROLL_LIMIT;
  const listen = (): CommandResult => {
    const close = tags.nearby().find((tag) => (tag.rssi ?? -128) >= threshold && !isTaken(host, tag));
    if (close) {
      config.write(free, close.address);
      return succeeded(`enrolled addr: ${close.address}`);
    }
    return host.uptime < until ? later([], ADVERTISED, listen) : succeeded('enrollment timed out');
  };
  return later(['enrolling...'], ADVERTISED, listen);
}

function isTaken({ config }: ShellHost, { address }: TagReading): boolean {
  return config.layout.module('tag')?.slots.some((slot) => config.read(slot) === address) ?? false;
}

function freeSlot({ config }: ShellHost): ConfigItem | undefined {
  return config.layout.module('tag')?.slots.find((slot) => config.read(slot) === EMPTY_ADDRESS);
}

function whenEnabled(host: ShellHost, complaint: string, act: (tags: ShellTags) => CommandResult): CommandResult {
  return host.equipment.tags?.enabled ? act(host.equipment.tags) : refused(EPERM, complaint, 'command aborted');
}

/** `addr: 0011… / rssi: -67 dBm / voltage: 2.97 V `: absent values are omitted, and each part ends with a space. */
function tagText(tag: TagReading): string {
  const part = <T>(value: T | undefined, text: (value: T) => string) => (value === undefined ? [] : [text(value)]);
  return [
    `addr: ${tag.address} `,
    ...part(tag.rssi, (rssi) => `rssi: ${Math.round(rssi)} dBm `),
    ...part(tag.voltage, (voltage) => `voltage: ${voltage.toFixed(2)} V `),
    ...part(tag.temperature, (temperature) => `temperature: ${temperature.toFixed(2)} C `),
    ...part(tag.humidity, (humidity) => `humidity: ${humidity.toFixed(2)} % `),
    ...part(tag.magnet, (magnet) => `magnetic sensor: ${magnet ? 'detected' : 'not detected'} `),
    ...part(tag.moving, (moving) => `moving: ${moving} `),
    ...part(tag.movements, (movements) => `movement event count: ${movements} `),
    ...part(tag.roll, (roll) => `roll: ${roll.toFixed(2)} `),
    ...part(tag.pitch, (pitch) => `pitch: ${pitch.toFixed(2)} `),
    ...part(tag.lowBattery, (low) => `low battery: ${low} `),
  ].join('/ ');
}
