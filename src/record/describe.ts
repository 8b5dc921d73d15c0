/** The accuracy of a replay as text. */

import { isoTime } from '../kernel/calendar.js';
import { printableLine } from '../kernel/printable.js';
import { countOf } from '../kernel/quantity.js';
import { formatDuration, humanDuration, type Millis } from '../kernel/time.js';
import {
  type ErrorSpread,
  isWithin,
  listBeyond,
  type Prediction,
  type ReplayAccuracy,
  sortWorstFirst,
} from './predict.js';
import { ANSWERS, type Recording } from './recording.js';
import type { Polls } from './script.js';

/** Number of worst predictions that are listed. */
const SHOWN = 5;

/** The polls that each prediction uses, by the value of the option `--polls`. */
const KNOWN: Readonly<Record<Polls, string>> = {
  foretold: 'each predicted without knowledge of the recorded one',
  recorded: 'with all recorded polls, including those that only the predicted delivery shows',
};

/** `1 device, 5 uplinks and 3 downlinks (2 of them answers to sessions or time requests)` */
export function describeContent({ devices, uplinks, downlinks }: Recording): string {
  const answers = downlinks.filter(({ type }) => ANSWERS.has(type)).length;
  const own = answers === 0 ? '' : ` (${answers} of them answers to sessions or time requests)`;
  const counts = [countOf(devices.length, 'device'), countOf(uplinks.length, 'uplink')];
  return `${counts.join(', ')} and ${countOf(downlinks.length, 'downlink')}${own}`;
}

/** @param within limit of the errors; null for no limit */
export function describeAccuracy(
  recording: Recording,
  accuracy: ReplayAccuracy,
  { within, polls }: { readonly within: Millis | null; readonly polls: Polls },
): string {
  const { predictions, errors, byType, byLead, missed, invented, leftOut } = accuracy;
  const { from, until, cut } = recording;
  const lines = [`${describeContent(recording)} in ${humanDuration(until - from)} from ${isoTime(from)}`];
  if (cut !== null) lines.push(`the recording is incomplete: ${printableLine(cut)}`);
  lines.push('', `predicted against recorded delivery, ${KNOWN[polls]}:`, '');
  lines.push(writeRow('type', 'count', 'median', 'p95', 'worst'));
  for (const spread of byType) lines.push(spreadRow(spread.type, spread));
  if (errors !== null && byType.length > 1) lines.push(spreadRow('all', errors));
  if (byLead.some(({ ledBy }) => ledBy === 'poll')) {
    lines.push('', writeRow('led by', 'count', 'median', 'p95', 'worst'));
    for (const spread of byLead) lines.push(spreadRow(spread.ledBy, spread));
  }
  if (errors === null) lines.push('  no downlink was delivered in both the recording and the replay');
  lines.push('');
  if (missed > 0) lines.push(`${missed} delivered in the recording only`);
  if (invented > 0) lines.push(`${invented} delivered in the replay only`);
  if (leftOut > 0)
    lines.push(`${leftOut} not replayed: created by the cloud for clocks or firmware updates, or of an unknown type`);
  const worst = sortWorstFirst(predictions).slice(0, SHOWN);
  if (worst.length > 0) lines.push('worst predictions:', ...worst.map(writePrediction));
  if (within !== null) lines.push('', writeVerdict(accuracy, within));
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`;
}

function writeVerdict(accuracy: ReplayAccuracy, within: Millis): string {
  const { length } = accuracy.predictions;
  const limit = formatDuration(within);
  if (isWithin(accuracy, within)) return `PASS: ${countOf(length, 'prediction')}, all within ${limit}`;
  if (length === 0) return 'FAIL: no downlink was delivered, so there are no predictions';
  return `FAIL: ${listBeyond(accuracy, within).length} of ${countOf(length, 'prediction')} not within ${limit}`;
}

function spreadRow(name: string, { count, median, p95, worst }: ErrorSpread): string {
  return writeRow(name, String(count), humanDuration(median), humanDuration(p95), humanDuration(worst));
}

function writeRow(name: string, ...cells: readonly string[]): string {
  return `  ${name.padEnd(10)}${cells.map((cell) => cell.padStart(9)).join('')}`;
}

function writePrediction({ device, n, type, queued, recorded, predicted, error }: Prediction): string {
  const after = (at: Millis | null) => (at === null ? 'never' : `after ${humanDuration(at - queued)}`);
  const verdict =
    error === null ? '' : error < 0 ? `, ${humanDuration(-error)} early` : `, ${humanDuration(error)} late`;
  return `  ${device} downlink ${n} (${type}): recorded ${after(recorded)}, predicted ${after(predicted)}${verdict}`;
}
