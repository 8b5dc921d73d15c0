/**
 * The people at a place on working days. Each of them arrives, has lunch and leaves at different hours, and is absent on some
 * days. All sensors of a device see the same people. Times are UTC.
 */

import { noise } from '../../../kernel/random.js';
import { days, hours, type Millis, minutes, type UnixMillis } from '../../../kernel/time.js';
import { hourOfWeek } from './week.js';

const PEOPLE = 6;
const STREAM = 0x47d3;
/** Earliest arrival and latest departure. */
const OPENS: Millis = hours(7);
const CLOSES: Millis = hours(18);
const WEEKEND = 5 * 24;

/** Weights of the people who were in the room at earlier times, for its warmth and CO2 now: 0.22 for 25 minutes ago. */
const MEMORY = {
  lags: Float64Array.of(0, minutes(10), minutes(25), minutes(40), minutes(60), minutes(90)),
  weights: Float64Array.of(0.1, 0.2, 0.22, 0.2, 0.16, 0.12),
};
const LONGEST: Millis = minutes(90);

/** Effect of the people on the air and the temperature of a room, 0 to 1. It builds up and fades within 90 minutes. */
export function warmth(place: number, wall: UnixMillis): number {
  if (place !== last.place || wall !== last.wall) {
    last.place = place;
    last.wall = wall;
    last.warmth = remembered(place, wall);
  }
  return last.warmth;
}

/** The last result: the sensors of a device are read at the same moment, and most of them need the same value. */
const last = { place: 0, wall: Number.NaN, warmth: 0 };

function remembered(place: number, wall: UnixMillis): number {
  const day = Math.floor(wall / days(1));
  const time = wall - day * days(1);
  if (time < OPENS || time >= CLOSES + LONGEST || hourOfWeek(wall) >= WEEKEND) return 0;
  if (place !== known.place || day !== known.day) plan(place, day);
  const { hoursOf } = known;
  const { lags, weights } = MEMORY;
  let sum = 0;
  for (let person = 0; person < PEOPLE; person++) {
    const comes = hoursOf[4 * person] as number;
    const lunch = hoursOf[4 * person + 1] as number;
    const back = hoursOf[4 * person + 2] as number;
    const leaves = hoursOf[4 * person + 3] as number;
    for (let i = 0; i < lags.length; i++) {
      const at = time - (lags[i] as number);
      if (at >= comes && at < leaves && (at < lunch || at >= back)) sum += weights[i] as number;
    }
  }
  return sum / PEOPLE;
}

/** The people's hours on the day read last: a device takes many samples of a day in a row. */
const known = { place: 0, day: Number.NaN, hoursOf: new Float64Array(4 * PEOPLE) };

function plan(place: number, day: number): void {
  known.place = place;
  known.day = day;
  const { hoursOf } = known;
  for (let person = 0; person < PEOPLE; person++) {
    const draw = (index: number) => noise(place ^ STREAM, 8 * (day * PEOPLE + person) + index);
    const lunch = hours(11.25) + hours(1.25) * draw(3);
    // A person who is absent today never arrives.
    hoursOf[4 * person] = draw(0) < 0.1 ? Number.POSITIVE_INFINITY : OPENS + hours(2) * draw(1);
    hoursOf[4 * person + 1] = lunch;
    hoursOf[4 * person + 2] = lunch + minutes(25) + minutes(35) * draw(4);
    hoursOf[4 * person + 3] = CLOSES - hours(2.5) * draw(2);
  }
}
