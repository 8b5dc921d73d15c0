/** Commands of sensors on cables: `hygro`, `ds18b20`, and `w1` for the 1-Wire bus of `ds18b20` (shell S-31). */
import { Buffer } from 'node:buffer';
import { seconds } from '../../kernel/time.js';
import { EINVAL } from '../../protocol/errno.js';
import { leadingInteger } from '../config/parse.js';
import type { Command, CommandResult } from '../shell/command.js';
import type { Probe } from '../shell/equipment.js';
import type { ShellHost } from '../shell/host.js';
import { groupHelp, noAnswer, ok, prepend, refused, rounds, succeeded, withReading } from './results.js';

export const hygro: Command = {
  word: 'hygro',
  help: 'The hygrometer.',
  run: groupHelp,
  children: [
    {
      word: 'read',
      help: 'Show temperature and humidity, once or several times: [1-3600]',
      args: [0, 1],
      run: (host, [times]) =>
        repeat(times, 'Repetition', () => withReading(hygroLines(host), (lines) => ok(...lines)), ok),
    },
  ],
};

/** Lines of a hygrometer reading; undefined if the hygrometer does not answer. */
export function hygroLines({ board }: ShellHost): readonly string[] | undefined {
  const reading = board.hygrometer();
  return reading && [`Temperature: ${reading.temperature.toFixed(2)} C`, `Humidity: ${reading.humidity.toFixed(1)} %`];
}

export const ds18b20: Command = {
  word: 'ds18b20',
  help: 'Thermometers on the 1-Wire bus.',
  run: groupHelp,
  children: [
    { word: 'scan', help: 'Look for thermometers.', args: [0, 0], run: () => succeeded() },
    {
      word: 'read',
      help: 'Show all temperatures, once or several times: [1-3600]',
      args: [0, 1],
      run: (host, [times]) => {
        const head = `device count: ${host.board.probes().length}`;
        const round = (): CommandResult => {
          const lines: string[] = [];
          for (const { serialNumber, temperature } of host.board.probes()) {
            if (temperature === undefined) return noAnswer();
            lines.push(`serial number ${serialNumber}: temperature: ${temperature.toFixed(2)} C`);
          }
          return ok(...lines);
        };
        const result = repeat(times, 'repetition', round, succeeded);
        return result.code === 0 ? prepend([head], result) : result;
      },
    },
  ],
};

export const w1: Command = {
  word: 'w1',
  help: 'The 1-Wire bus.',
  run: groupHelp,
  children: [
    {
      word: 'scan',
      help: 'List the devices on the bus.',
      args: [0, 0],
      run: (host) => {
        const probes = host.board.probes();
        return succeeded(...probes.map(scanLine), `found ${probes.length} device(s)`);
      },
    },
  ],
};

/**
 * Reads `times` times, a second apart; once if `times` is undefined. If there are several rounds, a line such as `Repetition:
 * 1/3` precedes each. `done` returns the end of the output. A failed round ends the command.
 */
export function repeat(
  times: string | undefined,
  label: string,
  round: () => CommandResult,
  done: () => CommandResult,
): CommandResult {
  const count = times === undefined ? 1 : leadingInteger(times);
  if (count < 1 || count > 3600) return refused(EINVAL, 'invalid range');
  const read = (n: number) => {
    const result = round();
    const head = count > 1 ? [`${label}: ${n}/${count}`] : [];
    return result.code === 0 ? [...head, ...result.lines] : prepend(head, result);
  };
  return rounds(count, seconds(1), read, done);
}

/** Family code of a DS18B20. */
const FAMILY = '28';

/** `[1] family: 0x28  serial: 0x0000001a2b3c  rom: 0x283c2b1a00000055`; `rom` has the bytes in the order of the bus. */
function scanLine(probe: Probe, index: number): string {
  const serial = probe.serialNumber.toString(16).padStart(12, '0');
  const onTheBus = FAMILY + (serial.match(/../g) ?? []).reverse().join('');
  return `[${index + 1}] family: 0x${FAMILY}  serial: 0x${serial}  rom: 0x${onTheBus}${checksum(onTheBus)}`;
}

/** The CRC-8 at the end of a 1-Wire address: polynomial x⁸ + x⁵ + x⁴ + 1, lowest bit first. */
function checksum(hex: string): string {
  let crc = 0;
  for (const byte of Buffer.from(hex, 'hex')) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x8c : crc >> 1;
  }
  return crc.toString(16).padStart(2, '0');
}
