/** Minimum, maximum, average and median of a window, as the firmware computes them (behaviour B-11). */

/** Room for the samples of one window while they are sorted. */
const sorted = new Float32Array(1024);

/**
 * Computes the four statistics of `count` samples, and writes them to `to` and the three indices after it. The samples begin at
 * index `from` and are `stride` apart. All four are NaN if there are no samples.
 * @param voids whether a NaN sample makes all four NaN. If false, a NaN is sorted and summed like a number, as in firmware
 * without a check
 */
export function statistics(
  floats: Float32Array,
  from: number,
  stride: number,
  count: number,
  to: number,
  voids: boolean,
): void {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const sample = floats[from + i * stride] as number;
    sum += sample;
    let at = i;
    while (at > 0 && (sorted[at - 1] as number) > sample) {
      sorted[at] = sorted[at - 1] as number;
      at--;
    }
    sorted[at] = sample;
  }
  const none = count === 0 || (voids && Number.isNaN(sum));
  floats[to] = none ? Number.NaN : (sorted[0] as number);
  floats[to + 1] = none ? Number.NaN : (sorted[count - 1] as number);
  floats[to + 2] = none ? Number.NaN : sum / count;
  // The firmware does not average the two middle samples of an even count.
  floats[to + 3] = none ? Number.NaN : (sorted[count >> 1] as number);
}
