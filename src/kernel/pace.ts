/** The speed of time. */
import type { Clock } from './clock.js';

/** Time that a user controls. */
export interface Pace extends Clock {
  /** Simulated milliseconds that pass in a real one, also while time is paused. */
  speed: number;
  readonly isPaused: boolean;
  /** Time stands still, and no alarm is due, until `resume`. */
  pause(): void;
  resume(): void;
  /** While time is paused: moves time to the next alarms, and performs them. */
  step(): void;
}
