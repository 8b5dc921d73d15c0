/** Runs whose explanations are compared with the tables. */
import { defineScenario, run, type ScenarioDefinition } from '../../src/index.js';
import type { RunResult } from '../../src/report/result.js';

export function play(change: Partial<ScenarioDefinition>): Promise<RunResult> {
  return run(defineScenario({ name: 'agreement', duration: '3h', ...change } as ScenarioDefinition));
}

export function commands(number: number, apart: number): NonNullable<ScenarioDefinition['steps']> {
  return Array.from({ length: number }, (_, i) => ({ at: `${3600 + i * apart}s`, commands: ['info show'] }));
}
