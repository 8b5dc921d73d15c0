/** The explanation of a downlink in one paragraph. */
import { humanDuration, type Millis, sinceStart } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { ExplainedCause, ExplainedWait, Explanation, RepeatedEnd } from './explanation.js';
import { CUT_OFF } from './unanswered.js';

export function writeParagraph(explanation: Omit<Explanation, 'text'>, limit: Millis): string {
  const { timeline, unknown } = explanation;
  const failures = timeline.reduce((sum, { kind, times = 1 }) => sum + (kind === 'failure' ? times : 0), 0);
  return [
    writeOpening(explanation),
    ...writeAnswer(explanation),
    ...writeCauses(explanation, limit),
    ...(failures === 0
      ? []
      : [`${failures === 1 ? 'One exchange' : `${failures} exchanges`} of the device failed in this time.`]),
    ...writeWaits(explanation),
    ...writeSooner(explanation),
    ...unknown,
  ].join(' ');
}

function writeSooner(explanation: Omit<Explanation, 'text'>): readonly string[] {
  const { sooner, notSooner = [], simulated } = explanation;
  const [first] = [...sooner, ...notSooner];
  if (simulated === undefined) {
    return first === undefined ? [] : [`${capitalise(first.change)} it would have ${describeEnd(first, explanation)}.`];
  }
  const changed = first === undefined ? '' : `, and ${first.change} it would have ${describeEnd(first, explanation)}`;
  return [`In a simulation of the same plan it would have ${describeEnd(simulated, explanation)}${changed}.`];
}

/** The end of a repetition, worded to follow "it would have". A time alone would hide that the ends differ. */
function describeEnd(end: RepeatedEnd, { outcome, received }: Omit<Explanation, 'text'>): string {
  const time = humanDuration(end.time);
  if (end.outcome === 'pending') return `been pending at the end of the run, after ${time}`;
  if (!end.received) return 'been lost';
  if (end.outcome === outcome && received) return `taken ${time}`;
  const ended = `${ENDED[end.outcome]} after ${time}`;
  return end.outcome === 'delivered' && outcome === 'answered' ? `${ended}, without an answer` : ended;
}

const ENDED = {
  answered: 'been answered',
  delivered: 'been delivered',
  cancelled: 'been cancelled',
  expired: 'expired',
} as const;

function writeOpening({ type, device, outcome, received, took, queuedAt }: Omit<Explanation, 'text'>): string {
  const queued = `queued at ${humanDuration(sinceStart(queuedAt))}`;
  const subject = `The ${type} downlink to ${device}, ${queued},`;
  if (outcome === 'pending') return `${subject} was still pending after ${humanDuration(took)}.`;
  if (!received)
    return `${subject} is lost: after ${humanDuration(took)} the cloud counts it as delivered, but the device never received it. ${RULE}`;
  if (outcome === 'answered') return `${subject} was answered after ${humanDuration(took)}.`;
  if (outcome === 'delivered') return `${subject} was delivered and took ${humanDuration(took)}.`;
  return `${subject} ${ENDS[outcome]} after ${humanDuration(took)}, before its delivery.`;
}

const ENDS = { cancelled: 'was cancelled', expired: 'expired' } as const satisfies Record<
  NonNullable<DownlinkRecord['ended']>,
  string
>;

/** Wire W-29, W-30; docs/FIDELITY.md, delivered is not received. */
const RULE =
  'By the rule of the protocol, once the cloud has sent the last fragment of a downlink, the next message or poll of the ' +
  'device counts as confirmation, even if that fragment was lost.';

function writeAnswer({ noAnswer, awaitsAnswer }: Omit<Explanation, 'text'>): readonly string[] {
  if (awaitsAnswer)
    return [noAnswer === undefined ? 'No answer has come yet.' : `No answer has come yet: ${noAnswer}.`];
  if (noAnswer === CUT_OFF) return ['No answer came before the end of the recording.'];
  return noAnswer === undefined ? [] : [`No answer came: ${noAnswer}.`];
}

function writeCauses({ causes, outcome, received, took }: Omit<Explanation, 'text'>, limit: Millis): readonly string[] {
  // The time of a pending downlink is not known yet.
  if (received && took <= limit)
    return outcome === 'pending' ? [] : [`A time up to ${humanDuration(limit)} does not count as slow.`];
  if (causes.length === 0)
    return [`No cause is known without which it would have taken at most ${humanDuration(limit)}.`];
  const [first] = causes;
  if (causes.length === 1 && first) return [REASONS[first.kind](first)];
  return [`Several causes came together: ${causes.map(({ name }) => name).join('; ')}.`];
}

const REASONS: Readonly<Record<ExplainedCause['kind'], (cause: ExplainedCause) => string>> = {
  fault: ({ name }) => `The cause is the fault ${name}.`,
  step: ({ name }) => `The cause is the step ${name}.`,
  interval: ({ name }) => `The device was at rest until its ${name}.`,
  'power-on': () => 'The device was not switched on yet.',
  encoder: () =>
    'The cloud has no encoder of the device, so it does not send data to it. A device uploads its encoder only when it ' +
    'starts, and only if its type has one.',
  length: () =>
    'The downlink is longer than the buffer of the device, so it never arrives. Cancel it, and send its content in several ' +
    'shorter downlinks.',
  downlinks: () => 'Other downlinks of the device came first.',
  update: () => 'The cloud holds configurations back during a firmware update, because they restart the device.',
};

function writeWaits({ waits, took }: Omit<Explanation, 'text'>): readonly string[] {
  const shown = waits.filter(({ time }) => time >= took / 20).slice(0, 3);
  if (shown.length === 0) return [];
  return [`It waited ${shown.map((wait) => `${humanDuration(wait.time)} ${describeWait(wait)}`).join(', ')}.`];
}

function describeWait({ what }: ExplainedWait): string {
  const known = WAITS[what];
  if (known !== undefined) return known;
  if (what.startsWith('next ')) return `for the ${what}`;
  return `because of ${what.replace(POWER_ON, 'the late power-up of the device')}`;
}

/** Texts for waits, by the name of the cause (names.ts). */
const WAITS: Readonly<Record<string, string>> = {
  exchange: 'for successful exchanges',
  unknown: 'for an unknown reason',
  'other downlinks first': 'behind other downlinks of the device',
  'firmware update first': 'for the end of a firmware update',
  'longer than the buffer': 'because it is longer than the buffer of the device',
  'no encoder': 'because the cloud has no encoder of the device',
};

/** Name of the cause `power-on`. */
const POWER_ON = 'not switched on yet';

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
