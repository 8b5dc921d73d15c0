/** `serial`, `modbus` and `device`: the serial line of CHESTER Serial and the devices on it (catalog.json, serial). */
import { Buffer } from 'node:buffer';
import { seconds } from '../../kernel/time.js';
import { EINVAL, ENODEV, ENOTSUP, ETIMEDOUT } from '../../protocol/errno.js';
import { NO_DEVICE } from '../config/device-slot.js';
import { leadingInteger } from '../config/parse.js';
import type { Command, CommandResult } from '../shell/command.js';
import type { ShellLine } from '../shell/equipment.js';
import type { ShellHost } from '../shell/host.js';
import { hexdump } from './hexdump.js';
import { later, ok, refused } from './results.js';

/** Maximum number of bytes that one command sends, and of registers that one command reads. */
const MOST_BYTES = 256;
const MOST_REGISTERS = 32;

export const serial: Command = {
  word: 'serial',
  help: 'The serial line.',
  children: [
    {
      word: 'send',
      help: 'Send bytes and wait for an answer: <hex> [<timeout in s>]',
      args: [1, 2],
      run: (_host, [hex = '', timeout]) => {
        if (!/^([\da-f]{2})*$/i.test(hex) || hex.length > 2 * MOST_BYTES) {
          return refused(EINVAL, 'Invalid hex string (must be even length, 0-9 a-f A-F)');
        }
        const wait = waitOf(timeout);
        const bytes = Buffer.from(hex, 'hex');
        const sent = [`TX (${bytes.length} bytes):`, ...hexdump(bytes), `Waiting ${wait} s for response...`];
        // Devices on the line answer only the firmware's own Modbus requests.
        return later(sent, seconds(wait), () => ok('No response received'));
      },
    },
    {
      word: 'recv',
      help: 'Show what arrives: [<timeout in s>]',
      args: [0, 1],
      run: (_host, [timeout]) => {
        const wait = waitOf(timeout);
        return later([`Receiving for ${wait} s...`], seconds(wait), () => ok('No data received'));
      },
    },
  ],
};

export const modbus: Command = {
  word: 'modbus',
  help: 'Modbus devices on the line.',
  children: [
    {
      word: 'read',
      help: 'Read registers: <slave> <address> <count> [holding | input]',
      args: [3, 4],
      run: (host, [slave = '', first = '', many = '', kind]) => {
        const count = number(many) & 0xffff;
        if (count > MOST_REGISTERS) return refused(EINVAL, `Count too large (max ${MOST_REGISTERS})`);
        const at = number(first) & 0xffff;
        const address = number(slave) & 0xff;
        const registers = host.equipment.line?.registers(address, at, count);
        if (registers === undefined) return refused(ETIMEDOUT, `Read failed: ${ETIMEDOUT}`);
        const name = kind === 'holding' ? 'holding' : 'input';
        const head = `Read ${count} ${name} registers from slave ${address}, starting at ${hex16(at)}:`;
        // The processor is little-endian, so the dump of its memory shows the low byte of each register first.
        return ok(head, ...hexdump(Uint8Array.from(registers.flatMap((word) => [word & 0xff, word >> 8]))));
      },
    },
    {
      word: 'write',
      help: 'Write a register: <slave> <address> <value>',
      args: [3, 3],
      run: (host, [slave = '', register = '', text = '']) => {
        const [address, at, value] = [number(slave) & 0xff, number(register) & 0xffff, number(text) & 0xffff];
        if (host.equipment.line?.registers(address, at, 1) === undefined)
          return refused(ETIMEDOUT, `Write failed: ${ETIMEDOUT}`);
        return ok(`Successfully wrote ${hex16(value)} to register ${hex16(at)} at slave ${address}`);
      },
    },
    {
      word: 'sample',
      help: 'Sample the configured devices.',
      args: [0, 0],
      run: (host) => {
        const used = (host.equipment.line?.slots ?? []).flatMap(({ type }, slot) => (type === NO_DEVICE ? [] : [slot]));
        const sampled = used.filter((slot) => host.equipment.line?.sample(slot));
        const start = 'Sampling configured device...';
        if (sampled.length === 0) return refused(EINVAL, start, `Sampling failed: ${EINVAL}`);
        return ok(start, 'Sampling complete');
      },
    },
  ],
};

export const device: Command = {
  word: 'device',
  help: 'Devices in the slots.',
  children: [
    {
      word: 'sample',
      help: 'Sample the device in a slot: <0-7>',
      args: [1, 1],
      run: (host, [text = '']) =>
        onSlot(host, text, (line, slot, { type, address }) => {
          const code = !line.hasDriver(slot) ? ENOTSUP : line.sample(slot) ? 0 : ETIMEDOUT;
          if (code !== 0) return refused(code, `Sampling device[${slot}] failed: ${code}`);
          return ok(`[${slot}] ${type} @ addr ${address}: OK`);
        }),
    },
    {
      word: 'reset',
      help: 'Reset the device in a slot: <0-7>',
      args: [1, 1],
      run: (host, [text = '']) =>
        onSlot(host, text, (line, slot) => {
          if (!line.hasDriver(slot)) return refused(ENOTSUP, `Reset not supported for device[${slot}]`);
          const answers = line.registers(line.slots[slot]?.address ?? 0, 0, 1) !== undefined;
          if (!answers) return refused(ETIMEDOUT, `Reset device[${slot}] failed: ${ETIMEDOUT}`);
          return ok(`Device[${slot}] reset complete`);
        }),
    },
    {
      word: 'list',
      help: 'Show the slots in use.',
      args: [0, 0],
      run: (host) => {
        const lines = (host.equipment.line?.slots ?? []).flatMap(({ type, address, timeout }, slot) =>
          type === NO_DEVICE ? [] : [`  [${slot}] ${type} (addr=${address}, timeout=${timeout}s)`],
        );
        return ok('Configured devices:', ...(lines.length > 0 ? lines : ['  (none)']));
      },
    },
  ],
};

/** The error with which `app config save` rejects the unsaved slots; undefined if they are valid. */
export function slotComplaint({ unsaved, limit }: ShellLine, mode: string): string | undefined {
  const used = unsaved.flatMap((slot, n) => (slot.type === NO_DEVICE ? [] : [{ ...slot, n }]));
  if (limit && used.length > limit.devices) {
    return `${limit.name}: max ${limit.devices} device allowed (found ${used.length})`;
  }
  if (mode === 'modbus') {
    const without = used.find(({ address }) => address === 0);
    return without && `Modbus mode: device-${without.n} requires address (1-247)`;
  }
  const further = used.find(({ n }) => n > 0);
  return further && `Transparent mode: only device-0 allowed (device-${further.n} is set)`;
}

function onSlot(
  { equipment: { line } }: ShellHost,
  text: string,
  act: (line: ShellLine, slot: number, device: ShellLine['slots'][number]) => CommandResult,
): CommandResult {
  const n = number(text);
  const slot = line?.slots[n];
  if (line === undefined || slot === undefined)
    return refused(EINVAL, `Invalid index (0-${(line?.slots.length ?? 8) - 1})`);
  return slot.type === NO_DEVICE ? refused(ENODEV, `Device[${n}] not configured`) : act(line, n, slot);
}

function waitOf(text: string | undefined): number {
  return text === undefined ? 1 : Math.max(1, leadingInteger(text));
}

/** A decimal number or, after `0x`, a hexadecimal one; 0 if the text does not begin with a number. */
function number(text: string): number {
  const hexadecimal = /^0x([\da-f]+)/i.exec(text)?.[1];
  return hexadecimal === undefined ? leadingInteger(text) : Number.parseInt(hexadecimal, 16);
}

function hex16(value: number): string {
  return `0x${value.toString(16).padStart(4, '0')}`;
}
