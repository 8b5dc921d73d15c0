/**
 * The command line: one file a command, this one puts them together and turns every way to end into an exit code.
 */
import yargs, { type Argv } from 'yargs';
import { didYouMean, quote } from '../input/problems.js';
import { EXIT, type ExitCode, GhostfleetError, UsageError } from '../kernel/errors.js';
import { backup } from './backup.js';
import type { Command, Run } from './command.js';
import { compare } from './compare.js';
import { attachConsole } from './console.js';
import { device } from './device.js';
import { diverge } from './diverge.js';
import { fit } from './fit.js';
import type { Host } from './host.js';
import { image } from './image.js';
import { list } from './list.js';
import { plan } from './plan.js';
import { profile } from './profile.js';
import { record } from './record.js';
import { replay } from './replay.js';
import { run } from './run.js';
import { scenario } from './scenario.js';
import { serve } from './serve.js';
import { shrink } from './shrink.js';
import { validate } from './validate.js';
import { version } from './version.js';

const COMMANDS: readonly Command[] = [
  run,
  compare,
  serve,
  backup,
  device,
  attachConsole,
  image,
  plan,
  validate,
  diverge,
  shrink,
  scenario,
  profile,
  list,
  record,
  replay,
  fit,
];

/** Runs the program; never throws. */
export async function main(host: Host): Promise<ExitCode> {
  try {
    return await chosen(host);
  } catch (error) {
    return complain(host, error);
  }
}

async function chosen(host: Host): Promise<ExitCode> {
  const [first] = host.args;
  const names = COMMANDS.map(({ name }) => name);
  if (first !== undefined && !first.startsWith('-') && !names.includes(first)) {
    throw new UsageError(
      'unknown-command',
      `${quote(first)} is not a command${didYouMean(first, names)}; there are ${names.join(', ')}`,
    );
  }
  let action: Run | undefined;
  let parser: Argv = yargs([...host.args])
    .scriptName('ghostfleet')
    .usage('$0 <command>\n\nA fleet of virtual devices, and the device cloud that they talk to.')
    .version(version())
    .help()
    .alias('help', 'h')
    .strictCommands()
    .strictOptions()
    .demandCommand(1, 'Which command?')
    .wrap(Math.min(100, host.out.columns))
    .exitProcess(false)
    .updateStrings(WORDS as unknown as Record<string, string>)
    .check(onlyOnce(host.args));
  for (const command of COMMANDS) {
    parser = command.addTo(parser, (chosenAction) => {
      action = chosenAction;
    });
  }
  const { output, failure } = await parse(parser, host.args);
  if (failure !== undefined) {
    const known = first !== undefined && names.includes(first);
    const help = known ? `${first} --help shows its options` : '--help shows the commands and their options';
    host.err.write(`ghostfleet: ${failure}\nghostfleet ${help}\n`);
    return EXIT.usage;
  }
  if (output !== '') {
    host.out.write(`${output}\n`);
    return EXIT.fine;
  }
  return action ? action(host) : EXIT.fine;
}

/** What is wrong with a command line, where the parser has other words for it; its types do not know of plurals. */
const WORDS = {
  'Not enough non-option arguments: got %s, need at least %s': {
    one: 'something is missing: %s given, where %s are wanted at least',
    other: 'something is missing: %s given, where %s are wanted at least',
  },
  'Unknown command: %s': { one: '%s is too much', other: '%s are too much' },
  'Unknown argument: %s': { one: '%s is no option here', other: '%s are no options here' },
  'Not enough arguments following: %s': '--%s needs a value',
};

/** A check that throws for an option that is given several times and has one value. */
function onlyOnce(args: readonly string[]): (values: unknown, options: unknown) => true {
  const given = args.flatMap((word) => /^--([^=]+)/.exec(word)?.[1] ?? []);
  return (_, options) => {
    // Because the parser hands over more than its types say.
    const { array } = options as { readonly array: readonly string[] };
    const twice = given.find((name, index) => given.indexOf(name) !== index && !array.includes(name));
    if (twice !== undefined) throw new Error(`--${twice} is given several times`);
    return true;
  };
}

function parse(parser: Argv, args: readonly string[]): Promise<{ output: string; failure: string | undefined }> {
  return new Promise((resolve) => {
    // Because yargs passes undefined where its types promise an Error.
    parser.parse([...args], {}, (error: Error | undefined | null, _argv: unknown, output: string) => {
      resolve({ output: error ? '' : output, failure: error ? error.message : undefined });
    });
  });
}

function complain(host: Host, error: unknown): ExitCode {
  if (error instanceof GhostfleetError) {
    host.err.write(`ghostfleet: ${error.message}\n${error.hint ? `${error.hint}\n` : ''}`);
    return error.exit;
  }
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  host.err.write(`ghostfleet: this is a bug in ghostfleet, please report it\n${details}\n`);
  return EXIT.internal;
}
