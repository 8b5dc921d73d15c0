/** Modifiers convert integers of the wire to values with units, in the codec's order (wire W-65); encoders the reverse. */

/** `$add`, `$sub`, `$mul`, `$div`: arithmetic with a number; `$fpp`: rounding; `$enum`: the text with this index in a list. */
export type Modifier =
  | { readonly kind: 'add' | 'sub' | 'mul' | 'div'; readonly by: number }
  | { readonly kind: 'fpp'; readonly decimals: number }
  | { readonly kind: 'enum'; readonly labels: readonly string[] };

/** Maximum of `$fpp`: a double has at most 15 exact decimal digits. */
export const MOST_DECIMALS = 15;

/** Applies the modifiers to a number from the wire. The text of an enumeration is the final result. */
export function modify(modifiers: readonly Modifier[], raw: number): number | string | null {
  let value = raw;
  for (const modifier of modifiers) {
    if (modifier.kind !== 'enum') value = calculate(modifier, value);
    else {
      const label = modifier.labels[value];
      if (label !== undefined) return label;
    }
  }
  return finite(value);
}

/** The number as JSON represents it: NaN and infinities become null, minus zero becomes zero. */
export function finite(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}

/** Applies one modifier whose result is a number. */
export function calculate(modifier: Exclude<Modifier, { kind: 'enum' }>, value: number): number {
  switch (modifier.kind) {
    case 'div':
      return value / modifier.by;
    case 'mul':
      return value * modifier.by;
    case 'add':
      return value + modifier.by;
    case 'sub':
      return value - modifier.by;
    case 'fpp':
      return roundHalfAway(value, modifier.decimals);
    default:
      return modifier satisfies never;
  }
}

const POWERS = Array.from({ length: MOST_DECIMALS + 1 }, (_, decimals) => Number(`1e${decimals}`));

/** Rounds to `decimals` places, ties of the decimal text away from zero: 22.505 becomes 22.51, whatever its double. */
export function roundHalfAway(value: number, decimals: number): number {
  const power = POWERS[decimals] ?? 1;
  const scaled = Math.abs(value) * power;
  let whole = Math.round(scaled);
  // The last bit of the product can be wrong, which matters only near a tie.
  const clear = scaled < 1e9 && Math.abs(scaled - whole) < 0.499999;
  if (!clear) {
    // Infinities, NaN, and numbers so large that rounding would not change them.
    if (!(scaled < Number.MAX_SAFE_INTEGER)) return value;
    whole = Math.round(shiftPoint(Math.abs(value), decimals));
  }
  if (whole === 0) return 0;
  return value < 0 ? -whole / power : whole / power;
}

/** value × 10^decimals, computed exactly by moving the decimal point in the text of the number. */
function shiftPoint(value: number, decimals: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + decimals}`);
}
