/** The command line: assembles the commands, one file each, and turns every result into an exit code. */
import yargs, { type Arguments, type Argv } from 'yargs';
import { didYouMean, quote } from '../input/problems.js';
import { EXIT, type ExitCode, GhostfleetError, messageOf, UsageError } from '../kernel/errors.js';
import { expandHome } from '../kernel/home-path.js';
import { isProgramReplaced, PROGRAM_REPLACED } from '../kernel/program-files.js';
import { describeRefusal } from '../kernel/system-errors.js';
import { findPlaces, findWrongArguments, type Known } from './check-arguments.js';
import type { Command, Run } from './command.js';
import { COMMANDS, type ListedCommand } from './commands.js';
import { findConnectionHint } from './connection-hints.js';
import { checkSettings, type Host } from './host.js';
import { makeSafeHost } from './safe-host.js';
import { readVersion } from './version.js';

/** Runs the program; never throws. */
export async function main(given: Host): Promise<ExitCode> {
  const host = makeSafeHost(given);
  try {
    return await runChosen(host);
  } catch (error) {
    return complain(host, error);
  }
}

async function runChosen(host: Host): Promise<ExitCode> {
  if (host.args[0] === '--complete') {
    return (await import('./complete.js')).printCandidates(host.args.slice(1), host);
  }
  const topics = host.args[0] === 'help' ? await import('./help-topics.js') : undefined;
  const text = topics?.explainTopic(host.args.slice(1), host.out.columns);
  if (text !== undefined) {
    host.out.write(text);
    return EXIT.fine;
  }
  // yargs does not know "ghostfleet help COMMAND".
  const typed = host.args.map((word) => expandWord(word, host.env));
  const args = topics ? [...typed.slice(1), '--help'] : typed;
  const [first] = args;
  if (first !== undefined && !first.startsWith('-') && findCommand(first) === undefined) {
    const names = COMMANDS.map(({ name }) => name);
    const words = topics ? [...names, ...topics.TOPIC_NAMES] : names;
    const list = `${names.join(', ')}${topics ? `; topics are ${topics.TOPIC_NAMES.join(', ')}` : ''}`;
    throw new UsageError(
      'unknown-command',
      `unknown ${topics ? 'command or topic' : 'command'} ${quote(first)}${didYouMean(first, words)}; commands are ${list}`,
    );
  }
  const loaded = await findCommands(args);
  let action: Run | undefined;
  let parser: Argv = yargs([...args])
    .scriptName('ghostfleet')
    .detectLocale(false)
    .usage('$0 <command>\n\nA fleet of virtual IoT devices, and the device cloud that they talk to.')
    .version(readVersion())
    .help()
    .alias('help', 'h')
    .epilogue('"ghostfleet help TOPIC" explains expectations, selectors, loads, faults and exit-codes.')
    .demandCommand(1, 'a command is required')
    .wrap(Math.min(100, host.out.columns))
    .exitProcess(false)
    .showHelpOnFail(false)
    .updateStrings({ 'Not enough arguments following: %s': '--%s requires a value' })
    .middleware((values) => {
      if (findCommand(values._[0]) === undefined) check(values);
    }, true);
  const check = (values: Arguments) => {
    if (values.help || values.version) return;
    const [name] = values._;
    restoreHyphen(values, args, findCommand(name)?.pattern ?? '');
    const wrong = findWrongArguments(args, findCommand(name)?.pattern ?? '', values, listKnown(parser));
    if (wrong.length > 0) throw makeArgumentsError(wrong.join('\n'), name);
  };
  for (const { name, pattern, about } of COMMANDS) {
    const command = loaded.get(name);
    // The check comes after the options of the command, whose values are then read.
    const build = (options: Argv) => (command?.build(options) ?? options).middleware(check, true);
    parser = parser.command(pattern, about, build, (values) => {
      action = command?.runWith(values);
    });
  }
  removeSpareHelp(parser);
  const { output, failure } = await parse(parser, args);
  if (failure !== undefined) throw makeArgumentsError(failure, first);
  if (output !== '') {
    host.out.write(`${output}\n`);
    return EXIT.fine;
  }
  checkSettings(host.env);
  const ended = action?.(host);
  host.begun();
  return ended ?? EXIT.fine;
}

/** Options whose values are no paths, and may begin with any character. */
const SECRET = /^--(api-key|token)=/;

/** A path with the home directory in place of `~`, which the shell has left in `--db=~/cloud.db`. */
function expandWord(word: string, env: Host['env']): string {
  const [, option = '', value = ''] = /^(--[\w-]+=)?(.*)$/s.exec(word) ?? [];
  return SECRET.test(option) ? word : `${option}${expandHome(value, env)}`;
}

/** Loads every command named among the arguments: only the parser knows which of them is the command, and it runs later. */
async function findCommands(args: readonly string[]): Promise<ReadonlyMap<string, Command>> {
  const named = COMMANDS.filter(({ name }) => args.includes(name));
  return new Map(await Promise.all(named.map(async ({ name, load }) => [name, await load()] as const)));
}

/** The parser reads the word "-" in a place as an empty text, or as its default: so places have none. */
function restoreHyphen(values: Arguments, args: readonly string[], pattern: string): void {
  if (!args.includes('-')) return;
  for (const { name } of findPlaces(pattern)) if (values[name] === '') values[name] = '-';
}

function findCommand(name: unknown): ListedCommand | undefined {
  return COMMANDS.find((command) => command.name === name);
}

function makeArgumentsError(message: string, command: unknown): UsageError {
  const hint = findCommand(command)
    ? `run "ghostfleet ${command} --help" for its options`
    : 'run "ghostfleet --help" for the commands';
  return new UsageError('bad-arguments', message, hint);
}

/** Skips the help text that yargs renders after each command for a possible failure: it would double the time of a start. */
function removeSpareHelp(parser: Argv): void {
  // The cast is needed because the types of yargs omit these methods.
  const { getInternalMethods } = parser as Argv & {
    getInternalMethods(): { getUsageInstance(): { cacheHelpMessage: () => void } };
  };
  getInternalMethods.call(parser).getUsageInstance().cacheHelpMessage = () => {};
}

/** The declared options of the parser. */
function listKnown(parser: Argv): Known {
  // The cast is needed because the types of yargs omit this method.
  return (parser as Argv & { getOptions(): Known }).getOptions();
}

function parse(parser: Argv, args: readonly string[]): Promise<{ output: string; failure: string | undefined }> {
  return new Promise((resolve) => {
    // `error` may be undefined, although the types of yargs promise an Error or null.
    parser.parse([...args], {}, (error: Error | undefined | null, _argv: unknown, output: string) => {
      resolve({ output: error ? '' : output, failure: error ? error.message : undefined });
    });
  });
}

function complain(host: Host, error: unknown): ExitCode {
  const replaced = isProgramReplaced() ? PROGRAM_REPLACED : undefined;
  if (error instanceof GhostfleetError) {
    const hint = replaced ?? error.hint ?? findConnectionHint(error.message, host.env);
    host.err.write(`ghostfleet: ${error.message}\n${hint ? `${hint}\n` : ''}`);
    return error.exit;
  }
  if (error instanceof EvalError) {
    const hint = 'start Node.js without --disallow-code-generation-from-strings (see NODE_OPTIONS)';
    host.err.write(`ghostfleet: Node.js is not allowed to compile the checks of requests\n${hint}\n`);
    return EXIT.usage;
  }
  if (replaced !== undefined) {
    host.err.write(`ghostfleet: ${messageOf(error)}\n${replaced}\n`);
    return EXIT.internal;
  }
  const refusal = describeRefusal(error);
  if (refusal !== undefined) {
    host.err.write(`ghostfleet: ${refusal}\n`);
    return EXIT.usage;
  }
  const details = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
  host.err.write(`ghostfleet: internal error (a bug in ghostfleet, worth reporting)\n${details}\n`);
  return EXIT.internal;
}
