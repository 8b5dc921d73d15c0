/** Units that only the type checker sees: `npm run types` fails when one of these claims is wrong. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Clock } from '../../src/kernel/clock.js';
import type { Ratio } from '../../src/kernel/ratio.js';
import {
  formatDuration,
  type Instant,
  type Millis,
  minutes,
  type Seconds,
  seconds,
  sinceStart,
  type UnixMillis,
  type UnixSeconds,
} from '../../src/kernel/time.js';
import type { Dbm, Decibels } from '../../src/kernel/units.js';

describe('a unit', () => {
  it('accepts a plain number, and is a number', () => {
    expectTypeOf<number>().toExtend<Millis>();
    expectTypeOf<30>().toExtend<Seconds>();
    expectTypeOf<Millis>().toExtend<number>();
    expect(seconds(30)).toBe(30_000);
  });

  it('is lost in arithmetic', () => {
    const both = seconds(30) + minutes(1);
    expectTypeOf(both).toEqualTypeOf<number>();
    expect(formatDuration(both)).toBe('1m30s');
  });
});

describe('a value of one unit does not pass for another:', () => {
  it('seconds and milliseconds', () => {
    expectTypeOf<Seconds>().not.toExtend<Millis>();
    expectTypeOf<Millis>().not.toExtend<Seconds>();
    expectTypeOf<UnixSeconds>().not.toExtend<UnixMillis>();
    expectTypeOf<UnixMillis>().not.toExtend<UnixSeconds>();
  });

  it('a calendar time and a length of time', () => {
    expectTypeOf<UnixMillis>().not.toExtend<Millis>();
    expectTypeOf<Millis>().not.toExtend<UnixMillis>();
    expectTypeOf<UnixSeconds>().not.toExtend<Seconds>();
    expectTypeOf<Seconds>().not.toExtend<UnixSeconds>();
  });

  it('a calendar time and an instant of the simulation', () => {
    expectTypeOf<UnixMillis>().not.toExtend<Instant>();
    expectTypeOf<Instant>().not.toExtend<UnixMillis>();
  });

  it('an instant for a length of time (but a length of time passes for an instant, counted from the start)', () => {
    expectTypeOf<Instant>().not.toExtend<Millis>();
    expectTypeOf<Millis>().toExtend<Instant>();
    expectTypeOf(sinceStart).returns.toEqualTypeOf<Millis>();
    expect(sinceStart(1500)).toBe(1500);
  });

  it('ratios, powers and ratios of powers', () => {
    expectTypeOf<Dbm>().not.toExtend<Decibels>();
    expectTypeOf<Decibels>().not.toExtend<Dbm>();
    expectTypeOf<Ratio>().not.toExtend<Decibels>();
    expectTypeOf<Dbm>().not.toExtend<Ratio>();
    expectTypeOf<Millis>().not.toExtend<Ratio>();
  });
});

describe('a clock', () => {
  it('takes a delay in milliseconds, not in seconds, and not an instant', () => {
    expectTypeOf<Millis>().toExtend<Parameters<Clock['after']>[0]>();
    expectTypeOf<Seconds>().not.toExtend<Parameters<Clock['after']>[0]>();
    expectTypeOf<Instant>().not.toExtend<Parameters<Clock['after']>[0]>();
  });
});
