/**
 * Measures the run time of short commands, compared with a bare start of Node. Modules that a command loads without need make
 * it slower.
 */
import { spawnSync } from 'node:child_process';
import { program } from '../scripts/support/program.js';
import type { Bench, BenchResult } from './result.js';

const ROUNDS = 10;
/** The commands. A command may take at most `most` times as long as a bare start of Node. */
const COMMANDS = [
  { args: ['--help'], most: 5 },
  { args: ['--version'], most: 5 },
  { args: ['validate', 'scenarios/demo.yaml'], most: 7 },
];

export const start: Bench = {
  name: 'start',
  run: async () => COMMANDS.map(({ args, most }) => comparison(args, most)),
};

function comparison(args: readonly string[], most: number): BenchResult {
  const [bare, command]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(timeOf(['-e', '0']));
    command.push(timeOf([program(), ...args]));
  }
  // The shortest time counts, because other programs on the machine disturbed it least.
  const [ofBare, ofCommand] = [Math.min(...bare), Math.min(...command)];
  return {
    what: `a start of Node, against ghostfleet ${args.join(' ')}`,
    ratio: ofBare / ofCommand,
    limit: 1 / most,
    detail: `${ofBare.toFixed(0)} ms, ${ofCommand.toFixed(0)} ms`,
  };
}

function timeOf(args: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}
