/** `ghostfleet what-if`: what would have happened to downlinks if something had been different. */
import { dirname } from 'node:path';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { needFinished } from '../library/unfinished.js';
import { writeWhatIf } from '../report/explanation/what-if.js';
import { answerWhatIf } from '../runner/answer-what-if.js';
import { WhatIf } from '../runner/what-if.js';
import { WrongValue } from './check-arguments.js';
import { defineCommand, readEach } from './command.js';
import { findScenario, SCENARIO_FILE } from './find-scenario.js';
import type { Host } from './host.js';
import { readPlan } from './read-files.js';
import { isRun, openRun, readHistories } from './read-run.js';
import { findRepeatableRun } from './stored-plan.js';
import { ALLOW_FILE, collectVariables, FIRMWARE, REPEATED, SEED, VARIABLES } from './values.js';

interface WhatIfFlags {
  readonly run: string;
  readonly what: string | undefined;
  readonly without: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  readonly firmware: string | undefined;
  readonly seed: number | undefined;
  readonly var: ReadonlyMap<string, string>;
  readonly allowFile: readonly string[];
  readonly json: boolean;
}

const WIDEST = 160;

export const whatIf = defineCommand<WhatIfFlags>(
  (parser) =>
    parser
      .positional('run', {
        type: 'string',
        demandOption: true,
        describe: `directory of a run (--out), or ${SCENARIO_FILE}`,
      })
      .positional('what', {
        type: 'string',
        describe: 'a device (name or serial number) or the id of a downlink (default: all, with the expectations)',
      })
      .option('without', {
        ...REPEATED,
        describe: 'fault, step or load to leave out, such as outage, "radio: off" or "step 2"; may be repeated',
      })
      .option('set', {
        ...REPEATED,
        describe: 'parameter of the devices as key=value, such as interval-poll=60; may be repeated',
        coerce: readEach(parseParameter, (pairs): Readonly<Record<string, string>> => Object.fromEntries(pairs)),
      })
      .option('firmware', { ...FIRMWARE, describe: 'firmware version of the devices, such as 3.5.5' })
      .option('seed', { ...SEED, describe: 'seed for a scenario (default: that of the file)' })
      .option('var', VARIABLES)
      .option('allow-file', ALLOW_FILE)
      .option('json', { type: 'boolean', default: false, describe: 'print one JSON object instead of the text' }),
  execute,
);

async function execute(flags: WhatIfFlags, host: Host): Promise<ExitCode> {
  const { what, without, set, firmware, json } = flags;
  const answer = await answerWhatIf(await findRepetitions(flags, host), { of: what, without, set, firmware });
  const lines = () => writeWhatIf(answer, what !== undefined, Math.min(WIDEST, host.out.columns));
  host.out.write(json ? `${JSON.stringify(answer, null, 2)}\n` : `${lines().join('\n')}\n`);
  return EXIT.fine;
}

/** @throws UsageError if the run cannot be repeated */
async function findRepetitions({ run, seed, ...flags }: WhatIfFlags, host: Host): Promise<WhatIf> {
  const vars = collectVariables(flags.var, host.env);
  if (!isRun(run)) {
    const { text, path } = await findScenario(run, host);
    const { plan, profiles } = readPlan(text, path, { seed, vars, allowFiles: flags.allowFile });
    return WhatIf.ofPlan(plan, profiles);
  }
  if (seed !== undefined) throw new UsageError('bad-flags', '--seed is for a scenario: a run has its own seed');
  const stored = openRun(run);
  needFinished(dirname(stored.events));
  // A question about one device needs only its events. Which device it is, may depend on the downlinks.
  const all = flags.what === undefined ? readHistories(stored) : undefined;
  const recorded = all ?? {
    getHistory: (serial: number) => readHistories(stored, new Set([serial])).getHistory(serial),
  };
  const repeatable = findRepeatableRun(stored, { vars, allowFiles: flags.allowFile }, recorded);
  if (typeof repeatable !== 'string') return WhatIf.ofRun(repeatable);
  throw new UsageError('not-repeated', `the run cannot be repeated, because ${repeatable}`);
}

/** Reads `key=value`. */
function parseParameter(text: string): readonly [key: string, value: string] | WrongValue {
  const [, key, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) return new WrongValue([`--set "${text}" is not key=value`]);
  return [key.trim(), value.trim()];
}
