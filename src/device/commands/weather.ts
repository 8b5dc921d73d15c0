/** Sensors of CHESTER Meteo: `meteo`, `mpl3115a2`, and `sensors_read` for all (shell S-33; catalog.json, meteo). */

import { EINVAL, ENODEV } from '../../protocol/errno.js';
import type { Command, CommandResult } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import type { ShellHost } from '../shell/host.js';
import { hygroLines } from './probes.js';
import { groupHelp, noAnswer, ok, refused, withReading } from './results.js';

const NOT_READY = 'device not ready';

export const meteo: Command = {
  word: 'meteo',
  help: 'The weather module.',
  run: groupHelp,
  children: [
    {
      word: 'read',
      help: 'Show rain and wind: <device>',
      args: [1, 1],
      run: (host, [device]) => {
        if (device !== 'ctr_meteo_a') return refused(EINVAL, 'device not found');
        const lines = weatherLines(host);
        return lines ? ok(...lines) : refused(ENODEV, NOT_READY);
      },
    },
  ],
};

export const mpl3115a2: Command = {
  word: 'mpl3115a2',
  help: 'The barometer tag.',
  run: groupHelp,
  children: [
    {
      word: 'read',
      help: 'Show altitude, pressure and temperature.',
      args: [0, 0],
      run: (host) => withReading(barometerLines(host), (lines) => ok(...lines)),
    },
  ],
};

export const sensorsRead: Command = {
  word: 'sensors_read',
  help: 'Read all sensors, one after the other.',
  run: (host, [surplus], command): CommandResult => {
    if (surplus !== undefined) return refused(EINVAL, `unknown parameter: ${surplus}`, ...commandHelp(command));
    // For a sensor that does not answer, the command prints an error; then it reads the next sensor.
    return ok(
      ...['Barometer', ...(barometerLines(host) ?? noAnswer().lines)],
      ...['Meteo', ...(weatherLines(host) ?? [NOT_READY])],
      ...['Humidity', ...(hygroLines(host) ?? noAnswer().lines)],
    );
  },
};

function weatherLines({ board }: ShellHost): readonly string[] | undefined {
  const weather = board.weather();
  return (
    weather && [
      `rainfall: ${weather.rainfall.toFixed(2)} mm`,
      `wind speed: ${weather.windSpeed.toFixed(2)} m/s`,
      `wind direction: ${weather.windDirection.toFixed(2)} deg`,
    ]
  );
}

function barometerLines({ board }: ShellHost): readonly string[] | undefined {
  const pressure = board.quantity('barometer', 'pressure');
  // The thermometer of the chip is next to the one on the board, so both measure the same temperature.
  const temperature = board.thermometer();
  if (pressure === undefined || temperature === undefined) return undefined;
  return [
    `Altitude: ${altitude(pressure).toFixed(2)}`,
    `Pressure: ${pressure.toFixed(2)}`,
    `Temperature: ${temperature.toFixed(2)}`,
  ];
}

/** Pressure of the standard atmosphere at sea level, in pascal. */
const SEA_LEVEL = 101_325;
const SCALE = 44_330.77;
const EXPONENT = 0.190_263_2;

/**
 * Metres above sea level by the formula of the chip: 44330.77 × (1 - (p / p0)^0.1902632). A binomial series computes the power.
 */
function altitude(pressure: number): number {
  const x = pressure / SEA_LEVEL - 1;
  let term = 1;
  let power = 1;
  for (let n = 1; n <= 8; n++) {
    term *= ((EXPONENT - n + 1) / n) * x;
    power += term;
  }
  return SCALE * (1 - power);
}
