/**
 * What the tools of the MCP server act on: the folder of the user, the runs in it, the commands of this program, the runs in
 * real time of the user, and a cloud. All connections of a server share one desk.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DeviceCloudClient } from '../client/client.js';
import { type Connection, findRuns } from '../console/client.js';
import { didYouMean, quote } from '../input/problems.js';
import { pathInside, readRegular } from '../input/text-file.js';
import { UsageError } from '../kernel/errors.js';
import { foreignJson, isObject } from '../kernel/json-text.js';
import { makePrivateDirectory, makeTemporaryDirectory } from '../kernel/private-directory.js';
import { PRIVATE } from '../kernel/private-file.js';
import { RealClock } from '../kernel/real-clock.js';
import { isDirectory } from '../kernel/write-files.js';
import { EVENTS_FILE } from '../library/run-files.js';
import { REPORT_FILES } from '../report/renderers/index.js';
import { findPackagedPath, isPackagedFile, listPackaged } from './find-scenario.js';
import type { AnotherRun, EndedRun, Host } from './host.js';
import { findSummary, isRunFolder } from './run-folders.js';

interface DeskOptions {
  readonly host: Host;
  /** Scenarios and runs outside this folder are out of reach. */
  readonly folder: string;
  /** Whether tools may change devices, clouds and the folder. */
  readonly mayWrite: boolean;
  /** Connects to the cloud; undefined without `--target`. */
  readonly connect: (() => Promise<DeviceCloudClient>) | undefined;
}

/** A scenario that a client names, or whose text it sends. */
interface GivenScenario {
  readonly scenario?: string | undefined;
  readonly text?: string | undefined;
  readonly vars?: Readonly<Record<string, string>> | undefined;
}

/** The folder below the user's folder in which runs are kept. */
const RUNS = 'runs';

export class Desk {
  readonly mayWrite: boolean;
  readonly folder: string;
  readonly #host: Host;
  readonly #clock = new RealClock();
  readonly #connect: DeskOptions['connect'];
  #cloud: Promise<DeviceCloudClient> | undefined;
  /** The folder for runs that are deleted when the server ends, and for scenarios that a client sends as text. */
  #temporary: string | undefined;
  #count = 0;
  #texts = 0;
  readonly #children = new Set<AnotherRun>();

  constructor({ host, folder, mayWrite, connect }: DeskOptions) {
    this.mayWrite = mayWrite;
    this.folder = resolve(folder);
    this.#host = host;
    this.#connect = connect;
  }

  /** @throws UsageError without a cloud; see {@link DeviceCloudClient.connect} for other errors */
  async openCloud(): Promise<DeviceCloudClient> {
    if (this.#connect === undefined) {
      throw new UsageError(
        'no-cloud',
        'the server has no cloud: start it with "ghostfleet mcp --target URL", and with the API key in GHOSTFLEET_API_KEY',
      );
    }
    const connecting = this.#cloud ?? this.#connect();
    this.#cloud = connecting;
    try {
      return await connecting;
    } catch (error) {
      this.#cloud = undefined;
      throw error;
    }
  }

  /** Runs a command of this program in a process of its own, which `signal` ends. @throws UsageError with what it complains of */
  async carryOut(args: readonly string[], signal: AbortSignal): Promise<EndedRun> {
    signal.throwIfAborted();
    // A run names its scenario as its user did, in this folder. The server may have been started anywhere.
    const child = this.#host.again(args, { workingDirectory: this.folder });
    const stop = () => child.stop();
    signal.addEventListener('abort', stop);
    this.#children.add(child);
    try {
      return await child.ended;
    } finally {
      this.#children.delete(child);
      signal.removeEventListener('abort', stop);
    }
  }

  /** The result of a command that prints one JSON object. @throws UsageError with what the command complains of */
  async carryOutJson(args: readonly string[], signal: AbortSignal): Promise<EndedRun & { readonly value: unknown }> {
    const ended = await this.carryOut(args, signal);
    const value = foreignJson(ended.out);
    if (value === undefined) throw new UsageError('failed', this.readComplaint(ended));
    return { ...ended, value };
  }

  /** What a command has written to the error stream, without the names of temporary files. */
  readComplaint({ err, signal }: EndedRun): string {
    if (signal !== undefined) return `ended by ${signal}`;
    const text = this.#temporary === undefined ? err : err.replaceAll(`${this.#temporary}/`, '');
    return text.replace(/^ghostfleet: /, '').trim();
  }

  /** The runs in real time of the user to which consoles can attach. `use` must not keep them. */
  async withAttached<T>(use: (runs: readonly Connection[]) => Promise<T>): Promise<T> {
    const runs = await findRuns(this.#host.env, this.#clock);
    try {
      return await use(runs);
    } finally {
      for (const run of runs) run.close();
    }
  }

  /** A new name for a run of this server, and its folder. */
  nameRun(): { readonly name: string; readonly folder: string } {
    const name = `run-${++this.#count}`;
    return { name, folder: join(this.#openTemporary(), name) };
  }

  /** A folder for the results of a run that the user keeps. @throws UsageError unless the server may write it */
  findOutFolder(name: string): string {
    if (!this.mayWrite) throw new UsageError('read-only', '"out" needs a server with --allow-write');
    return pathInside(this.folder, name, 'is not in the folder of the server');
  }

  /** Names of the runs of this server, and of those in `runs/`. */
  listRuns(): readonly string[] {
    const kept = join(this.folder, RUNS);
    const names = isDirectory(kept) ? readdirSync(kept).sort() : [];
    const own = Array.from({ length: this.#count }, (_, i) => `run-${i + 1}`);
    return [
      ...own.filter((name) => isFinished(this.#ownFolder(name))),
      ...names.filter((name) => isFinished(join(kept, name))),
    ];
  }

  /** The folder of a run: one of {@link listRuns}, or a path below the folder. @throws UsageError for other names */
  findRun(name: string): string {
    const found = this.#lookUpRun(name);
    if (found !== undefined) return found;
    const near = didYouMean(name, this.listRuns());
    throw new UsageError('no-run', `unknown run ${quote(name)}${near}; "list_runs" lists them`);
  }

  /** {@link findRun} for a command that may repeat the run. @throws UsageError also for a run whose scenario is elsewhere */
  findRepeatedRun(name: string): string {
    const run = this.findRun(name);
    this.#checkSource(run);
    return run;
  }

  /** The folder of a run that is repeated, or else the path of a scenario: see {@link findScenario}. */
  findRunOrScenario(name: string): string {
    return this.#lookUpRun(name) === undefined ? this.findScenario(name) : this.findRepeatedRun(name);
  }

  /** Path of a scenario for a command. @throws UsageError unless it is packaged or in the folder */
  findScenario(name: string): string {
    const file = pathInside(this.folder, name, 'is neither a packaged scenario nor in the folder of the server');
    if (existsSync(file)) return file;
    const packaged = findPackagedPath(name);
    if (packaged !== undefined) return packaged;
    const near = didYouMean(name, listPackaged());
    throw new UsageError(
      'no-scenario',
      `${quote(name)} is neither a file in the folder nor a packaged scenario${near}`,
    );
  }

  /** The words of a command line for a scenario: its path, and its variables. */
  listScenarioWords({ scenario, text, vars = {} }: GivenScenario): readonly string[] {
    if ((scenario === undefined) === (text === undefined)) {
      throw new UsageError('bad-arguments', 'give either "scenario" or "text"');
    }
    const file = text === undefined ? this.findScenario(scenario ?? '') : this.#writeScenario(text);
    return [file, ...Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}=${value}`])];
  }

  /** Ends what is running, and removes the temporary folder. */
  async close(): Promise<void> {
    for (const child of this.#children) child.stop();
    await Promise.all([...this.#children].map(({ ended }) => ended));
    await (await this.#cloud?.catch(() => undefined))?.close();
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
  }

  /** A scenario of a client gets a folder without other files, because it may read the files in its folder. */
  #writeScenario(text: string): string {
    const folder = join(this.#openTemporary(), `scenario-${++this.#texts}`);
    const file = join(folder, 'scenario.yaml');
    makePrivateDirectory(folder);
    writeFileSync(file, text, { mode: PRIVATE.file });
    return file;
  }

  /** @throws UsageError for a path outside the folder */
  #lookUpRun(name: string): string | undefined {
    const inFolder = [join(RUNS, name), name].map((path) =>
      pathInside(this.folder, path, 'is not in the folder of the server'),
    );
    const own = /^run-\d+$/.test(name) ? [this.#ownFolder(name)] : [];
    const found = [...own, ...inFolder].find(isRunFolder);
    // The folder may be of another author, who can put links into it.
    if (found !== undefined) {
      for (const file of [REPORT_FILES.json, EVENTS_FILE]) pathInside(found, file, 'is not in the folder of the run');
    }
    return found;
  }

  /** The folder may be of another author, who can name any file as the scenario of a run. */
  #checkSource(run: string): void {
    if (!isFinished(run)) return;
    const summary = foreignJson(readRegular(join(run, REPORT_FILES.json)));
    const source = isObject(summary) && isObject(summary.source) ? summary.source.file : undefined;
    if (typeof source !== 'string') return;
    // A run of this server may have a text of its client as its scenario.
    const isOwn = this.#temporary !== undefined && resolve(source).startsWith(join(this.#temporary, 'scenario-'));
    if (isOwn || isPackagedFile(source)) return;
    pathInside(this.folder, source, 'is the scenario of the run, and not in the folder of the server');
  }

  #ownFolder(name: string): string {
    return join(this.#openTemporary(), name);
  }

  #openTemporary(): string {
    this.#temporary ??= makeTemporaryDirectory('ghostfleet-mcp-');
    return this.#temporary;
  }
}

function isFinished(run: string): boolean {
  return existsSync(findSummary(run));
}
