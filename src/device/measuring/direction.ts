/**
 * The mean of directions, computed from unit vectors as in the firmware: the mean of 350° and 10° is north. The sine function
 * differs between versions of the engine, so the sines of a vane's sixteen directions are in a table.
 */

/** Sine of 0°, 22.5°, … 90°. */
const QUARTER = [0, 0.3826834324, Math.SQRT1_2, 0.9238795325, 1];
const STEP = 22.5;

/**
 * Mean of `count` samples in degrees. They begin at index `from` and are `stride` apart.
 * @returns whole degrees, 0 to 359; NaN if any sample is NaN or there are no samples
 */
export function meanDirection(floats: Float32Array, from: number, stride: number, count: number): number {
  let north = 0;
  let east = 0;
  for (let i = 0; i < count; i++) {
    const step = Math.round((floats[from + i * stride] as number) / STEP);
    east += sine(step);
    north += sine(step + 4);
  }
  if (count === 0 || Number.isNaN(east)) return Number.NaN;
  // The arctangent is not exact: without rounding to hundredths, the mean of an east wind would be 89°.
  const degrees = Math.floor(Math.round(100 * angle(north, east)) / 100);
  return degrees - 360 * Math.floor(degrees / 360);
}

/** Sine of `step` × 22.5°. */
function sine(step: number): number {
  if (Number.isNaN(step)) return Number.NaN;
  const inTurn = step - 16 * Math.floor(step / 16);
  const inHalf = inTurn % 8;
  const value = QUARTER[inHalf <= 4 ? inHalf : 8 - inHalf] as number;
  return inTurn < 8 ? value : -value;
}

/** Angle from north, clockwise, in degrees. */
function angle(north: number, east: number): number {
  const n = Math.abs(north);
  const e = Math.abs(east);
  if (n === 0 && e === 0) return 0;
  const sharp = e <= n ? arctangent(e / n) : 90 - arctangent(n / e);
  const toSouth = north < 0 ? 180 - sharp : sharp;
  return east < 0 ? 360 - toSouth : toSouth;
}

/** Arctangent of 0 to 1, in degrees, exact to a thousandth (Abramowitz and Stegun, 4.4.49, in five terms). */
function arctangent(z: number): number {
  const q = z * z;
  return (180 / Math.PI) * z * (0.999866 + q * (-0.3302995 + q * (0.180141 + q * (-0.085133 + q * 0.0208351))));
}
