/**
 * The rhythm of a week: how busy people are in which hour. Times are UTC, and the week begins on Monday.
 *
 * Models spread pulses, presses and door events evenly over the time of a clock with variable speed. This `activeTime` runs
 * fast in busy hours and slowly at night, and advances by exactly one week in a calendar week. It never stops, so that `wallAt`
 * can invert it.
 */
import { days, hours, type Millis, type UnixMillis } from '../../../kernel/time.js';
import type { RhythmName } from '../../../profile/models.js';

/** How busy each hour is; only the ratios between hours matter. */
interface Week {
  readonly workday: readonly number[];
  readonly saturday: readonly number[];
  readonly sunday: readonly number[];
}

const HOME_DAY = [1, 0.5, 0.4, 0.4, 0.6, 2, 6, 8, 5, 3, 2.5, 3, 3.5, 3, 2.5, 3, 4, 6, 8, 8, 7, 5, 3.5, 2];
const HOME_FREE = [1.5, 0.8, 0.5, 0.4, 0.4, 0.8, 2, 4, 7, 8, 7, 6, 6, 5, 4.5, 4.5, 5, 6, 7, 7, 6, 5, 4, 2.5];
const OFFICE_DAY = [0.05, 0.05, 0.05, 0.05, 0.1, 0.4, 2, 5, 8, 9, 9, 7, 5, 8, 9, 8, 6, 3, 1, 0.5, 0.3, 0.1, 0.05, 0.05];
const OFFICE_FREE = [
  0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.1, 0.2, 0.3, 0.3, 0.3, 0.2, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05,
  0.05, 0.05, 0.05,
];
const SHOP_DAY = [
  0.03, 0.03, 0.03, 0.03, 0.05, 0.3, 1, 2.5, 4, 5.5, 6.5, 7.5, 7, 6, 6, 7.5, 9, 9, 7, 4, 1, 0.2, 0.05, 0.03,
];
const SHOP_SATURDAY = [
  0.03, 0.03, 0.03, 0.03, 0.05, 0.2, 0.8, 3, 7, 10, 11, 10, 7, 5, 4, 4, 3, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.03,
];
const SHOP_SUNDAY = [
  0.03, 0.03, 0.03, 0.03, 0.03, 0.05, 0.1, 1, 3, 5, 6, 5, 4, 4, 5, 5, 4, 2, 0.5, 0.1, 0.05, 0.03, 0.03, 0.03,
];
const SHIFTS_DAY = [0.4, 0.3, 0.3, 0.3, 0.5, 4, 8, 9, 9, 5, 9, 9, 9, 6, 8, 9, 9, 8, 5, 8, 8, 6, 1, 0.5];
const SHIFTS_SATURDAY = [
  0.3, 0.3, 0.3, 0.3, 0.4, 3, 6, 6, 6, 4, 6, 6, 5, 2, 0.5, 0.4, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3,
];
const SHIFTS_SUNDAY = [
  0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.4,
  0.4,
];

const WEEKS: Readonly<Record<Exclude<RhythmName, 'even'>, Week>> = {
  home: { workday: HOME_DAY, saturday: HOME_FREE, sunday: HOME_FREE },
  office: { workday: OFFICE_DAY, saturday: OFFICE_FREE, sunday: OFFICE_FREE },
  shop: { workday: SHOP_DAY, saturday: SHOP_SATURDAY, sunday: SHOP_SUNDAY },
  shifts: { workday: SHIFTS_DAY, saturday: SHIFTS_SATURDAY, sunday: SHIFTS_SUNDAY },
};

const WEEK: Millis = days(7);
const HOURS = 168;
/** 1970 began on a Thursday. */
const MONDAY: Millis = days(3);

/** A clock whose speed follows a rhythm. */
interface Rhythm {
  /** Highest speed; a normal clock has the speed 1. */
  readonly peak: number;
  /** Active time at a calendar time. */
  activeTime(wall: UnixMillis): Millis;
  /** Calendar time at which the clock shows this active time. */
  wallAt(active: Millis): UnixMillis;
}

export function rhythm(name: RhythmName): Rhythm {
  return RHYTHMS[name];
}

/** The hour of the week, 0 to 167; hour 0 is the first hour of Monday. */
export function hourOfWeek(wall: UnixMillis): number {
  const since = wall + MONDAY;
  return Math.floor((since - WEEK * Math.floor(since / WEEK)) / hours(1));
}

function bent({ workday, saturday, sunday }: Week): Rhythm {
  const busy = [...Array.from({ length: 5 }, () => workday).flat(), ...saturday, ...sunday];
  const total = busy.reduce((sum, hour) => sum + hour, 0);
  /** Speed of the clock in each hour. `shown`: active time since the start of Monday at the start of each hour. */
  const pace = busy.map((hour) => (hour * HOURS) / total);
  const shown = [0];
  for (const hour of pace) shown.push((shown.at(-1) ?? 0) + hour * hours(1));
  return {
    peak: Math.max(...pace),
    activeTime(wall) {
      const since = wall + MONDAY;
      const week = Math.floor(since / WEEK);
      const inWeek = since - week * WEEK;
      const hour = Math.floor(inWeek / hours(1));
      return week * WEEK + (shown[hour] ?? 0) + (pace[hour] ?? 0) * (inWeek - hour * hours(1));
    },
    wallAt(active) {
      const week = Math.floor(active / WEEK);
      const inWeek = active - week * WEEK;
      let hour = 0;
      let beyond = HOURS;
      while (hour + 1 < beyond) {
        const middle = (hour + beyond) >> 1;
        if ((shown[middle] ?? 0) <= inWeek) hour = middle;
        else beyond = middle;
      }
      return week * WEEK - MONDAY + hour * hours(1) + (inWeek - (shown[hour] ?? 0)) / (pace[hour] ?? 1);
    },
  };
}

/** A clock of constant speed. */
const EVEN: Rhythm = { peak: 1, activeTime: (wall) => wall as number, wallAt: (active) => active as number };

const RHYTHMS: Readonly<Record<RhythmName, Rhythm>> = {
  even: EVEN,
  home: bent(WEEKS.home),
  office: bent(WEEKS.office),
  shop: bent(WEEKS.shop),
  shifts: bent(WEEKS.shifts),
};
