/**
 * `gpio` and `i2c`: Zephyr's tools for pins and for the bus of the sensors (shell S-37). A pin keeps the level that was set
 * last; it starts low. A scan finds the chips on the bus, but their registers are not modelled and cannot be read.
 */

import { EINVAL, EIO, ENODEV } from '../../protocol/errno.js';
import { wholeNumber } from '../config/number.js';
import type { Command } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import type { ShellHost } from '../shell/host.js';
import { ok, refused } from './results.js';

const PORTS: readonly (string | undefined)[] = ['gpio0', 'gpio1'];
const PINS = 32;

export const gpio: Command = {
  word: 'gpio',
  help: 'Pins of the processor.',
  children: [
    pinCommand('conf', 'Configure a pin: <port> <pin> <configuration>', [3, 3], () => ok()),
    pinCommand('get', 'Show the level of a pin: <port> <pin>', [2, 2], ({ shellMemory }, pin) =>
      ok(shellMemory.pins.has(pin) ? '1' : '0'),
    ),
    pinCommand('set', 'Set the level of a pin: <port> <pin> <0|1>', [3, 3], ({ shellMemory }, pin, level, command) => {
      if (level !== '0' && level !== '1') return refused(EINVAL, ...commandHelp(command));
      if (level === '1') shellMemory.pins.add(pin);
      else shellMemory.pins.delete(pin);
      return ok();
    }),
  ],
};

function pinCommand(
  word: string,
  help: string,
  args: readonly [number, number],
  act: (host: ShellHost, pin: string, last: string | undefined, command: Command) => ReturnType<typeof ok>,
): Command {
  return {
    word,
    help,
    args,
    run: (host, [port, text = '', last], command) => {
      if (!PORTS.includes(port)) return refused(ENODEV, `Device ${port} not found`);
      const pin = wholeNumber(text);
      if (pin === undefined || pin >= PINS) return refused(EINVAL, `Invalid pin number: ${text}`);
      return act(host, `${port} ${pin}`, last, command);
    },
  };
}

const BUS = 'i2c0';

export const i2c: Command = {
  word: 'i2c',
  help: 'The bus of the board.',
  children: [
    {
      word: 'read',
      help: 'Read registers of a chip: <bus> <address> [<register>] [<count>]',
      args: [2, 4],
      run: (_host, [bus, address = '']) => access(bus, address, 'read from'),
    },
    {
      word: 'scan',
      help: 'Look for chips: <bus>',
      args: [1, 1],
      run: (host, [bus]) => {
        if (bus !== BUS) return noBus(bus);
        const chips = chipsOf(host);
        return ok(...scanTable(chips), `${chips.length} devices found on ${BUS}`);
      },
    },
    {
      word: 'write',
      help: 'Write registers of a chip: <bus> <address> [<register>] [<byte> ...]',
      args: [2, 18],
      run: (_host, [bus, address = '']) => access(bus, address, 'write to'),
    },
  ],
};

function access(bus: string | undefined, address: string, what: string) {
  return bus === BUS ? refused(EIO, `Failed to ${what} device: ${address}`) : noBus(bus);
}

function noBus(bus: string | undefined) {
  return refused(ENODEV, `I2C: Device driver ${bus} not found.`);
}

/** Addresses of the accelerometer and the thermometer on the board, and of a hygrometer on a cable. */
function chipsOf({ board }: ShellHost): readonly number[] {
  const chips: number[] = [];
  if (board.accelerometer()) chips.push(0x19);
  if (board.hygrometer()) chips.push(0x45);
  if (board.thermometer()) chips.push(0x48);
  return chips;
}

/** Rows of sixteen addresses. The cells of reserved addresses are left empty. */
function scanTable(chips: readonly number[]): readonly string[] {
  const columns = Array.from({ length: 16 }, (_, i) => i.toString(16).padStart(2));
  const rows = Array.from({ length: 8 }, (_, row) => {
    const cells = columns.map((_, column) => {
      const address = row * 16 + column;
      if (address < 4 || address > 0x77) return '  ';
      return chips.includes(address) ? address.toString(16).padStart(2, '0') : '--';
    });
    return `${(row * 16).toString(16).padStart(2, '0')}: ${cells.join(' ')} `;
  });
  return [`    ${columns.join(' ')}`, ...rows];
}
