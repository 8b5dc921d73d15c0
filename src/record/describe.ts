/** A comparison as text, for people. */
import { formatDuration, humanDuration, type Millis } from '../kernel/time.js';
import { isoTime } from './iso.js';
import { beyond, type Comparison, type ErrorSpread, type Prediction, worstFirst } from './predict.js';
import type { Recording } from './recording.js';

/** Predictions that are shown one by one. */
const SHOWN = 5;

/** @param within null: nobody asked for a limit */
export function describeComparison(recording: Recording, comparison: Comparison, within: Millis | null): string {
  const { predictions, errors, byType, missed, invented, leftOut } = comparison;
  const { devices, uplinks, downlinks, from, until, cut } = recording;
  const lines = [
    `${devices.length} devices, ${uplinks.length} uplinks and ${downlinks.length} downlinks in ${humanDuration(until - from)}` +
      ` from ${isoTime(from)}`,
  ];
  if (cut !== null) lines.push(`the recording was cut short: ${cut}`);
  lines.push('', 'predicted against recorded delivery, each prediction without its own downlink:', '');
  lines.push(row('type', 'count', 'median', 'p95', 'worst'));
  for (const spread of byType) lines.push(spreadRow(spread.type, spread));
  if (errors !== null && byType.length > 1) lines.push(spreadRow('all', errors));
  if (errors === null) lines.push('  nothing was delivered in both');
  lines.push('');
  if (missed > 0) lines.push(`${missed} delivered in the recording, and not in the replay`);
  if (invented > 0) lines.push(`${invented} delivered in the replay, and not in the recording`);
  if (leftOut > 0)
    lines.push(`${leftOut} left out: the cloud made them for firmware updates, or their type is unknown`);
  const worst = worstFirst(predictions).slice(0, SHOWN);
  if (worst.length > 0) lines.push('the worst:', ...worst.map(predictionLine));
  if (within !== null) {
    const off = beyond(comparison, within).length;
    const limit = formatDuration(within);
    lines.push(
      '',
      off === 0
        ? `PASS: ${predictions.length} predictions, all within ${limit}`
        : `FAIL: ${off} of ${predictions.length} predictions are not within ${limit}`,
    );
  }
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`;
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
