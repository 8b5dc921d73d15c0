/** Sensors on cables: `hygro`, `ds18b20` and the bus of the latter, `w1` (firmware shell, 5.7). */
import { Buffer } from 'node:buffer';
import { leadingInteger } from '../config/parse.js';
import type { Command, CommandResult } from '../shell/command.js';
import { EINVAL } from '../shell/errno.js';
import type { Probe } from '../shell/host.js';
import { groupHelp, noAnswer, ok, refused, succeeded, withReading } from './results.js';

export const hygro: Command = {
  word: 'hygro',
  help: 'The hygrometer.',
  run: groupHelp,
  children: [
    {
      word: 'read',
      help: 'Show temperature and humidity, once or several times: [1-3600]',
      args: [0, 1],
      run: (host, [times]) => {
        const rounds = roundsOf(times);
        if (rounds === undefined) return outOfRange();
        return withReading(host.sensors.hygrometer(), ({ temperature, humidity }) =>
          ok(
            ...repeat(rounds, 'Repetition', [
              `Temperature: ${temperature.toFixed(2)} C`,
              `Humidity: ${humidity.toFixed(1)} %`,
            ]),
          ),
        );
      },
    },
  ],
};

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
        const rounds = roundsOf(times);
        if (rounds === undefined) return outOfRange();
        const probes = host.sensors.probes();
        const lines: string[] = [];
        for (const { serialNumber, temperature } of probes) {
          if (temperature === undefined) return noAnswer();
          lines.push(`serial number ${serialNumber}: temperature: ${temperature.toFixed(2)} C`);
        }
        return succeeded(`device count: ${probes.length}`, ...repeat(rounds, 'repetition', lines));
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
        const probes = host.sensors.probes();
        return succeeded(...probes.map(scanLine), `found ${probes.length} device(s)`);
      },
    },
  ],
};

/** Number of rounds that were asked for; undefined when that is out of range. */
function roundsOf(text: string | undefined): number | undefined {
  const rounds = text === undefined ? 1 : leadingInteger(text);
  return rounds >= 1 && rounds <= 3600 ? rounds : undefined;
}

function outOfRange(): CommandResult {
  return refused(EINVAL, 'invalid range');
}

/**
 * The lines of each round, under a count when there are several. A real device reads again every second; here all
 * rounds fall on the same moment, because the shell knows no time, and so show the same.
 */
function repeat(rounds: number, label: string, lines: readonly string[]): readonly string[] {
  if (rounds === 1) return lines;
  return Array.from({ length: rounds }, (_, i) => [`${label}: ${i + 1}/${rounds}`, ...lines]).flat();
}

/** Family code of a DS18B20. */
const FAMILY = '28';

/** `[1] family: 0x28  serial: 0x0000001a2b3c  rom: 0x283c2b1a00000055`; the last is the order on the bus. */
function scanLine(probe: Probe, index: number): string {
  const serial = probe.serialNumber.toString(16).padStart(12, '0');
  const onTheBus = FAMILY + (serial.match(/../g) ?? []).reverse().join('');
  return `[${index + 1}] family: 0x${FAMILY}  serial: 0x${serial}  rom: 0x${onTheBus}${checksum(onTheBus)}`;
}

/** The CRC-8 that ends every 1-Wire address: polynomial x⁸ + x⁵ + x⁴ + 1, lowest bit first. */
function checksum(hex: string): string {
  let crc = 0;
  for (const byte of Buffer.from(hex, 'hex')) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x8c : crc >> 1;
  }
  return crc.toString(16).padStart(2, '0');
}
