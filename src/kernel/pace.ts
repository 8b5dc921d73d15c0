/** The interface through which a user controls the speed of simulated time. */
import type { Clock } from './clock.js';

/** Time that a user controls. */
export interface Pace extends Clock {
  /** Simulated milliseconds per real millisecond. A pause does not change this value. */
  speed: number;
  readonly isPaused: boolean;
  /** Stops time until `resume`. Meanwhile, only `step` runs alarms. */
  pause(): void;
  resume(): void;
  /** Moves paused time to the next event of the run; real time to the instant of the next alarms. */
  step(): void;
}
