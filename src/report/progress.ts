/** Progress of a run in one line. Pure: whoever owns the stream decides when to write it, and whether to write over it. */
import { humanDuration, type Millis } from '../kernel/time.js';

export interface Progress {
  readonly simulated: Millis;
  /** The scenario's duration. Settling goes beyond it. */
  readonly duration: Millis;
  readonly wall: Millis;
  readonly devices: number;
  readonly ready: number;
  readonly uplinksStored: number;
  readonly downlinksQueued: number;
  readonly downlinksDelivered: number;
}

const BAR_WIDTH = 20;

/** For a terminal: `[██████░░░░] 31% 37m 12s of 2h 00m · 300/300 ready · …`, cut to `columns`. */
export function progressLine(progress: Progress, columns = 100): string {
  const share = Math.min(1, progress.duration === 0 ? 1 : progress.simulated / progress.duration);
  const line = `[${bar(share, BAR_WIDTH)}] ${String(Math.floor(share * 100)).padStart(3)}% ${facts(progress)}`;
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`;
}

/** For a log: `37m 12s of 2h 00m · 300/300 ready · 1204 uplinks stored · 180/210 downlinks delivered · 4.1s`. */
export function plainProgress(progress: Progress): string {
  return `${facts(progress)} · ${humanDuration(progress.wall)} real`;
}

function facts(progress: Progress): string {
  const { simulated, duration, ready, devices, uplinksStored, downlinksQueued, downlinksDelivered } = progress;
  const time = simulated > duration ? 'settling' : `${humanDuration(simulated)} of ${humanDuration(duration)}`;
  const downlinks = downlinksQueued === 0 ? '' : ` · ${downlinksDelivered}/${downlinksQueued} downlinks delivered`;
  return `${time} · ${ready}/${devices} ready · ${uplinksStored} uplinks stored${downlinks}`;
}

/** A bar of `width` characters, filled in proportion to `share`. */
export function bar(share: number, width: number): string {
  const filled = Math.round(Math.max(0, Math.min(1, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
