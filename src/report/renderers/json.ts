import type { RunResult } from '../result.js';

/** One JSON object over several lines; the keys that programs look for first come first. */
export function json(result: RunResult): string {
  const { format, scenario, seed, digest, planDigest, passed, exitCode, failure, ...rest } = result;
  const ordered = { format, scenario, seed, digest, planDigest, passed, exitCode, failure, ...rest };
  return `${JSON.stringify(ordered, null, 2).replace(NUMBERS, (list) => list.replaceAll(/\n\s*/g, ' '))}\n`;
}

/** A list of numbers over many lines, which is worth one. No string looks like it: strings have no line ends in JSON. */
const NUMBERS = /\[\n\s+(?:(?:-?[\d.e+-]+|null),?\n\s*)+\]/g;
