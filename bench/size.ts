/** Size of a benchmark: `--full` measures the fleets and stores of docs/SCALE.md, which takes more than an hour. */
const FULL = process.argv.includes('--full');

/** A number from the environment, or else one of the two sizes. */
export function size(name: string, usual: number, full: number): number {
  return Number(process.env[name] ?? (FULL ? full : usual));
}
