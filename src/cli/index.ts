/**
 * The command line: assembles the commands, one file each, and turns every result into an exit code.
 */
import yargs, { type Argv } from 'yargs';
import { didYouMean, quote } from '../input/problems.js';
import { EXIT, type ExitCode, GhostfleetError, UsageError } from '../kernel/errors.js';
import { backup } from './backup.js';
import { type Known, wrongArguments } from './check-arguments.js';
import type { Command, Run } from './command.js';
import { compare } from './compare.js';
import { attachConsole } from './console.js';
import { device } from './device.js';
import { diverge } from './diverge.js';
import { explain } from './explain.js';
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
  explain,
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
  // yargs does not know "ghostfleet help COMMAND".
  const args = host.args[0] === 'help' ? [...host.args.slice(1), '--help'] : host.args;
  const [first] = args;
  if (first !== undefined && !first.startsWith('-') && commandNamed(first) === undefined) {
    const names = COMMANDS.map(({ name }) => name);
    throw new UsageError(
      'unknown-command',
      `unknown command ${quote(first)}${didYouMean(first, names)}; commands are ${names.join(', ')}`,
    );
  }
  let action: Run | undefined;
  let parser: Argv = yargs([...args])
    .scriptName('ghostfleet')
    .usage('$0 <command>\n\nA fleet of virtual IoT devices, and the device cloud that they talk to.')
    .version(version())
    .help()
    .alias('help', 'h')
    .demandCommand(1, 'a command is required')
    .wrap(Math.min(100, host.out.columns))
    .exitProcess(false)
    .updateStrings({ 'Not enough arguments following: %s': '--%s requires a value' })
    .middleware((values) => {
      if (values.help || values.version) return;
      const [name] = values._;
      const wrong = wrongArguments(args, commandNamed(name)?.pattern ?? '', values, knownTo(parser));
      if (wrong.length > 0) throw badArguments(wrong.join('\n'), name);
    }, true);
  for (const command of COMMANDS) {
    parser = command.addTo(parser, (chosenAction) => {
      action = chosenAction;
    });
  }
  const { output, failure } = await parse(parser, args);
  if (failure !== undefined) throw badArguments(failure, first);
  if (output !== '') {
    host.out.write(`${output}\n`);
    return EXIT.fine;
  }
  return action ? action(host) : EXIT.fine;
}

function commandNamed(name: unknown): Command | undefined {
  return COMMANDS.find((command) => command.name === name);
}

function badArguments(message: string, command: unknown): UsageError {
  const hint = commandNamed(command)
    ? `run "ghostfleet ${command} --help" for its options`
    : 'run "ghostfleet --help" for the commands';
  return new UsageError('bad-arguments', message, hint);
}

/** The declared options of the parser. */
function knownTo(parser: Argv): Known {
  // Because the types of yargs omit this method.
  return (parser as Argv & { getOptions(): Known }).getOptions();
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
  host.err.write(`ghostfleet: internal error (a bug in ghostfleet, worth reporting)\n${details}\n`);
  return EXIT.internal;
}
