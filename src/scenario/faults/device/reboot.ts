import {
  type Check,
  complain,
  duration,
  eitherForm,
  formed,
  formOf,
  optional,
  record,
  refine,
} from '../../../input/checks.js';
import type { Millis } from '../../../kernel/time.js';
import type { DeviceFault, DeviceFaultKind } from './kind.js';

const OPTIONS = record('reboot', { every: optional(duration, null) });
/** Shortest accepted interval between reboots. A device starts in less time. */
const SHORTEST: Millis = 1000;

const happening = (every: Millis | null): DeviceFault => ({
  begin: { step: 'power-cycle', options: null },
  end: null,
  every,
});

const repeated: Check<DeviceFault> = refine(OPTIONS, ({ every }, node, problems) =>
  every !== null && every < SHORTEST
    ? complain(node, problems, 'a reboot with "every" of 1s or more')
    : happening(every),
);

export const reboot: DeviceFaultKind = {
  about: 'the power fails briefly, once or repeatedly; RAM is lost',
  example: 'reboot: { every: 20m }',
  check: formed(
    () => eitherForm({ type: 'null' }, formOf(OPTIONS)),
    (node, problems) => (node.kind === 'scalar' && node.value === null ? happening(null) : repeated(node, problems)),
  ),
};
