/** `ghostfleet list`: lists everything that scenarios can refer to by name. */
import { EXIT } from '../kernel/errors.js';
import { packagedProfiles } from '../profile/library.js';
import { FAULTS } from '../scenario/faults/index.js';
import { CALLS } from '../scenario/load/calls.js';
import { OWN_CALLS } from '../scenario/load/chains.js';
import { EXECUTORS } from '../scenario/load/executors.js';
import { REPLAY } from '../scenario/load/recorded.js';
import { SETUPS } from '../scenario/setup/index.js';
import { STEPS } from '../scenario/steps/index.js';
import { INVARIANTS } from '../trace/invariants/index.js';
import { METRICS } from '../trace/metrics/index.js';
import { defineCommand } from './command.js';
import { describePackaged, listPackaged } from './find-scenario.js';

type Row = readonly [name: string, about: string];

const SUBJECTS = {
  scenarios: () => listPackaged().map((name) => [name, describePackaged(name)]),
  profiles: () =>
    [...packagedProfiles().values()].map(({ name, title, firmware }) => [
      name,
      `${title}; firmware ${firmware.names.join(', ')}`,
    ]),
  steps: () => Object.entries(STEPS).map(([name, { about, example }]) => [name, `${about}; ${example}`]),
  setup: () => Object.entries(SETUPS).map(([name, { about, example }]) => [name, `${about}; ${example}`]),
  calls: () =>
    Object.entries({ ...CALLS, ...OWN_CALLS, replay: REPLAY }).map(([name, { about, example }]) => [
      name,
      `${about}; ${example}`,
    ]),
  executors: () => Object.entries(EXECUTORS).map(([name, { keys, about }]) => [name, `${about}; ${keys}`]),
  faults: () => Object.entries(FAULTS).map(([name, { about, example }]) => [name, `${about}; ${example}`]),
  metrics: () =>
    METRICS.map(({ name, shape, about }) => [name, `${about}${shape === 'durations' ? ' (durations)' : ''}`]),
  invariants: () => Object.entries(INVARIANTS).map(([name, { about }]) => [name, about]),
} satisfies Record<string, () => readonly Row[]>;

export type Subject = keyof typeof SUBJECTS;
// The cast is needed because `Object.keys` returns `string[]`.
export const SUBJECT_NAMES = Object.keys(SUBJECTS) as readonly Subject[];

/** What there is of a subject, by name, each with a description. */
export function listRows(subject: Subject): readonly Row[] {
  return SUBJECTS[subject]();
}

export const list = defineCommand<{ readonly subject: Subject }>(
  (parser) =>
    parser.positional('subject', {
      choices: SUBJECT_NAMES,
      demandOption: true,
      describe: 'what to list',
    }),
  async ({ subject }, host) => {
    const rows = listRows(subject);
    const width = Math.max(...rows.map(([name]) => name.length));
    for (const [name, about] of rows) host.out.write(`${name.padEnd(width)}  ${about}\n`);
    return EXIT.fine;
  },
);
