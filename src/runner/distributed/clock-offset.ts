/** Compares the clock of this process with a clock that all parts of a run can read. */
import type { Clock } from '../../kernel/clock.js';
import { type Millis, sinceStart, type UnixMillis } from '../../kernel/time.js';

export interface ClockReading {
  /** Milliseconds by which the shared clock is ahead of that of this process. */
  readonly offset: Millis;
  /** Largest error of the offset: half the time that the best reading took. */
  readonly uncertainty: Millis;
}

const ROUNDS = 12;

/**
 * Reads the shared clock several times and returns the reading that took the shortest time: the moment of the shared clock lies
 * between the request and the answer.
 */
export async function readClock(shared: () => Promise<Millis>, own: Pick<Clock, 'now'>): Promise<ClockReading> {
  let best: ClockReading = { offset: 0, uncertainty: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    const before = sinceStart(own.now);
    const there = await shared();
    const after = sinceStart(own.now);
    const uncertainty = (after - before) / 2;
    if (uncertainty < best.uncertainty) best = { offset: there - (before + after) / 2, uncertainty };
  }
  return best;
}

/** What the clock of the system of this process shows when the shared clock shows 0, to compare the systems of several machines. */
export function systemClock({ offset }: ClockReading, own: Pick<Clock, 'now' | 'wall'>): UnixMillis {
  return own.wall - sinceStart(own.now) - offset;
}
