/**
 * The `expect` of a scenario: a list of expectations. An expectation that is written as a map can end the run early:
 *
 *     expect:
 *       - downlink.answered within 1h >= 95%
 *       - { that: downlink.refused == 0, abort: true }        # ends the run as soon as it fails
 *       - { that: uplink.stored >= 100, abort: 30m }          # the same, but only from 30 minutes after the start on
 */
import {
  type Check,
  complain,
  describeKey,
  duration,
  eitherForm,
  type Form,
  formed,
  formOf,
  list,
  optional,
  record,
  valueAt,
} from '../../input/checks.js';
import type { Instant } from '../../kernel/time.js';
import type { Expectation } from '../expect/expectation.js';
import { expectExpectation, NO_NAMES, type ScopeNames } from '../expect/parse.js';

/** Whether the expectation may end the run, or the earliest time at which it may. */
const abort: Check<Instant | false> = formed(
  () => ({ anyOf: [{ type: 'boolean' }, formOf(duration)] }),
  (node, problems) => {
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value ? 0 : false;
    const before = problems.list.length;
    const from = duration(node, problems);
    if (from !== undefined) return from;
    problems.list.length = before;
    return complain(node, problems, 'true, false, or a duration after the start such as "10m"');
  },
);

/** @param end duration of the scenario; undefined if it could not be read */
export function expectations(names: ScopeNames, end?: Instant): Check<readonly Expectation[]> {
  const line = expectExpectation(names);
  const ending = record('an expectation', {
    that: describeKey('The expectation.', 'downlink.refused == 0', line),
    abort: optional(
      describeKey(
        'Ends the run when the expectation fails: `true`, or from this time on. Default: false.',
        '30m',
        abort,
      ),
    ),
  });
  return list(
    formed(
      () => eitherForm(formOf(line), formOf(ending)),
      (node, problems) => {
        if (node.kind !== 'map') return line(node, problems);
        const read = ending(node, problems);
        if (read === undefined) return undefined;
        const { that, abort: from = false } = read;
        if (from === false) return that;
        if (end !== undefined && from >= end) {
          problems.add(
            valueAt(node, 'abort'),
            'the run has ended by then; expected a time before the end of the scenario',
          );
          return undefined;
        }
        return { ...that, abort: from };
      },
    ),
  );
}

/** JSON Schema of `expect`, for editors. */
export function expectForm(): Form {
  return formOf(expectations(NO_NAMES));
}
