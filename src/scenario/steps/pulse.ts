import type { Pulses } from '../../device/device-controls.js';
import { describeKey, duration, formOf, integer, optional, record, text, valueAt } from '../../input/checks.js';
import { quote } from '../../input/problems.js';
import { formatDuration, millis, seconds } from '../../kernel/time.js';
import { quantitiesOf } from '../values/quantity.js';
import { noEffect, type StepKind } from './step.js';

type PulseOptions = Pulses & {
  readonly input: string;
};

const EVERY = seconds(1);
const MOST_PULSES = 1_000_000;
const shape = record('pulse', {
  input: describeKey('Quantity of a counter or a contact.', 'counter.1.pulses', text()),
  times: optional(describeKey('Number of pulses. Default: 1.', 600, integer(1, MOST_PULSES)), 1),
  every: optional(describeKey('Time from one pulse to the next. Default: 1s.', '2s', duration), EVERY),
  stays: optional(describeKey('How long a contact stays closed.', '500ms', duration)),
});

/** Sends pulses to an input: a counter counts them, a contact closes and opens. */
export const pulse: StepKind<PulseOptions> = {
  about: 'sends pulses to a counter, or closes a contact, a number of times at an interval',
  example: 'pulse: { input: counter.1.pulses, times: 600, every: 2s }',
  form: () => formOf(shape),
  check: (node, problems, scope) => {
    const read = shape(node, problems);
    if (read === undefined || node.kind !== 'map') return undefined;
    const before = problems.list.length;
    const { input, times, every, stays } = read;
    const quantities = quantitiesOf(input, valueAt(node, 'input'), problems, scope.profiles);
    if (quantities.some(({ counter, contact }) => !counter && !contact)) {
      problems.add(valueAt(node, 'input'), `${quote(input)} is neither a counter nor a contact`);
    }
    if (stays !== undefined && quantities.some(({ counter }) => counter)) {
      problems.add(valueAt(node, 'stays'), '"stays" is for contacts, not for counters');
    }
    if (stays !== undefined && (stays === 0 || stays >= every)) {
      problems.add(
        valueAt(node, 'stays'),
        `a contact must stay closed for more than 0 and less than "every", ${formatDuration(every)}`,
      );
    }
    const closed = stays ?? Math.max(millis(1), Math.floor(every / 2));
    return problems.list.length === before ? { input, times, every, stays: closed } : undefined;
  },
  describe: ({ input, times, every }) => {
    if (times === 1) return `${input} once`;
    return `${input}, ${times} times${every === 0 ? ' at once' : `, one every ${formatDuration(every)}`}`;
  },
  actsOn: 'device',
  effect: noEffect,
  beforeStart: ({ times, every, stays }) => (times - 1) * every + stays,
  run: async (_world, device, { input, times, every, stays }) => device.controls.pulse(input, { times, every, stays }),
};
