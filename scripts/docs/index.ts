/**
 * `npm run docs:check [-- page…]`: runs every command of README.md, of docs/ and of the library of scenarios, and compares its
 * exit code and its output with the document. Fails if one differs. With page names (`REPORTS`, `soak`), it runs only the
 * commands of these pages. With `--long`, it also runs the commands that take a quarter of an hour. `npm test` runs only those
 * that take milliseconds (test/docs/commands.test.ts).
 */
import { resolve } from 'node:path';
import { commandsOf, type DocumentCommand, documents, missingLines, scenarioFiles } from './commands.js';
import { filesOf } from './files.js';
import { type Prepared, prepare } from './pages.js';
import { type Care, type Ended, Session, tail } from './session.js';

/** Commands that are not run, and why. */
const NOT_RUN: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm ci$/, 'installs packages; .ci/run does it'],
];

/** Commands that run with `--long` only, because they take a quarter of an hour. */
const LONG = /^npm run mutation -- metrics$/;

/** Time that a run in real time gets before Ctrl-C, in milliseconds. */
const REAL_TIME = 8000;
const INTERRUPTED = 130;
/** Printed when the API and the control socket of a run in real time are ready. */
const STARTED = /API at /;
/** A console without a terminal prints nothing before its first input line, so it counts as ready at once. */
const AT_ONCE = /^/;

const args = process.argv.slice(2);
const long = args.includes('--long');
const wanted = args.filter((arg) => !arg.startsWith('--'));
const pages = [...documents(), ...scenarioFiles()].filter(
  (page) =>
    wanted.length === 0 ||
    wanted.some((name) =>
      page
        .replace(/\.\w+$/, '')
        .split('/')
        .includes(name),
    ),
);
/** Results by command. A command on a packaged scenario depends on files of the package only, so it runs only once. */
const known = new Map<string, Ended>();
const counts = { ok: 0, failed: 0, left: 0 };

for (const page of pages) await check(page);
console.log(`${counts.ok} commands as promised, ${counts.failed} not, ${counts.left} not run`);
process.exitCode = counts.failed === 0 && counts.ok > 0 ? 0 : 1;

async function check(page: string): Promise<void> {
  const commands = commandsOf(page);
  if (commands.length === 0) return;
  const session = new Session(page.endsWith('.md') ? filesOf(page) : new Map());
  try {
    const prepared = await prepare(page, session);
    for (const command of commands) await checkCommand(command, session, prepared);
    const problem = await prepared.end();
    if (problem !== undefined) report('FAIL', `${page}: ${problem}`);
  } finally {
    for (const problem of await session.close()) report('FAIL', `${page}: ${problem}`);
  }
}

async function checkCommand(command: DocumentCommand, session: Session, prepared: Prepared): Promise<void> {
  const place = `${command.page}:${command.line} ${command.typed}`;
  for (const typed of command.typed.split(' && ')) {
    const reason = NOT_RUN.find(([pattern]) => pattern.test(typed))?.[1];
    if (reason !== undefined || (LONG.test(typed) && !long)) {
      report('skip', `${place}: ${reason ?? 'takes a quarter of an hour; --long runs it'}`);
      continue;
    }
    const began = Date.now();
    const problem = await problemOf({ ...command, typed: replaced(typed, prepared) }, session);
    const seconds = `${((Date.now() - began) / 1000).toFixed(1)}s`;
    report(
      problem === undefined ? 'ok' : 'FAIL',
      `${place} (${seconds})${problem === undefined ? '' : `: ${problem}`}`,
    );
  }
}

/** Why a command differs from its document; undefined if it does not. */
async function problemOf(command: DocumentCommand, session: Session): Promise<string | undefined> {
  const { typed, printed } = command;
  if (/^(?:npx )?ghostfleet serve\b/.test(typed)) return startService(typed, session);
  if (command.background) {
    const output = await session.start(typed, STARTED, INTERRUPTED);
    return STARTED.test(output) ? undefined : `did not start: ${tail(output)}`;
  }
  const care = careOf(command);
  const { exitCode, output } = await result(typed, session, care);
  const promised = care?.interruptAfter === REAL_TIME ? INTERRUPTED : command.exitCode;
  if (exitCode !== promised) return `ended with ${exitCode}, promised is ${promised}: ${tail(output)}`;
  const missing = missingLines(care?.typed === undefined ? printed : printed.filter(isStable), output);
  return missing.length === 0 ? undefined : `did not print\n${missing.join('\n')}\nbut\n${output}`;
}

async function result(typed: string, session: Session, care: Care | undefined): Promise<Ended> {
  const key = typed.replace(/ --out \S+/, '');
  const before = /^ghostfleet \w+ scenarios\//.test(typed) ? known.get(key) : undefined;
  const ended = before ?? (await session.run(typed.replace(/^npx /, ''), care));
  known.set(key, ended);
  return ended;
}

/** How to end a command that does not end by itself; undefined for all other commands. */
function careOf({ typed, printed }: DocumentCommand): Care | undefined {
  const lines = printed.flatMap((line) => /^[\w ]+> (.+)$/.exec(line)?.[1] ?? []);
  if (/ghostfleet run .*--(?:clock real|target)/.test(typed))
    return { ready: /API at | ready /, interruptAfter: REAL_TIME };
  if (/ghostfleet device /.test(typed)) return { ready: /device\.boot/, typed: lines, interruptAfter: 2000 };
  if (/ghostfleet console \w+$/.test(typed)) return { ready: AT_ONCE, typed: lines, interruptAfter: undefined };
  return undefined;
}

/**
 * Starts a service for the commands that follow, with its key and its space in the variables of the documents. A page that
 * shows several means one at a time: the earlier one ends.
 */
async function startService(typed: string, session: Session): Promise<string | undefined> {
  const [wrong] = await session.end(/ghostfleet serve/);
  if (wrong !== undefined) return wrong;
  const output = await session.start(typed.replace(/^npx /, ''), /Ctrl-C|}\n/, 0);
  const text = output.replaceAll(/[",{}]/g, ' ');
  const api = /(http:\/\/\S+?)(?:\/v2)?\s/.exec(text)?.[1];
  if (api === undefined) return `did not start: ${tail(output)}`;
  session.set('KEY', /(?:API key|apiKey) *:? *(\S+)/.exec(text)?.[1] ?? '');
  session.set('SPACE', /(?:space|spaceId) *:? *([0-9a-f-]{36})/.exec(text)?.[1] ?? '');
  const { status } = await fetch(`${api}/healthz`);
  return status === 200 ? undefined : `answers with status ${status}`;
}

/** Whether a line of a dialogue is always the same. Lines with a prompt, a digit or a leading `+`, and table heads differ. */
function isStable(line: string): boolean {
  return !/^[\w ]+> |^\+|\d|^name /.test(line);
}

function replaced(typed: string, { replaced: pairs }: Prepared): string {
  const used = pairs.reduce((text, [shown, own]) => text.replace(shown, own), typed);
  // A mutation run copies the checkout and cannot copy links, so it runs in the checkout itself.
  return /^npm run mutation\b/.test(used) ? `cd ${resolve('.')} && ${used}` : used;
}

function report(verdict: 'ok' | 'FAIL' | 'skip', text: string): void {
  counts[verdict === 'ok' ? 'ok' : verdict === 'FAIL' ? 'failed' : 'left']++;
  console.log(`${verdict.padEnd(4)} ${text}`);
}
