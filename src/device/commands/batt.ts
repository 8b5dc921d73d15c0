/** `batt`: the battery and its test load of 100 ohm (firmware shell, 5.6). */
import type { Command } from '../shell/command.js';
import { ok, withReading } from './results.js';

/** Ohms; millivolts over this are milliamperes. */
const TEST_LOAD = 100;

export const batt: Command = {
  word: 'batt',
  help: 'The battery.',
  children: [
    {
      word: 'measure',
      help: 'Measure at rest and under load.',
      args: [0, 0],
      // A real device takes 10 s (1 s at rest, 9 s under load) before it answers. This one answers at once: the shell
      // knows no time, and nothing else happens on a device meanwhile.
      run: (host) =>
        withReading(host.sensors.battery(), (battery) => {
          const rest = Math.trunc(battery.rest * 1000);
          const load = Math.trunc(battery.load * 1000);
          return ok(
            `rest voltage: ${rest} millivolts`,
            `load voltage: ${load} millivolts`,
            `load current: ${Math.trunc(load / TEST_LOAD)} milliamps`,
          );
        }),
    },
    { word: 'load', help: 'Connect the test load.', args: [0, 0], run: switchLoad(true) },
    { word: 'unload', help: 'Disconnect the test load.', args: [0, 0], run: switchLoad(false) },
  ],
};

function switchLoad(on: boolean): NonNullable<Command['run']> {
  return (host) => {
    host.setBatteryLoad(on);
    return ok();
  };
}
