/** Minimum, maximum, average and median of a window, as the firmware takes them (firmware behaviour, 3.2). */

/** Room for the samples of one window while they are sorted. */
const sorted = new Float32Array(1024);

/**
 * Writes the four statistics of `count` samples, which lie `stride` apart from `from` on, to `to` and the three after it;
 * all NaN when there is none.
 * @param voids whether a NaN among the samples makes all four NaN; otherwise it goes through sort and sum unchecked, as in
 * firmware that does not look
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
  // Not the mean of the two middle ones when their number is even.
  floats[to + 3] = none ? Number.NaN : (sorted[count >> 1] as number);
}
