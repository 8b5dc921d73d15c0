/**
 * A terminal in a folder of its own: runs the commands of a document as a user would. Commands that do not end by themselves
 * are ended with Ctrl-C.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

/** How to treat a command that does not end by itself. */
export interface Care {
  /** The command is ready when its output matches. */
  readonly ready: RegExp;
  /** Lines that the user types then, one a second. */
  readonly typed?: readonly string[];
  /** Time until the user presses Ctrl-C, in milliseconds. If undefined, the end of the input ends the command. */
  readonly interruptAfter: number | undefined;
}

/** Longest time that a command may take, in milliseconds. */
const PATIENCE = 30 * 60_000;
/** Longest time until a command is ready, in milliseconds. */
const START = 2 * 60_000;
/** Parts of a checkout to which a run must not write. */
const NOT_LINKED = new Set(['runs', '.git', '.bench', 'coverage', '.mutation']);
/** Copied, because a scenario cannot read files through a link that leads out of its folder. */
const COPIED = new Set(['profiles']);

export class Session {
  /** A folder that looks like a checkout: it has a copy of `profiles`, and links to everything else except NOT_LINKED. */
  readonly folder = mkdtempSync(join(tmpdir(), 'ghostfleet-docs-'));
  readonly #env: Record<string, string>;
  #background: { readonly child: Child; readonly typed: string; readonly exitCode: number }[] = [];

  constructor(files: ReadonlyMap<string, string>) {
    for (const name of readdirSync('.')) {
      if (COPIED.has(name)) cpSync(name, join(this.folder, name), { recursive: true });
      else if (!NOT_LINKED.has(name)) symlinkSync(resolve(name), join(this.folder, name));
    }
    const bin = join(this.folder, '.bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'ghostfleet'), `#!/bin/sh\nexec node ${resolve('dist/main.js')} "$@"\n`, { mode: 0o755 });
    for (const [name, content] of files) writeFileSync(join(this.folder, name), content);
    this.#env = { PATH: `${bin}:${process.env.PATH}`, XDG_RUNTIME_DIR: this.folder };
  }

  /** Sets a variable of the environment of later commands. */
  set(name: string, value: string): void {
    this.#env[name] = value;
  }

  /** Runs a command until it ends. */
  async run(typed: string, care?: Care): Promise<Ended> {
    const child = this.#start(typed, care?.typed !== undefined);
    const timer = setTimeout(() => child.signal('SIGKILL'), PATIENCE);
    if (care !== undefined) await this.#attend(child, care);
    const ended = await child.ended;
    clearTimeout(timer);
    return ended;
  }

  /** Starts a command that runs until {@link close}. @param exitCode expected after Ctrl-C @returns its output until `ready` */
  async start(typed: string, ready: RegExp, exitCode: number): Promise<string> {
    const child = this.#start(typed, false);
    this.#background.push({ child, typed, exitCode });
    await child.until(ready);
    return child.output;
  }

  /**
   * Ends commands in the background with Ctrl-C, the last one first.
   * @param which matches what was typed
   * @returns a sentence for each wrong exit code
   */
  async end(which: RegExp): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const { child, typed, exitCode } of this.#background.filter((each) => which.test(each.typed)).reverse()) {
      child.signal('SIGINT');
      const ended = await child.ended;
      if (ended.exitCode !== exitCode) {
        wrong.push(`"${typed}" ended with ${ended.exitCode} after Ctrl-C, wanted ${exitCode}: ${tail(ended.output)}`);
      }
    }
    this.#background = this.#background.filter((each) => !which.test(each.typed));
    return wrong;
  }

  /** Ends all commands in the background, and deletes the folder. @returns a sentence for each wrong exit code */
  async close(): Promise<readonly string[]> {
    const wrong = await this.end(/^/);
    rmSync(this.folder, { recursive: true });
    return wrong;
  }

  #start(typed: string, input: boolean): Child {
    return new Child(
      spawn('bash', ['-c', typed], {
        ...{ cwd: this.folder, env: { ...process.env, ...this.#env }, detached: true },
        stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      }),
    );
  }

  async #attend(child: Child, { ready, typed = [], interruptAfter }: Care): Promise<void> {
    await child.until(ready);
    for (const line of typed) {
      child.type(`${line}\n`);
      await sleep(1000);
    }
    if (interruptAfter === undefined) return child.endInput();
    await Promise.race([sleep(interruptAfter), child.ended]);
    child.signal('SIGINT');
  }
}

/** The last lines of an output, for a message. */
export function tail(output: string): string {
  return output.trim().split('\n').slice(-6).join('\n');
}

class Child {
  output = '';
  readonly ended: Promise<Ended>;
  readonly #process: ChildProcess;
  #isEnded = false;
  #look = () => {};

  constructor(process: ChildProcess) {
    this.#process = process;
    const read = (text: Buffer) => {
      this.output += text.toString();
      this.#look();
    };
    process.stdout?.on('data', read);
    process.stderr?.on('data', read);
    process.stdin?.on('error', () => {});
    this.ended = new Promise((resolve) => {
      process.on('close', (exitCode) => {
        this.#isEnded = true;
        this.#look();
        resolve({ exitCode, output: this.output });
      });
    });
  }

  /** Resolves when the output matches, when the process has ended, or after {@link START}. */
  until(ready: RegExp): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, START);
      this.#look = () => {
        if (!this.#isEnded && !ready.test(this.output)) return;
        clearTimeout(timer);
        resolve();
      };
      this.#look();
    });
  }

  type(text: string): void {
    this.#process.stdin?.write(text);
  }

  endInput(): void {
    this.#process.stdin?.end();
  }

  /** Sends a signal to all processes of the command, as a terminal does. */
  signal(name: NodeJS.Signals): void {
    if (!this.#isEnded && this.#process.pid !== undefined) process.kill(-this.#process.pid, name);
  }
}
