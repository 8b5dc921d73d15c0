/** Explanations of downlinks as text, for `ghostfleet explain` and for the text report. */
import type { Explanation } from '../../explain/explanation.js';
import type { DeviceExplanation } from '../../explain/run-explainer.js';
import { humanDuration } from '../../kernel/time.js';
import { wrap } from '../table.js';

/** Maximum number of entries of a timeline. The middle of a longer timeline is left out. */
const LONGEST = 40;
const TIME_WIDTH = 9;

/** The paragraph of the explanation, advice on a faster delivery, the waits, and the timeline. */
export function explanationLines(explanation: Explanation, width: number): readonly string[] {
  const { type, device, downlink, text, sooner, simulated, waits } = explanation;
  return [
    `${type} to ${device} · ${downlink}`,
    ...indented(wrap(text, width - 2)),
    ...(sooner.length === 0 ? [] : ['', simulated === undefined ? '  sooner' : '  sooner (simulated)']),
    ...sooner.flatMap(({ change, time }) => row(humanDuration(time), change, width, 16)),
    ...(waits.length === 0 ? [] : ['', '  waited']),
    ...waits.flatMap(({ what, time }) => row(humanDuration(time), what, width, 16)),
    '',
    '  timeline',
    ...timelineLines(explanation, width),
  ];
}

/** The paragraph only, for a report. */
export function explanationParagraph({ text }: Explanation, width: number): readonly string[] {
  return indented(wrap(text, width - 2));
}

export function deviceLines({ device, serial, state, downlinks }: DeviceExplanation, width: number): readonly string[] {
  return [
    `${device} (${serial})`,
    ...state.flatMap((sentence) => indented(wrap(sentence, width - 2))),
    ...downlinks.flatMap((explanation) => ['', ...explanationLines(explanation, width)]),
  ];
}

function timelineLines({ timeline }: Explanation, width: number): readonly string[] {
  const rows = timeline.map(({ at, kind, what }) => {
    const mark = kind === 'failure' ? '✗' : kind === 'fault' || kind === 'rule' ? '!' : ' ';
    return row(`+${humanDuration(at)}`, `${mark} ${what}`, width, TIME_WIDTH);
  });
  if (rows.length <= LONGEST) return rows.flat();
  const half = LONGEST / 2;
  const left = rows.length - LONGEST;
  return [...rows.slice(0, half).flat(), `    … ${left} more entries (--json shows all)`, ...rows.slice(-half).flat()];
}

function row(first: string, text: string, width: number, column: number): readonly string[] {
  const [line = '', ...rest] = wrap(text, width - column - 6);
  return [`    ${first.padEnd(column)} ${line}`, ...rest.map((more) => `${' '.repeat(column + 7)}${more}`)];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
