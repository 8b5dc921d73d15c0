import type { RunResult } from '../result.js';

/** One JSON object over several lines; the keys that programs look for first come first. */
export function json(result: RunResult): string {
  const { scenario, seed, digest, planDigest, passed, exitCode, failure, ...rest } = result;
  return `${JSON.stringify({ scenario, seed, digest, planDigest, passed, exitCode, failure, ...rest }, null, 2)}\n`;
}
