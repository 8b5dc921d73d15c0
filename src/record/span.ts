/** The least and the greatest number of a list of any length; a call of Math.min could not have so many arguments. */
export function findSpan(numbers: readonly number[]): readonly [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) {
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  return [least, most];
}
