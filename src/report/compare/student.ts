/**
 * Quantiles of Student's t, and the logarithms that go with them. `Math.log` and `Math.exp` may differ between versions of
 * Node, and the same runs always give the same comparison.
 */

/** The quotients of neighbouring powers of two lie on both sides of 1. */
const LARGEST = 1.5;

/** Natural logarithm. @param x above 0 */
export function ln(x: number): number {
  let rest = x;
  let doublings = 0;
  for (; rest >= LARGEST; rest /= 2) doublings++;
  for (; rest < LARGEST / 2; rest *= 2) doublings--;
  // 2 artanh(z), with |z| up to 1/5.
  const z = (rest - 1) / (rest + 1);
  let sum = 0;
  let power = z;
  for (let i = 1; i < 30; i += 2) {
    sum += power / i;
    power *= z * z;
  }
  return 2 * sum + doublings * Math.LN2;
}

/** Halvings of an exponent before its series. */
const HALVINGS = 10;

/** e to the power of x. */
export function exp(x: number): number {
  const y = x / (1 << HALVINGS);
  let power = 1;
  for (let i = 12; i > 0; i--) power = 1 + (y / i) * power;
  for (let i = 0; i < HALVINGS; i++) power *= power;
  return power;
}

/** More degrees of freedom change no digit that is shown. */
const MOST_FREEDOM = 2000;

/**
 * The number that |t| exceeds with this probability.
 * @param freedom degrees of freedom, at least 2; between even numbers the quantile is interpolated, a little above the true one
 * @param probability above 0, below 1
 */
export function studentQuantile(freedom: number, probability: number): number {
  const limited = Math.min(freedom, MOST_FREEDOM);
  const below = 2 * Math.floor(limited / 2);
  const least = evenQuantile(below, probability);
  if (below === limited) return least;
  const above = below + 2;
  const way = (1 / below - 1 / limited) / (1 / below - 1 / above);
  return least + way * (evenQuantile(above, probability) - least);
}

function evenQuantile(freedom: number, probability: number): number {
  let most = 1;
  while (tailOf(most, freedom) > probability) most *= 2;
  let least = most / 2;
  for (let i = 0; i < 60; i++) {
    const middle = (least + most) / 2;
    if (tailOf(middle, freedom) > probability) least = middle;
    else most = middle;
  }
  return most;
}

/** Probability of more than t or less than -t, for an even number of degrees of freedom (Abramowitz and Stegun 26.7.4). */
function tailOf(t: number, freedom: number): number {
  const cosine2 = freedom / (freedom + t * t);
  let term = 1;
  let sum = 0;
  for (let i = 0; i < freedom / 2; i++) {
    sum += term;
    term *= (cosine2 * (2 * i + 1)) / (2 * i + 2);
  }
  return 1 - (t / Math.sqrt(freedom + t * t)) * sum;
}
