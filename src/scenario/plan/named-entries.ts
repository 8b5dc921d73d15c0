/** The faults, steps and loads of a plan by the names that users give them. */
import { didYouMean, quote } from '../../input/problems.js';
import { UsageError } from '../../kernel/errors.js';
import { describeWithWay } from '../faults/index.js';
import type { Plan } from '../model/plan.js';
import { describeStep } from '../steps/index.js';
import type { PlanEntry } from './change.js';

/** A fault, a step or a load. */
interface NamedEntries {
  /** Its kind, such as `outage`, `radio` or `load`. */
  readonly kind: string;
  /** `loss 10% (region/north)`, `radio: off` */
  readonly name: string;
  readonly entries: readonly PlanEntry[];
}

/**
 * What a word names: a whole name, a kind (`outage`: all outages), a step by its number (`step 2`), or the only kind or name
 * that begins with the word.
 * @throws UsageError for a word that names nothing or is not unique
 */
export function findNamedEntries(plan: Plan, word: string): readonly NamedEntries[] {
  const all = listNamedEntries(plan);
  const isStep = /^step \d+$/.test(word);
  const exact = all.filter(
    ({ name, kind }) =>
      name === word || kind === word || name.startsWith(`${word} (`) || (isStep && name.endsWith(`(${word})`)),
  );
  if (exact.length > 0) return exact;
  const names = [...new Set(all.flatMap(({ kind, name }) => [kind, name]))];
  const begun = all.filter(({ kind, name }) => kind.startsWith(word) || name.startsWith(word));
  const kinds = new Set(begun.map(({ kind }) => kind));
  if (word !== '' && (begun.length === 1 || kinds.size === 1)) return begun;
  const known = begun.length > 0 ? begun : all;
  const list = [...new Set(known.map(({ name }) => quote(name)))];
  const shown = list.length === 0 ? 'nothing' : `${list.slice(0, 8).join(', ')}${list.length > 8 ? ', …' : ''}`;
  throw new UsageError(
    'unknown-fault',
    begun.length > 0 && word !== ''
      ? `${quote(word)} is the beginning of several names: ${shown}`
      : `unknown fault, step or load ${quote(word)}${didYouMean(word, names)}; the scenario has ${shown}`,
  );
}

function listNamedEntries(plan: Plan): readonly NamedEntries[] {
  const { faults, actions, loads } = plan;
  const steps = new Map<number, NamedEntries>();
  for (const [index, action] of actions.entries()) {
    if (action.fault !== undefined || action.origin < 0) continue;
    const known = steps.get(action.origin)?.entries ?? [];
    const name = `${describeStep(action)} (step ${action.origin + 1})`;
    steps.set(action.origin, { kind: action.step, name, entries: [...known, `action-${index}`] });
  }
  return [
    ...faults.map((fault): NamedEntries => {
      const { kind, id, to } = fault;
      return { kind, name: `${describeWithWay(fault)}${to === null ? '' : ` (${to})`}`, entries: [id] };
    }),
    ...steps.values(),
    ...loads.map(({ name }, index): NamedEntries => ({ kind: 'load', name, entries: [`load-${index}`] })),
  ];
}
