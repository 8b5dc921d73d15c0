/**
 * Commands of ours beside the firmware's shell, marked by a dot: hands on the board. What they mean, and what is wrong with
 * them, is up to the steps of scenarios; this only knows a shorter way to write them. What stands in braces passes as it is:
 * `.antenna -121` and `.antenna { rsrp: -121, snr: -4 }`.
 */

import { Problems, readYaml } from '../input/document.js';
import { didYouMean, InputError, quote } from '../input/problems.js';
import type { NamedText } from '../input/text-file.js';
import { UsageError } from '../kernel/errors.js';
import type { Profile } from '../profile/profile.js';
import { quantityNames } from '../profile/quantities.js';
import { checkStep, describeStep, runStep, STEPS, type StepCall, type StepName } from '../scenario/steps/index.js';
import type { World } from '../scenario/world.js';
import type { Member } from './member.js';

interface BenchCommand {
  readonly step: StepName;
  /** Its words: `NAME VALUE`. */
  readonly usage: string;
  readonly about: string;
  /** What a scenario would say in place of the words; undefined when they are too few or too many. */
  readonly inScenario: (...words: readonly string[]) => string | undefined;
  /** What may stand in the place of a word. */
  readonly words?: (profile: Profile) => readonly (readonly string[])[];
}

const ON_OFF = () => [['on', 'off']];
const quantities = (profile: Profile) => [quantityNames(profile).filter((name) => !name.includes('<'))];

export const BENCH_COMMANDS: Readonly<Record<string, BenchCommand>> = {
  sensor: {
    step: 'sensor',
    usage: 'QUANTITY NUMBER | free | silent',
    about: 'holds what a sensor shows, gives it back to its model, or lets it fall silent',
    inScenario: (name, value, ...more) => (value && more.length === 0 ? `{ ${name}: ${value} }` : undefined),
    words: (profile) => [...quantities(profile), ['free', 'silent']],
  },
  ramp: {
    step: 'sensor',
    usage: 'QUANTITY NUMBER DURATION',
    about: 'lets what a sensor shows run to a number, where it stays',
    inScenario: (name, to, over, ...more) =>
      over && more.length === 0 ? `{ ${name}: { to: ${to}, over: ${over} } }` : undefined,
    words: quantities,
  },
  replay: {
    step: 'sensor',
    usage: 'QUANTITY FILE.csv',
    about: 'plays a file back, its first row now',
    inScenario: (name, file, ...more) =>
      file && more.length === 0 ? `{ ${name}: { replay: ${JSON.stringify(file)} } }` : undefined,
    words: quantities,
  },
  pulse: {
    step: 'pulse',
    usage: 'QUANTITY [TIMES [EVERY]]',
    about: 'gives a counter pulses, or closes a contact',
    inScenario: (input, times = '1', every = '1s', ...more) =>
      input && more.length === 0 ? `{ input: ${input}, times: ${times}, every: ${every} }` : undefined,
    words: quantities,
  },
  button: {
    step: 'button',
    usage: '[int | x | 1 | 2 | 3 | 4] [CLICKS | DURATION]',
    about: 'clicks a button, or holds it; int is the one on the board',
    inScenario: (which = 'int', how = '1', ...more) => {
      if (more.length > 0) return undefined;
      return `{ which: ${which}, ${/^\d+$/.test(how) ? 'clicks' : 'hold'}: ${how} }`;
    },
    words: () => [['int', 'x', '1', '2', '3', '4']],
  },
  'line-power': bare('line-power', 'on | off', 'brings the power line back, or cuts it', ON_OFF),
  battery: {
    step: 'battery',
    usage: 'new | PERCENT% | VOLTS V',
    about: 'exchanges the battery: 5% has so much left, 3.2V shows this voltage at rest',
    inScenario: (what, ...more) => {
      const [, volts] = /^([\d.]+) ?[vV]$/.exec([what, ...more].join(' ')) ?? [];
      if (volts !== undefined) return `{ voltage: ${volts} }`;
      if (what === undefined || more.length > 0) return undefined;
      return what === 'new' ? what : `{ left: ${what} }`;
    },
    words: () => [['new']],
  },
  radio: bare('radio', 'on | off', 'frees the antenna, or shields it', ON_OFF),
  antenna: {
    step: 'antenna',
    usage: 'RSRP | free',
    about: 'sets the signal at the antenna in dBm, -44 to -156; "free" takes it back',
    inScenario: (rsrp, ...more) => {
      if (rsrp === undefined || more.length > 0) return undefined;
      return rsrp === 'free' ? rsrp : `{ rsrp: ${rsrp} }`;
    },
    words: () => [['free']],
  },
  'power-saving': bare('power-saving', 'on | off', 'the network grants power saving mode, or refuses it', ON_OFF),
  modem: bare(
    'modem',
    'TROUBLE | mended',
    'error, reset-loop, lost-registration, lost-socket, mute, no-sim, no-socket',
    () => [['error', 'reset-loop', 'lost-registration', 'lost-socket', 'mute', 'no-sim', 'no-socket', 'mended']],
  ),
  flash: {
    step: 'flash',
    usage: 'WRITES | new',
    about: 'wears the flash out: after so many more writes of settings they fail',
    inScenario: (writes, ...more) => {
      if (writes === undefined || more.length > 0) return undefined;
      return writes === 'new' ? writes : `{ writes-left: ${writes} }`;
    },
    words: () => [['new']],
  },
  clock: {
    step: 'clock',
    usage: 'DRIFT | SKEW',
    about: 'lets the clock run fast (120ppm) or jump ahead (2h); below 0: slow, or back',
    inScenario: (word, ...more) => {
      if (word === undefined || more.length > 0) return undefined;
      return word.endsWith('ppm') ? `{ drift: ${word} }` : `{ skew: ${word} }`;
    },
  },
  'power-cycle': {
    step: 'power-cycle',
    usage: '',
    about: 'takes the power away and gives it back',
    inScenario: (...words) => (words.length === 0 ? '' : undefined),
  },
};

/** A command whose only word is what a scenario says. */
function bare(step: StepName, usage: string, about: string, words: BenchCommand['words']): BenchCommand {
  const inScenario = (word?: string, ...more: readonly string[]) => (more.length === 0 ? word : undefined);
  return { step, usage, about, inScenario, ...(words && { words }) };
}

interface ParsedBench {
  readonly call: StepCall;
  /** `radio: off` */
  readonly described: string;
}

/**
 * Reads `.sensor hygrometer.temperature 31.5` for devices of a type.
 * @throws UsageError that says what is wrong
 */
export function parseBench(line: string, profile: Profile, readFile: (path: string) => NamedText): ParsedBench {
  const [, word = '', rest = ''] = /^\.(\S*)\s*(.*)$/.exec(line.trim()) ?? [];
  const command = Object.hasOwn(BENCH_COMMANDS, word) ? BENCH_COMMANDS[word] : undefined;
  if (command === undefined) {
    const names = Object.keys(BENCH_COMMANDS).map((name) => `.${name}`);
    const meant = didYouMean(`.${word}`, names);
    throw new UsageError('bad-command', `${quote(`.${word}`)} is not a command of the bench${meant}; see .help`);
  }
  const words = rest === '' ? [] : rest.split(/\s+/);
  const text = rest.startsWith('{') ? rest : command.inScenario(...words);
  if (text === undefined) throw new UsageError('bad-command', `this is written .${word} ${command.usage}`.trimEnd());
  const call = readStep(command.step, text, profile, readFile);
  return { call, described: describeStep(call) };
}

/** Carries it out. @throws Error whose message says why it cannot be done */
export async function runBench({ call }: ParsedBench, member: Member): Promise<void> {
  await runStep(NO_CLOUD, member.handle, call);
}

/** The words that can stand in place of the last one of a line that begins with a dot. */
export function completeBench(line: string, profile: Profile): readonly string[] {
  const [word = '', ...args] = line.trimStart().split(/ +/);
  const begun = args.at(-1) ?? word;
  const candidates =
    args.length === 0
      ? Object.keys(BENCH_COMMANDS).map((name) => `.${name}`)
      : (BENCH_COMMANDS[word.slice(1)]?.words?.(profile)[args.length - 1] ?? []);
  return candidates.filter((candidate) => candidate.startsWith(begun));
}

/** One line for each command. */
export function benchHelp(): readonly string[] {
  const rows = Object.entries(BENCH_COMMANDS).map(([name, { usage, about }]) => [`.${name} ${usage}`, about] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, about]) => `  ${left.padEnd(width)}  ${about}`);
}

function readStep(step: StepName, text: string, profile: Profile, readFile: (path: string) => NamedText): StepCall {
  const problems = new Problems();
  try {
    const call = checkStep(step, readYaml(text, step), problems, { profiles: [profile], readFile });
    problems.finish();
    if (call !== undefined) return call;
  } catch (error) {
    // A line on a terminal is short enough without the places.
    if (error instanceof InputError) {
      throw new UsageError('bad-command', error.problems.map(({ message }) => message).join('; '));
    }
    throw error;
  }
  throw new UsageError('bad-command', `write it as in a scenario: ${STEPS[step].example}`);
}

/** Whoever stands at the bench has no page of the cloud open. */
const NO_CLOUD: World = {
  get api(): never {
    throw new Error('nothing at the bench needs the cloud');
  },
  tagId: async () => '',
  firmwareId: () => '',
};
