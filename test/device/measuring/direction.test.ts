import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meanDirection } from '../../../src/device/measuring/direction.js';

const mean = (...degrees: readonly number[]) => meanDirection(Float32Array.from(degrees), 0, 1, degrees.length);

describe('the mean of directions', () => {
  it.each([
    [[0], 0],
    [[90, 90], 90],
    [[180], 180],
    [[270, 270, 270], 270],
    [[22.5], 22],
    [[337.5], 337],
    [[360], 0],
    [[315, 45], 0],
    [[157.5, 202.5], 180],
    [[247.5, 225], 236],
  ])('of %j is %i', (degrees, expected) => {
    expect(mean(...degrees)).toBe(expected);
  });

  it('is NaN without samples, and if a sample is NaN', () => {
    expect(mean()).toBeNaN();
    expect(mean(90, Number.NaN)).toBeNaN();
  });

  it('is the exact mean of unit vectors, rounded down to a whole degree, with an error below 0.02 degrees', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 32 });
    fc.assert(
      fc.property(steps, (directions) => {
        const radians = directions.map((step) => (step * Math.PI) / 8);
        const east = radians.reduce((sum, angle) => sum + Math.sin(angle), 0);
        const north = radians.reduce((sum, angle) => sum + Math.cos(angle), 0);
        fc.pre(Math.hypot(east, north) > 0.01);
        const exact = (Math.atan2(east, north) * 180) / Math.PI;
        // `mean` rounds down to whole degrees, so the exact mean is at most half a degree away from `mean` + 0.5.
        const off = Math.abs(mean(...directions.map((step) => step * 22.5)) + 0.5 - exact);
        expect(Math.min(off % 360, 360 - (off % 360))).toBeLessThan(0.52);
      }),
    );
  });
});
