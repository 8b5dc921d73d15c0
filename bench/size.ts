/**
 * Sizes of a benchmark. `--quick` measures the same ratios with small fleets and stores, in about three minutes; `--full`
 * measures those of docs/SCALE.md, which takes more than an hour.
 */
const SIZE = process.argv.includes('--quick') ? 'quick' : process.argv.includes('--full') ? 'full' : 'usual';

export interface Sizes {
  readonly quick: number;
  readonly usual: number;
  /** Default: the usual size. */
  readonly full?: number;
}

/** The number of this size. */
export function size({ quick, usual, full = usual }: Sizes): number {
  return { quick, usual, full }[SIZE];
}

/** A number from the environment, or else that of this size. */
export function sizeOf(variable: string, sizes: Sizes): number {
  return Number(process.env[variable] ?? size(sizes));
}
