/**
 * Mutated scenarios, as a careless or hostile author could write them. The check of a scenario may only fail with a list of
 * problems, and must stay within {@link LIMITS} of time and memory.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../src/kernel/errors.js';
import { type Draws, integerBetween, seededRandom } from '../../src/kernel/random.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { oneIn, pick } from './draw.js';

/** Longest time and largest growth of the heap for one scenario. */
export const LIMITS = { ms: 2000, bytes: 512 * 1024 * 1024 } as const;

/** Pieces that have a meaning somewhere: numbers at limits, references, aliases, control characters. */
const PIECES = [
  ...[
    '-1',
    '0',
    '1e308',
    '.inf',
    '.nan',
    '99999999999999999999',
    '0x7fffffff',
    '1/0',
    '101%',
    '1e9d',
    '-5m',
    '""',
    '~',
  ],
  ...[
    '${',
    '${'.concat('x}'),
    '$${',
    '[',
    ']',
    '{',
    '}',
    ': ',
    '- ',
    '&a ',
    '*a',
    '!!js/function ',
    '<<: *a',
    '|',
    '>',
    '#',
    '\t',
  ],
  ...['\u0000', '\u001b[2J', '\ud800', '\u202e', '../../../etc/passwd', '/dev/zero', '__proto__', 'constructor'],
  ...['every: 1ms', 'count: 100000', 'duration: 100000d', 'include: x.yaml', 'a'.repeat(5000), '['.repeat(200)],
];

export interface ScenarioFault {
  readonly number: number;
  readonly why: string;
  readonly text: string;
}

export interface ScenarioVerdict {
  readonly checked: number;
  readonly valid: number;
  readonly slowestMs: number;
  readonly faults: readonly ScenarioFault[];
}

/**
 * Checks mutations of the packaged scenarios.
 * @param now clock in real milliseconds
 */
export function fuzzScenarios(seed: string, count: number, now: () => number): ScenarioVerdict {
  const random = seededRandom(seed).fork('scenarios');
  const profiles = packagedProfiles();
  const types = describeDeviceTypes(profiles);
  const originals = packagedScenarios();
  const faults: ScenarioFault[] = [];
  let [valid, slowestMs] = [0, 0];
  for (let number = 0; number < count; number++) {
    const text = mutated(random, originals);
    const began = now();
    const heapBefore = process.memoryUsage().heapUsed;
    const why = complaintAbout(() => {
      const readFile = () => ({ file: 'x.yaml', text: pick(random, originals) });
      parseScenario(text, 'fuzzed.yaml', types, { profiles, readFile, vars: new Map() });
      valid++;
    });
    const took = now() - began;
    slowestMs = Math.max(slowestMs, took);
    if (why !== undefined) faults.push({ number, why, text });
    if (took > LIMITS.ms) faults.push({ number, why: `took ${Math.round(took)} ms`, text });
    // Memory that the process used before the check does not count.
    const bytes = process.memoryUsage().heapUsed - heapBefore;
    if (bytes > LIMITS.bytes) faults.push({ number, why: `needed ${bytes} bytes of heap`, text });
  }
  return { checked: count, valid, slowestMs, faults };
}

function complaintAbout(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

function packagedScenarios(): readonly string[] {
  const files = readdirSync('scenarios', { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.yaml')).map((file) => readFileSync(join('scenarios', file), 'utf8'));
}

function mutated(random: Draws, originals: readonly string[]): string {
  let text = pick(random, originals);
  do text = mutate(random, text, originals);
  while (!oneIn(random, 4));
  return text;
}

function mutate(random: Draws, text: string, originals: readonly string[]): string {
  const lines = text.split('\n');
  const line = integerBetween(random, 0, lines.length - 1);
  const at = integerBetween(random, 0, text.length);
  switch (integerBetween(random, 0, 7)) {
    case 0:
      return lines.toSpliced(line, 1).join('\n');
    case 1:
      return lines.toSpliced(line, 0, pick(random, pick(random, originals).split('\n'))).join('\n');
    case 2:
      return text.slice(0, at) + pick(random, PIECES) + text.slice(at);
    case 3:
      return text.slice(0, at) + text.slice(at + integerBetween(random, 1, 20));
    case 4:
      return lines.with(line, (lines[line] ?? '').replace(/(:\s*).*$/, `$1${pick(random, PIECES)}`)).join('\n');
    case 5:
      return lines.with(line, `  ${lines[line]}`).join('\n');
    case 6:
      return text.replace(/\d+/g, (number) => (oneIn(random, 20) ? pick(random, PIECES) : number));
    default:
      return [...lines, ...lines.slice(line)].join('\n');
  }
}
