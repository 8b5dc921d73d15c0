/** The weather of a place: lows and their rain, by seed and time alone, so a device's wind, pressure and rain agree. */
import { noise } from '../../../kernel/random.js';
import { days, hours, type Millis, type UnixMillis } from '../../../kernel/time.js';
import { walk } from './chance.js';

/** Mean time from one low to the next. */
const PASSAGE: Millis = days(4);
/** Step of the random walk that makes lows early or late. */
const UNREST: Millis = days(6);
/** Factor of this walk: 0.85 of the limit above which {@link passage} could fall. The slope of a walk is at most 3 per step. */
const BEND = (0.85 * UNREST) / (3 * PASSAGE);
/** Share of a passage in which pressure falls; it rises faster. */
const FALLING = 0.65;
/** The part of a passage in which it rains, and the number of showers. */
const WET = { from: 0.42, to: 0.84, showers: 4 };
/** Steps of the random part of {@link front}. */
const SLOW: Millis = hours(36);
const QUICK: Millis = hours(9);

/** Combined with the seed of a place, each of these gives an independent random stream. */
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
  /** Number of the present shower; in dry weather, of the next one. */
  readonly shower: number;
  /** Share of this shower that has fallen, 0 to 1; 0 in dry weather. */
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
