/**
 * Measures the run time of short commands, compared with a bare start of Node. Modules that a command loads without need make
 * it slower. A start through npx, which checks whether the build is up to date, is compared with a start of npx alone.
 */
import { spawnSync } from 'node:child_process';
import { program } from '../scripts/support/program.js';
import type { GoalName } from './goals.js';
import type { Bench, BenchResult } from './result.js';
import { size } from './size.js';

const ROUNDS = size({ quick: 5, usual: 10 });
/** The commands. A command may take at most `most` times as long as a bare start of Node. */
const COMMANDS: readonly Command[] = [
  { args: ['--help'], most: 5, goal: 'help' },
  { args: ['--version'], most: 5, goal: 'version' },
  { args: ['validate', 'scenarios/demo.yaml'], most: 7, goal: 'validate' },
];
const NPX_ROUNDS = size({ quick: 2, usual: 3 });
/** Lowest accepted ratio: time of a start of npx alone, divided by the time of a start of the program through npx. */
const NPX_LIMIT = 0.3;

export const start: Bench = {
  name: 'start',
  run: async () => [...COMMANDS.map(comparison), throughNpx()],
};

interface Command {
  readonly args: readonly string[];
  readonly most: number;
  readonly goal: GoalName;
}

function comparison({ args, most, goal }: Command): BenchResult {
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
    goals: { [goal]: ofCommand / 1000 },
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
    goals: { npx: command / 1000 },
  };
}

/** The time of a command in ms; throws if it fails. */
export function timeOf(command: string, args: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}
