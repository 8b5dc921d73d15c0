/**
 * Reads and executes control commands: lines that begin with a dot and act on a device from outside. Each is converted to a
 * step of a scenario, which checks the options and executes the command. Options in braces are the options of the step:
 * `.antenna -121` or `.antenna { rsrp: -121, snr: -4 }`.
 */
import { Problems, readYaml } from '../input/document.js';
import { didYouMean, InputError, quote } from '../input/problems.js';
import type { NamedText } from '../input/text-file.js';
import { UsageError } from '../kernel/errors.js';
import type { Profile } from '../profile/profile.js';
import { checkStep, describeStep, runStep, STEPS, type StepCall, type StepName } from '../scenario/steps/index.js';
import type { World } from '../scenario/world.js';
import { CONTROL_COMMANDS } from './control-commands.js';
import { type ControlDescription, helpLines } from './control-help.js';
import type { Member } from './member.js';

/** Commands of the consoles themselves. They have no arguments, and arrive here only if a line has some. */
const ALONE = new Set(['help', 'list', 'quit']);

interface ControlCall {
  readonly call: StepCall;
  /** `radio: off` */
  readonly described: string;
}

/**
 * Reads `.sensor hygrometer.temperature 31.5` for devices of a type.
 * @throws UsageError for an unknown command or invalid arguments
 */
export function parseControl(line: string, profile: Profile, readFile: (path: string) => NamedText): ControlCall {
  const [, word = '', after = ''] = /^\.(\S*)(.*)$/s.exec(line.trim()) ?? [];
  const rest = after.trimStart();
  const command = Object.hasOwn(CONTROL_COMMANDS, word) ? CONTROL_COMMANDS[word] : undefined;
  if (command === undefined) {
    if (ALONE.has(word)) throw new UsageError('bad-command', `usage: .${word}`);
    const names = Object.keys(CONTROL_COMMANDS).map((name) => `.${name}`);
    const meant = didYouMean(`.${word}`, names);
    throw new UsageError('bad-command', `${quote(`.${word}`)} is not a control command${meant}; see .help`);
  }
  const words = rest === '' ? [] : rest.split(/\s+/);
  const text = rest.startsWith('{') ? rest : command.inScenario(...words);
  if (text === undefined) throw new UsageError('bad-command', `usage: .${word} ${command.usage}`.trimEnd());
  const call = readStep(command.step, text, profile, readFile);
  return { call, described: describeStep(call) };
}

/** Executes a control command. @throws Error with the reason */
export async function runControl({ call }: ControlCall, member: Member): Promise<void> {
  await runStep(NO_CLOUD, member, call);
}

/** Completions of the last word of a line that begins with a dot. */
export function completeControls(line: string, profile: Profile): readonly string[] {
  const [word = '', ...args] = line.trimStart().split(/ +/);
  const begun = args.at(-1) ?? word;
  const candidates =
    args.length === 0
      ? Object.keys(CONTROL_COMMANDS).map((name) => `.${name}`)
      : (CONTROL_COMMANDS[word.slice(1)]?.words?.(profile)[args.length - 1] ?? []);
  return candidates.filter((candidate) => candidate.startsWith(begun));
}

/** All control commands. @param profile device type for the words of the arguments; default: without words */
export function describeControls(profile?: Profile): readonly ControlDescription[] {
  return Object.entries(CONTROL_COMMANDS).map(([name, { usage, about, words }]) => ({
    name: `.${name}`,
    usage,
    about,
    words: (profile && words?.(profile)[0]) ?? [],
  }));
}

/** One line for each command. */
export function controlHelp(): readonly string[] {
  return helpLines(describeControls());
}

function readStep(step: StepName, text: string, profile: Profile, readFile: (path: string) => NamedText): StepCall {
  const problems = new Problems();
  try {
    const call = checkStep(step, readYaml(text, step), problems, { profiles: [profile], recipients: [], readFile });
    problems.finish();
    if (call !== undefined) return call;
  } catch (error) {
    // Without file, line and column: the user has just typed the only line.
    if (error instanceof InputError) {
      throw new UsageError('bad-command', error.problems.map(({ message }) => message).join('; '));
    }
    throw error;
  }
  throw new UsageError('bad-command', `invalid options; expected those of a scenario: ${STEPS[step].example}`);
}

/** Control commands have no access to the cloud API. */
const NO_CLOUD: World = {
  get api(): never {
    throw new Error('control commands have no access to the cloud API');
  },
  tagId: async () => '',
  firmwareId: () => '',
};
