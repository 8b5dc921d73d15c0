/**
 * Numbers with a unit that only the type checker sees (docs/adr/0012-flavoured-units.md).
 *
 * A plain number passes where a unit is expected, and arithmetic gives plain numbers. A value with one unit as its type is not
 * accepted where another unit is expected: seconds are not milliseconds.
 */

declare const UNIT: unique symbol;

/** A number of the unit `U`. At run time, it is a plain number. */
export type Flavoured<U extends string> = number & { readonly [UNIT]?: U };

/** Power of a received signal in dBm, decibels over one milliwatt. Every signal that a modem receives has a negative value. */
export type Dbm = Flavoured<'dBm'>;

/** A ratio of two powers in dB. */
export type Decibels = Flavoured<'dB'>;
