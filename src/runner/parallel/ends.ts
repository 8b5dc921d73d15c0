/** The end of a run whose devices were divided among threads or workers. */
import { EXIT } from '../../kernel/errors.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { End } from '../world/end.js';
import { NotAtRest } from '../world/not-at-rest.js';

/**
 * The end of a run of several parts: the first of `ends` whose exit code is not 0. A message about devices that are not at
 * rest names those of all parts, in the order of the plan.
 */
export function endOfAll(plan: Plan, ends: readonly End[]): End {
  const early = ends.find(({ exitCode }) => exitCode !== EXIT.fine);
  if (early?.busy === undefined) return early ?? { exitCode: EXIT.fine, failure: null };
  const places = new Map(plan.devices.map(({ name }, index) => [name, index]));
  const placeOf = (clause: string) => places.get(clause.split(' ', 1)[0] ?? '') ?? places.size;
  const all = new Set(ends.flatMap(({ busy }) => busy ?? []));
  const busy = [...all].sort((a, b) => placeOf(a) - placeOf(b));
  return { exitCode: early.exitCode, failure: new NotAtRest(plan, busy).message, busy };
}
