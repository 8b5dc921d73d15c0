/** The parts on the board itself: `accel`, `therm`, `led`, `button` (shell S-30). */

import { EINVAL } from '../../protocol/errno.js';
import type { Command } from '../shell/command.js';
import type { Button, Led } from '../shell/equipment.js';
import { commandHelp } from '../shell/help.js';
import { groupHelp, ok, refused, withReading } from './results.js';

export const accel: Command = {
  word: 'accel',
  help: 'The accelerometer.',
  run: groupHelp,
  children: [
    {
      word: 'read',
      help: 'Show acceleration and orientation.',
      args: [0, 0],
      run: (host) =>
        withReading(host.board.accelerometer(), ({ x, y, z, orientation }) =>
          ok(
            `accel-axis-x: ${x.toFixed(3)} m/s^2`,
            `accel-axis-y: ${y.toFixed(3)} m/s^2`,
            `accel-axis-z: ${z.toFixed(3)} m/s^2`,
            `orientation: ${orientation}`,
          ),
        ),
    },
  ],
};

export const therm: Command = {
  word: 'therm',
  help: 'The thermometer on the board.',
  run: groupHelp,
  children: [
    {
      word: 'read',
      help: 'Show the temperature.',
      args: [0, 0],
      run: (host) =>
        withReading(host.board.thermometer(), (temperature) => ok(`temperature: ${temperature.toFixed(2)} C`)),
    },
  ],
};

const LEDS: readonly Led[] = ['red', 'green', 'yellow', 'ext'];

export const led: Command = {
  word: 'led',
  help: 'The LEDs.',
  run: groupHelp,
  children: [
    {
      word: 'switch',
      help: 'Switch a LED: red|green|yellow|ext on|off',
      args: [2, 2],
      run: (host, [name, state], command) => {
        const channel = LEDS.find((known) => known === name);
        if (!channel) return refused(EINVAL, 'invalid channel name', ...commandHelp(command));
        if (state !== 'on' && state !== 'off') return refused(EINVAL, 'invalid command', ...commandHelp(command));
        host.board.setLed(channel, state === 'on');
        return ok();
      },
    },
  ],
};

const BUTTONS: readonly Button[] = ['int', 'ext'];

export const button: Command = {
  word: 'button',
  help: 'The buttons.',
  run: groupHelp,
  children: [
    {
      word: 'read',
      help: 'Show whether a button is pressed: int|ext',
      args: [1, 1],
      run: (host, [name], command) => {
        const channel = BUTTONS.find((known) => known === name);
        if (!channel) return refused(EINVAL, 'invalid channel name', ...commandHelp(command));
        return ok(`pressed: ${host.board.button(channel)}`);
      },
    },
  ],
};
