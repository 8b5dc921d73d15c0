/**
 * Scenarios from the web console. They are as trusted as a file from the network: such a scenario can name no files, and its
 * connectors reach no hosts. A scenario is checked in a thread with limits of time and memory, because a short text can
 * describe a fleet that is too large to plan. A run of such a scenario is a process of its own.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunVerdict } from '../control/run-state.js';
import type {
  ScenarioCheck,
  ScenarioEnd,
  ScenarioProcess,
  ScenarioTools,
  ScenarioWords,
} from '../control/scenarios.js';
import { makeTemporaryDirectory } from '../kernel/private-directory.js';
import { PRIVATE } from '../kernel/private-file.js';
import { findCause } from '../report/cause.js';
import { RENDERERS } from '../report/renderers/index.js';
import type { RunResult } from '../report/result.js';
import { getVerdict } from '../report/verdict.js';
import { listPackaged, readPackaged } from './find-scenario.js';
import type { Host } from './host.js';
import { CheckThread } from './scenario-check/thread.js';

/** If a run gives no verdict, the end of its error output is shown as the reason: this many characters. */
const LONGEST_REASON = 2000;

export class PageScenarios implements ScenarioTools {
  readonly #host: Pick<Host, 'again'>;
  readonly #thread = new CheckThread();

  constructor(host: Pick<Host, 'again'>) {
    this.#host = host;
  }

  async words(): Promise<ScenarioWords> {
    return { ...(await this.#thread.names()), examples: listPackaged() };
  }

  example(name: string): string | undefined {
    return listPackaged().includes(name) ? readPackaged(name) : undefined;
  }

  check(text: string): Promise<ScenarioCheck> {
    return this.#thread.check(text);
  }

  run(text: string, seed: number | undefined, progress: (sentence: string) => void): ScenarioProcess {
    // A run may read the files in the folder of its scenario, so the scenario gets a folder without other files.
    const folder = makeTemporaryDirectory('ghostfleet-');
    const file = join(folder, 'scenario.yaml');
    writeFileSync(file, text, { mode: PRIVATE.file });
    const seeds = seed === undefined ? [] : ['--seed', String(seed)];
    // The scenario runs in one thread, because the run to which the console belongs needs the other cores.
    const child = this.#host.again(['run', file, ...seeds, '--workers', '1', '--json'], { errLine: progress });
    const ended = child.ended.then(({ out, err, signal }) => {
      rmSync(folder, { recursive: true, force: true });
      if (signal !== undefined) return `the run was ended by ${signal}`;
      // The command in the report names the file that the user has saved.
      const pathInJson = JSON.stringify(file).slice(1, -1);
      return (
        parseEnd(out.replaceAll(pathInJson, 'scenario.yaml')) ??
        err.replaceAll(file, 'scenario').trim().slice(-LONGEST_REASON)
      );
    });
    return { ended, stop: () => child.stop() };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** Undefined if the text is not the result of a run. */
function parseEnd(out: string): ScenarioEnd | undefined {
  try {
    const result = JSON.parse(out) as RunResult;
    return { verdict: describeVerdict(result), report: () => RENDERERS.html(result) };
  } catch {
    return undefined;
  }
}

export function describeVerdict(result: RunResult): RunVerdict {
  const { failure, digest, events, simulatedMs, wallMs } = result;
  const expectations = result.expectations.map((each) => ({
    ...each,
    cause: each.passed ? null : (findCause(each, [result]) ?? null),
  }));
  return { ...getVerdict(result), failure, digest, events, simulatedMs, wallMs, expectations };
}
