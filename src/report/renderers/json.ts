import type { RunResult } from '../result.js';

/** One indented JSON object; the most important keys come first. */
export function renderJson(result: RunResult): string {
  const { format, scenario, seed, digest, planDigest, passed, exitCode, failure, warnings, ...rest } = result;
  const ordered = { format, scenario, seed, digest, planDigest, passed, exitCode, failure, warnings, ...rest };
  return `${JSON.stringify(ordered, null, 2).replace(NUMBERS, (list) => list.replaceAll(/\n\s*/g, ' '))}\n`;
}

/** A list of numbers over several lines, to be joined. Never inside a string: JSON strings have no line ends. */
const NUMBERS = /\[\n\s+(?:(?:-?[\d.e+-]+|null),?\n\s*)+\]/g;
