import {
  type Check,
  complain,
  describeKey,
  duration,
  eitherForm,
  formed,
  formOf,
  optional,
  record,
  refine,
} from '../../input/checks.js';
import type { Millis } from '../../kernel/time.js';
import type { DeviceFaultKind } from './kind.js';

const OPTIONS = record('reboot', {
  every: optional(describeKey('Interval between reboots. Default: one reboot.', '20m', duration), null),
});
/** Shortest accepted interval between reboots. A device starts in less time. */
const SHORTEST: Millis = 1000;

const repeated: Check<Millis | null> = refine(OPTIONS, ({ every }, node, problems) =>
  every !== null && every < SHORTEST ? complain(node, problems, 'a reboot with "every" of 1s or more') : every,
);

/** The option is the interval of repeated reboots; null for one reboot. */
export const reboot: DeviceFaultKind<Millis | null> = {
  part: 'device',
  about: 'the power fails briefly, once or repeatedly; RAM is lost',
  example: 'reboot: { every: 20m }',
  check: formed(
    () => eitherForm({ type: 'null' }, formOf(OPTIONS)),
    (node, problems) => (node.kind === 'scalar' && node.value === null ? null : repeated(node, problems)),
  ),
  steps: (every) => ({ begin: { step: 'power-cycle', options: null }, end: null, every }),
};
