/** A comparison as text, for people. */
import { formatDuration, humanDuration, type Millis } from '../kernel/time.js';
import { isoTime } from './iso.js';
import { beyond, type Comparison, type ErrorSpread, isWithin, type Prediction, worstFirst } from './predict.js';
import type { Recording } from './recording.js';
import type { Polls } from './script.js';

/** Predictions that are shown one by one. */
const SHOWN = 5;

/** What the predictions rest on. */
const KNOWN: Readonly<Record<Polls, string>> = {
  foretold: 'each prediction without its own downlink',
  recorded: 'with the polls that took place, also those that only the predicted downlink shows',
};

/** @param within null: nobody asked for a limit */
export function describeComparison(
  recording: Recording,
  comparison: Comparison,
  { within, polls }: { readonly within: Millis | null; readonly polls: Polls },
): string {
  const { predictions, errors, byType, byLead, missed, invented, leftOut } = comparison;
  const { devices, uplinks, downlinks, from, until, cut } = recording;
  const lines = [
    `${devices.length} devices, ${uplinks.length} uplinks and ${downlinks.length} downlinks in ${humanDuration(until - from)}` +
      ` from ${isoTime(from)}`,
  ];
  if (cut !== null) lines.push(`the recording was cut short: ${cut}`);
  lines.push('', `predicted against recorded delivery, ${KNOWN[polls]}:`, '');
  lines.push(row('type', 'count', 'median', 'p95', 'worst'));
  for (const spread of byType) lines.push(spreadRow(spread.type, spread));
  if (errors !== null && byType.length > 1) lines.push(spreadRow('all', errors));
  if (byLead.some(({ ledBy }) => ledBy === 'poll')) {
    lines.push('', row('led to by', 'count', 'median', 'p95', 'worst'));
    for (const spread of byLead) lines.push(spreadRow(spread.ledBy, spread));
  }
  if (errors === null) lines.push('  nothing was delivered in both');
  lines.push('');
  if (missed > 0) lines.push(`${missed} delivered in the recording, and not in the replay`);
  if (invented > 0) lines.push(`${invented} delivered in the replay, and not in the recording`);
  if (leftOut > 0)
    lines.push(`${leftOut} left out: the cloud made them for firmware updates, or their type is unknown`);
  const worst = worstFirst(predictions).slice(0, SHOWN);
  if (worst.length > 0) lines.push('the worst:', ...worst.map(predictionLine));
  if (within !== null) lines.push('', verdictLine(comparison, within));
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`;
}

function verdictLine(comparison: Comparison, within: Millis): string {
  const { length } = comparison.predictions;
  const limit = formatDuration(within);
  if (isWithin(comparison, within)) return `PASS: ${length} predictions, all within ${limit}`;
  if (length === 0) return 'FAIL: nothing was delivered, so nothing was predicted';
  return `FAIL: ${beyond(comparison, within).length} of ${length} predictions are not within ${limit}`;
}

function spreadRow(name: string, { count, median, p95, worst }: ErrorSpread): string {
  return row(name, String(count), humanDuration(median), humanDuration(p95), humanDuration(worst));
}

function row(name: string, ...cells: readonly string[]): string {
  return `  ${name.padEnd(10)}${cells.map((cell) => cell.padStart(9)).join('')}`;
}

function predictionLine({ device, n, type, queued, recorded, predicted, error }: Prediction): string {
  const after = (at: Millis | null) => (at === null ? 'never' : `after ${humanDuration(at - queued)}`);
  const verdict =
    error === null ? '' : error < 0 ? `, ${humanDuration(-error)} early` : `, ${humanDuration(error)} late`;
  return `  ${device} downlink ${n} (${type}): recorded ${after(recorded)}, predicted ${after(predicted)}${verdict}`;
}
