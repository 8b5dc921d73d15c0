/** How fast the time of a run passes, in words. */
import type { RunState } from '../../../src/control/run-state.js';

type Pace = Pick<RunState, 'now_ms' | 'speed' | 'paused'>;

/** @param isLong for those who see the page for the first time */
export function paceText({ now_ms, speed, paused }: Pace, isLong: boolean): string {
  if (paused) return 'paused';
  // The time begins when all devices are registered, which takes minutes for many thousands.
  if (now_ms === 0) return 'registering devices …';
  if (speed === 1) return 'real time';
  return isLong ? `${speed.toLocaleString('en')} times as fast as real time` : `${speed.toLocaleString('en')} ×`;
}
