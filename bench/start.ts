/**
 * Measures the run time of short commands, compared with a bare start of Node. Modules that a command loads without need make
 * it slower. A start through npx, which checks whether the build is up to date, is compared with a start of npx alone.
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
/** Wanted times in ms. */
const GOALS = { command: 250, npx: 2000 };
const NPX_ROUNDS = 3;
/** Lowest accepted ratio: time of a start of npx alone, divided by the time of a start of the program through npx. */
const NPX_LIMIT = 0.3;

export const start: Bench = {
  name: 'start',
  run: async () => [...COMMANDS.map(({ args, most }) => comparison(args, most)), throughNpx()],
};

function comparison(args: readonly string[], most: number): BenchResult {
  const [bare, command]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(timeOf(process.execPath, ['-e', '0']));
    command.push(timeOf(process.execPath, [program(), ...args]));
  }
  // The shortest time counts, because other programs on the machine disturbed it least.
  const [ofBare, ofCommand] = [Math.min(...bare), Math.min(...command)];
  return {
    what: `a start of Node, against ghostfleet ${args.join(' ')}`,
    ratio: ofBare / ofCommand,
    limit: 1 / most,
    detail: `${ofBare.toFixed(0)} ms, ${ofCommand.toFixed(0)} ms`,
    goals: [
      {
        figure: `ghostfleet ${args.join(' ')}`,
        measured: ofCommand,
        most: GOALS.command,
        unit: 'ms',
        section: 'validate',
      },
    ],
  };
}

function throughNpx(): BenchResult {
  const rounds = Array.from({ length: NPX_ROUNDS }, () => ({
    // `npx --version` would end before npx loads what it needs to find a program.
    alone: timeOf('npx', ['-c', 'node -e 0']),
    command: timeOf('npx', ['ghostfleet', '--version']),
  }));
  const alone = Math.min(...rounds.map((round) => round.alone));
  const command = Math.min(...rounds.map((round) => round.command));
  return {
    what: 'a start of npx, against npx ghostfleet --version',
    ratio: alone / command,
    limit: NPX_LIMIT,
    detail: `${alone.toFixed(0)} ms, ${command.toFixed(0)} ms`,
    goals: [
      {
        figure: 'npx ghostfleet --version in a checkout',
        measured: command,
        most: GOALS.npx,
        unit: 'ms',
        section: 'validate',
      },
    ],
  };
}

/** The time of a command in ms; throws if it fails. */
export function timeOf(command: string, args: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}
