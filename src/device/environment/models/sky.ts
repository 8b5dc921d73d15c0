/**
 * The weather of a place, which all sensors of a device share: lows that pass every few days, and the rain that comes with
 * them. Functions of the place's seed and the time alone, so that wind, pressure, temperature and rain of one device belong
 * together, at any moment and in any order.
 */
import { noise } from '../../../kernel/random.js';
import { days, hours, type Millis, type UnixMillis } from '../../../kernel/time.js';
import { walk } from './chance.js';

/** Mean time from one low to the next. */
const PASSAGE: Millis = days(4);
/** Lows come early or late: a random walk with this step shifts them. It must not run backwards; its slope is 3 a step. */
const UNREST: Millis = days(6);
const BEND = (0.85 * UNREST) / (3 * PASSAGE);
/** Share of a passage in which pressure falls; it rises faster. */
const FALLING = 0.65;
/** Where in a passage it rains, and how often. */
const WET = { from: 0.42, to: 0.84, showers: 4 };
/** Steps of the random part. */
const SLOW: Millis = hours(36);
const QUICK: Millis = hours(9);

/** Streams of a place's seed. */
const PASSAGES = 0x5e21;
const SLOW_STREAM = 0x1f0a;
const QUICK_STREAM = 0x2c51;
const SHOWERS = 0x3b97;

/** From -1 in the middle of a high to 1 in the middle of a low. */
export function front(place: number, wall: UnixMillis): number {
  if (place !== lastFront.place || wall !== lastFront.wall) {
    lastFront.place = place;
    lastFront.wall = wall;
    lastFront.low = lowness(place, wall);
  }
  return lastFront.low;
}

function lowness(place: number, wall: UnixMillis): number {
  const passed = passage(place, wall);
  const part = passed - Math.floor(passed);
  const wave = part < FALLING ? 2 * smooth(part / FALLING) - 1 : 1 - 2 * smooth((part - FALLING) / (1 - FALLING));
  return 0.6 * wave + 0.28 * walk(place ^ SLOW_STREAM, wall, SLOW) + 0.12 * walk(place ^ QUICK_STREAM, wall, QUICK);
}

/** The present shower at a place. */
interface Rainfall {
  /** Number of the next shower, or of the one that is falling; those before it are over. */
  readonly shower: number;
  /** How much of it has fallen, 0 to 1; 0: it is dry. */
  readonly part: number;
}

/** Every low brings the same number of showers, so the total since 1970 needs no summing. */
export function rainfall(place: number, wall: UnixMillis): Rainfall {
  const passed = passage(place, wall);
  const low = Math.floor(passed);
  const wet = Math.min(Math.max((passed - low - WET.from) / (WET.to - WET.from), 0), 1);
  const due = WET.showers * (low + wet);
  const shower = Math.floor(due);
  const begins = 0.55 + 0.4 * noise(place ^ SHOWERS, shower);
  return { shower, part: smooth(Math.max(0, (due - shower - begins) / (1 - begins))) };
}

/** How hard it rains, 0 (not at all) to 1. */
export function rain(place: number, wall: UnixMillis): number {
  const { part } = rainfall(place, wall);
  return 4 * part * (1 - part);
}

/** Lows since 1970, with fractions; always rising. */
function passage(place: number, wall: UnixMillis): number {
  if (place !== last.place || wall !== last.wall) {
    last.place = place;
    last.wall = wall;
    last.passed = wall / PASSAGE + BEND * walk(place ^ PASSAGES, wall, UNREST);
  }
  return last.passed;
}

/** The last result: the sensors of a device are read at the same moment, and most of them need the same value. */
const last = { place: 0, wall: Number.NaN, passed: 0 };
const lastFront = { place: 0, wall: Number.NaN, low: 0 };

/** From 0 to 1 without a kink at either end. */
function smooth(part: number): number {
  return part * part * (3 - 2 * part);
}
