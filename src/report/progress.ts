/** Progress of a run in one line. The functions are pure: the owner of the stream decides when and how to write the line. */
import { humanCount } from '../kernel/quantity.js';
import type { Ratio } from '../kernel/ratio.js';
import { humanDuration, type Instant, type Millis, sinceStart } from '../kernel/time.js';

interface Progress {
  readonly simulated: Instant;
  /** Duration of the scenario. The run then settles: it continues until open work has finished. */
  readonly duration: Millis;
  readonly wall: Millis;
  readonly devices: number;
  readonly ready: number;
  readonly uplinksStored: number;
  readonly downlinksQueued: number;
  readonly downlinksDelivered: number;
  /** The cloud has rejected requests, so they wait for this time; left out if they do not wait. */
  readonly waiting?: { readonly left: Millis; readonly status: number; readonly cleansUp?: boolean };
}

/** A form of the progress line; shorter forms have fewer parts. */
interface Form {
  /** Width of the bar; 0 for no bar. */
  readonly bar: number;
  readonly words: 'full' | 'short';
  readonly parts: readonly ('time' | 'ready' | 'counts')[];
}

const ALL = ['time', 'ready', 'counts'] as const;
/** The forms from long to short. The counts matter most, so even the shortest form has them. */
const FORMS: readonly Form[] = [
  { bar: 20, words: 'full', parts: ALL },
  { bar: 20, words: 'short', parts: ALL },
  { bar: 10, words: 'short', parts: ALL },
  { bar: 0, words: 'short', parts: ALL },
  { bar: 0, words: 'short', parts: ['ready', 'counts'] },
  { bar: 0, words: 'short', parts: ['counts'] },
];

/** For a terminal: `[██████░░░░] 31% 37m 12s of 2h · 300/300 ready · …`, as much as fits into `columns`. Default: 100 */
export function writeProgress(progress: Progress, columns = 100): string {
  const lines = FORMS.map((form) => writeLine(progress, form));
  const line = lines.find(({ length }) => length <= columns) ?? lines.at(-1) ?? '';
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`;
}

/** For a log: `37m 12s of 2h · 300/300 ready · 1,204 uplinks stored · 180/210 downlinks delivered · 4.1s real`. */
export function writePlainProgress(progress: Progress): string {
  return `${writeFacts(progress, 'full', ALL)} · ${humanDuration(progress.wall)} real`;
}

/** Whether a line of a log was written by {@link writePlainProgress}. */
export function isPlainProgress(line: string): boolean {
  return / · \d[^·]* real$/.test(line);
}

function writeLine(progress: Progress, form: Form): string {
  const share = Math.min(1, progress.duration === 0 ? 1 : progress.simulated / progress.duration);
  const drawn = form.bar === 0 ? '' : `[${drawBar(share, form.bar)}] `;
  return `${drawn}${String(Math.floor(share * 100)).padStart(3)}% ${writeFacts(progress, form.words, form.parts)}`;
}

function writeFacts(progress: Progress, words: Form['words'], parts: Form['parts']): string {
  const { simulated, duration, ready, devices, uplinksStored, downlinksQueued, downlinksDelivered } = progress;
  const full = words === 'full';
  const uplinks = full ? (uplinksStored === 1 ? 'uplink stored' : 'uplinks stored') : 'up';
  const downlinks = full ? 'downlinks delivered' : 'down';
  const texts = {
    time: simulated > duration ? 'settling' : `${humanDuration(sinceStart(simulated))} of ${humanDuration(duration)}`,
    ready: `${humanCount(ready)}/${humanCount(devices)} ready`,
    counts: [
      `${humanCount(uplinksStored)} ${uplinks}`,
      ...(downlinksQueued === 0
        ? []
        : [`${humanCount(downlinksDelivered)}/${humanCount(downlinksQueued)} ${downlinks}`]),
    ].join(' · '),
  };
  const { waiting } = progress;
  if (waiting === undefined) return parts.map((part) => texts[part]).join(' · ');
  const wait = `waiting ${humanDuration(waiting.left)} (${waiting.status})`;
  if (waiting.cleansUp) return `removing what the run created, ${wait}; Ctrl-C leaves it`;
  return [wait, ...parts.map((part) => texts[part])].join(' · ');
}

/** A bar of `width` characters, filled in proportion to `share`. */
export function drawBar(share: Ratio, width: number): string {
  const filled = Math.round(Math.max(0, Math.min(1, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
