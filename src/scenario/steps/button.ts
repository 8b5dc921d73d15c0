import type { ButtonName } from '../../device/device-controls.js';
import { describeKey, duration, formOf, integer, oneOf, optional, record, valueAt } from '../../input/checks.js';
import { formatDuration, type Millis } from '../../kernel/time.js';
import { findQuantity } from '../../profile/quantities.js';
import { RESTARTS, type StepKind } from './step.js';

type ButtonOptions = {
  readonly which: ButtonName;
  /** Number of clicks; null if `hold` is set. */
  readonly clicks: number | null;
  readonly hold: Millis | null;
};

const BUTTONS = ['int', 'x', '1', '2', '3', '4'] as const satisfies readonly ButtonName[];

const shape = record('button', {
  which: optional(describeKey('The button: `int` (default) is on the board.', 'int', oneOf(BUTTONS)), 'int' as const),
  clicks: optional(describeKey('Number of clicks.', 3, integer(1, 6)), null),
  hold: optional(describeKey('How long the button is held, instead of clicks.', '5s', duration), null),
});

/** Presses a button: `int` is on the board; `x`, `1`, `2`, `3` and `4` are on CHESTER Push. */
export const button: StepKind<ButtonOptions> = {
  about: 'clicks or holds a button: int is on the board; x, 1, 2, 3 and 4 are on CHESTER Push',
  example: 'button: { which: int, clicks: 3 }',
  form: () => formOf(shape),
  check: (node, problems, { profiles }) => {
    const read = shape(node, problems);
    if (read === undefined || node.kind !== 'map') return undefined;
    if ((read.clicks === null) === (read.hold === null)) {
      problems.add(node, 'button needs either "clicks" or "hold"');
      return undefined;
    }
    const without = profiles.find((profile) => read.which !== 'int' && !findQuantity(profile, 'button.1.clicks'));
    if (without === undefined) return read;
    problems.add(valueAt(node, 'which'), `${without.name} has only the button on the board, "int"`);
    return undefined;
  },
  describe: ({ which, clicks, hold }) =>
    clicks === null
      ? `${which} held for ${formatDuration(hold ?? 0)}`
      : `${which} clicked ${clicks === 1 ? 'once' : `${clicks} times`}`,
  actsOn: 'settings',
  effect: () => RESTARTS,
  beforeStart: ({ hold }) => hold ?? 0,
  run: async (_world, device, { which, clicks, hold }) => {
    if (clicks === null) device.controls.press(which, hold ?? 0);
    else device.controls.click(which, clicks);
  },
};
