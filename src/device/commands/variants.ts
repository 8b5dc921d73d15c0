/**
 * Commands of sensors that only some builds of CHESTER Clime have (shell S-32). A profile that lists `rtd`, `tc`, `sps30` or
 * `radon` needs the sensor of the command: `rtd_thermometer`, `tc_thermometer`, `sps30` or `radon_probe`.
 */

import { EINVAL } from '../../protocol/errno.js';
import { leadingInteger } from '../config/parse.js';
import type { Command, CommandResult } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import type { ShellHost } from '../shell/host.js';
import { repeat } from './probes.js';
import { groupHelp, noAnswer, ok, refused, succeeded, withReading } from './results.js';

const CHANNELS: readonly (string | undefined)[] = ['a1', 'a2', 'b1', 'b2'];

export const rtd = thermometers('rtd', 'Resistance thermometers.', 'rtd_thermometer', ['pt100', 'pt1000']);
export const tc = thermometers('tc', 'Thermocouples.', 'tc_thermometer', ['k']);

function thermometers(word: string, help: string, sensor: string, types: readonly (string | undefined)[]): Command {
  return {
    word,
    help,
    run: groupHelp,
    children: [
      {
        word: 'read',
        help: `Show the temperature, once or several times: a1|a2|b1|b2 ${types.join('|')} [1-3600]`,
        args: [2, 3],
        run: (host, [channel, type, times], command) => {
          const number = CHANNELS.indexOf(channel) + 1;
          if (number === 0) return refused(EINVAL, `invalid channel: ${channel}`, ...commandHelp(command));
          if (!types.includes(type)) return refused(EINVAL, `invalid type: ${type}`, ...commandHelp(command));
          const round = () =>
            withReading(host.board.quantity(sensor, 'temperature', number), (temperature) =>
              ok(`temperature: ${temperature.toFixed(3)} celsius`),
            );
          return repeat(times, 'repetition', round, succeeded);
        },
      },
    ],
  };
}

/** Label, quantity and unit. The firmware also labels `num_pm0_5` as PM1.0. */
const PARTICLES = [
  ['Mass Concentration PM1.0', 'pm1', ' ug/m3'],
  ['Mass Concentration PM2.5', 'pm2_5', ' ug/m3'],
  ['Mass Concentration PM4.0', 'pm4', ' ug/m3'],
  ['Mass Concentration PM10.0', 'pm10', ' ug/m3'],
  ['Number Concentration PM1.0', 'num_pm0_5', ''],
  ['Number Concentration PM1.0', 'num_pm1', ''],
  ['Number Concentration PM2.5', 'num_pm2_5', ''],
  ['Number Concentration PM4.0', 'num_pm4', ''],
  ['Number Concentration PM10.0', 'num_pm10', ''],
] as const;

export const sps30: Command = {
  word: 'sps30',
  help: 'The particle sensor.',
  run: groupHelp,
  children: [
    {
      word: 'read',
      help: 'Show the concentrations, once or several times: [1-3600]',
      args: [0, 1],
      run: (host, [times]) => repeat(times, 'repetition', () => particles(host), ok),
    },
  ],
};

function particles({ board }: ShellHost): CommandResult {
  const lines: string[] = [];
  for (const [label, quantity, unit] of PARTICLES) {
    const value = board.quantity('sps30', quantity);
    if (value === undefined) return noAnswer();
    lines.push(`${label}: ${value.toFixed(2)}${unit}`);
  }
  return ok(...lines);
}

const RADON = [
  ['temperature', 'chamber_temperature'],
  ['humidity', 'chamber_humidity'],
  ['concentration', 'concentration_hourly'],
  ['concentration_daily', 'concentration_daily'],
] as const;

export const radon: Command = {
  word: 'radon',
  help: 'The radon probe.',
  run: groupHelp,
  children: [
    {
      word: 'read',
      help: 'Show what the probe has measured.',
      args: [0, 0],
      run: ({ board }) => {
        const lines: string[] = [];
        for (const [label, quantity] of RADON) {
          const value = board.quantity('radon_probe', quantity);
          if (value === undefined) return noAnswer();
          lines.push(`${label}: ${Math.trunc(value)}`);
        }
        return ok(...lines);
      },
    },
  ],
};

export const iaq: Command = {
  word: 'iaq',
  help: 'The air quality module.',
  run: groupHelp,
  children: [
    {
      word: 'calibrate-co2',
      help: 'Calibrate the sensor to the present CO2 concentration in ppm: <0-5000>',
      args: [1, 1],
      // No effect: the virtual sensor needs no calibration.
      run: (_host, [text = '']) => {
        const ppm = leadingInteger(text);
        return ppm < 0 || ppm > 5000 ? refused(EINVAL, 'invalid range') : ok();
      },
    },
  ],
};
