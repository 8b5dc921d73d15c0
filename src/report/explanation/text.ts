/** Explanations of downlinks as text, for `ghostfleet explain` and for the text report. */
import type { ExplainedRemedy, Explanation } from '../../explain/explanation.js';
import type { DeviceExplanation } from '../../explain/run-explainer.js';
import { wrap } from '../../kernel/table.js';
import { humanDuration } from '../../kernel/time.js';

/** Maximum number of entries of a timeline. The middle of a longer timeline is left out. */
const LONGEST = 40;
const TIME_WIDTH = 9;

/** The paragraph of the explanation, advice on a faster delivery, the waits, and the timeline. */
export function writeExplanation(explanation: Explanation, width: number): readonly string[] {
  const { type, device, downlink, text, sooner, notSooner = [], simulated, waits } = explanation;
  const inSimulation = simulated === undefined ? '' : ' (simulated)';
  return [
    `${type} to ${device} · ${downlink}`,
    ...indent(wrap(text, width - 2)),
    ...(sooner.length === 0 ? [] : ['', `  sooner${inSimulation}`]),
    ...sooner.flatMap((each) => writeRow(humanDuration(each.time), describeChange(each, explanation), width, 16)),
    ...(notSooner.length === 0 ? [] : ['', `  not sooner${inSimulation}`]),
    ...notSooner.flatMap((each) => writeRow(humanDuration(each.time), describeChange(each, explanation), width, 16)),
    ...(waits.length === 0 ? [] : ['', '  waited']),
    ...waits.flatMap(({ what, time }) => writeRow(humanDuration(time), what, width, 16)),
    '',
    '  timeline',
    ...writeTimeline(explanation, width),
  ];
}

/** The paragraph only, for a report. */
export function writeExplanationParagraph({ text }: Explanation, width: number): readonly string[] {
  return indent(wrap(text, width - 2));
}

/** @param isRecording whether the device has only a pseudonym, and no serial number */
export function writeDevice(
  { device, serial, state, downlinks }: DeviceExplanation,
  width: number,
  isRecording: boolean,
): readonly string[] {
  return [
    isRecording ? device : `${device} (${serial})`,
    ...state.flatMap((sentence) => indent(wrap(sentence, width - 2))),
    ...downlinks.flatMap((explanation) => ['', ...writeExplanation(explanation, width)]),
  ];
}

function writeTimeline({ timeline }: Explanation, width: number): readonly string[] {
  const rows = timeline.map(({ at, kind, what }) => {
    const mark = kind === 'failure' ? '✗' : kind === 'fault' || kind === 'rule' ? '!' : ' ';
    return writeRow(`+${humanDuration(at)}`, `${mark} ${what}`, width, TIME_WIDTH);
  });
  if (rows.length <= LONGEST) return rows.flat();
  const half = LONGEST / 2;
  const left = rows.length - LONGEST;
  return [...rows.slice(0, half).flat(), `    … ${left} more entries (--json shows all)`, ...rows.slice(-half).flat()];
}

function writeRow(first: string, text: string, width: number, column: number): readonly string[] {
  const [line = '', ...rest] = wrap(text, width - column - 6);
  return [`    ${first.padEnd(column)} ${line}`, ...rest.map((more) => `${' '.repeat(column + 7)}${more}`)];
}

/** `without outage: pending` */
function describeChange({ change, outcome, received }: ExplainedRemedy, whole: Explanation): string {
  const end = received ? outcome : 'lost';
  return received && whole.received && outcome === whole.outcome ? change : `${change}: ${end}`;
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
