/** Compares the clock of this process with a clock that all parts of a run can read. */
import type { Clock } from '../../kernel/clock.js';
import { type Millis, sinceStart, type UnixMillis } from '../../kernel/time.js';

export interface ClockReading {
  /** Milliseconds by which the shared clock is ahead of the clock of this process. */
  readonly offset: Millis;
  /** Largest error of the offset: half the time that the best reading took. */
  readonly uncertainty: Millis;
}

const ROUNDS = 12;

/**
 * Reads the shared clock several times and returns the reading that took the shortest time. It is the most exact one, because
 * the shared clock was read at some moment between the request and the answer.
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

/**
 * The time that the system clock of this machine shows when the shared clock shows 0. Comparing this value for several machines
 * shows by how much their system clocks differ.
 */
export function systemClock({ offset }: ClockReading, own: Pick<Clock, 'now' | 'wall'>): UnixMillis {
  return own.wall - sinceStart(own.now) - offset;
}
