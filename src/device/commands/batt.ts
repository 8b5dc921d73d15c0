/** `batt`: the battery and its test load of 100 ohm (shell S-30). */
import { seconds } from '../../kernel/time.js';
import type { Command } from '../shell/command.js';
import { later, ok, withReading } from './results.js';

/** Ohms. A voltage in mV divided by this is the current in mA. */
const TEST_LOAD = 100;
const AT_REST = seconds(1);
const UNDER_LOAD = seconds(9);

export const batt: Command = {
  word: 'batt',
  help: 'The battery.',
  children: [
    {
      word: 'measure',
      help: 'Measure at rest and under load, for ten seconds.',
      args: [0, 0],
      run: (host) =>
        later([], AT_REST, () =>
          withReading(host.board.battery(), ({ rest }) => {
            host.board.setBatteryLoad(true);
            return later([], UNDER_LOAD, () => {
              const battery = host.board.battery();
              host.board.setBatteryLoad(false);
              return withReading(battery, ({ load }) => ok(...voltageLines(rest, load)));
            });
          }),
        ),
    },
    { word: 'load', help: 'Connect the test load.', args: [0, 0], run: switchLoad(true) },
    { word: 'unload', help: 'Disconnect the test load.', args: [0, 0], run: switchLoad(false) },
  ],
};

/** The output lines for two voltages, which are given in volts and printed in whole millivolts. */
function voltageLines(rest: number, load: number): readonly string[] {
  const underLoad = Math.trunc(load * 1000);
  return [
    `rest voltage: ${Math.trunc(rest * 1000)} millivolts`,
    `load voltage: ${underLoad} millivolts`,
    `load current: ${Math.trunc(underLoad / TEST_LOAD)} milliamps`,
  ];
}

function switchLoad(on: boolean): NonNullable<Command['run']> {
  return (host) => {
    host.board.setBatteryLoad(on);
    return ok();
  };
}
