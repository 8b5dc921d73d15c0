/** `backup`: the backup supply module CHESTER-Z (catalog.json, clime). */
import type { Command } from '../shell/command.js';
import { groupHelp, ok } from './results.js';

export const backup: Command = {
  word: 'backup',
  help: 'The backup supply.',
  run: groupHelp,
  children: [
    {
      word: 'status',
      help: 'Show the module and its voltages.',
      args: [0, 0],
      run: (host) => {
        const module = host.board.backup();
        if (!module) return ok('chester-z: not detected');
        return ok(
          'chester-z: detected',
          `serial number: ${hex(module.serialNumber, 8)}`,
          `hw revision: ${hex(module.hwRevision, 4)}`,
          `hw variant: ${hex(module.hwVariant, 8)}`,
          `fw version: ${hex(module.fwVersion, 8)}`,
          `dc input: ${module.connected ? 'connected' : 'disconnected'}`,
          `dc voltage: ${Math.trunc(module.lineVoltage * 1000)} mV`,
          `battery voltage: ${Math.trunc(module.batteryVoltage * 1000)} mV`,
        );
      },
    },
  ],
};

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
