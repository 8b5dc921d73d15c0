/** Time travel: repeats a run up to a moment, for changes by users, and compares its end with an unchanged repetition. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { DeviceCloudClient } from '../client/client.js';
import type { History } from '../client/types.js';
import type { PastRun, RunComparison, RunEnd, TimeTravel } from '../control/travel.js';
import { EXIT, InterruptedError, UsageError } from '../kernel/errors.js';
import type { Pace } from '../kernel/pace.js';
import { makeTemporaryDirectory } from '../kernel/private-directory.js';
import { exactDuration, type Millis, sinceStart } from '../kernel/time.js';
import type { RunResult } from '../report/result.js';
import type { RunControl, RunOptions } from '../runner/run.js';
import type { Plan } from '../scenario/model/plan.js';
import { compareLogs, type LoggedEvent } from '../trace/diverge/compare.js';
import { eventSentence } from '../trace/event-words.js';
import type { LineSink } from '../trace/log.js';
import { FileSink } from '../trace/sinks.js';

/** Repeats the run with some options changed. */
export type Again = (
  options: Pick<RunOptions, 'plan' | 'sinks' | 'pace'> & Pick<RunOptions, 'started'>,
) => Promise<RunResult>;

interface Console {
  readonly link: string;
  /** @param why a sentence for users who have the console open */
  close(why: string): Promise<void>;
}

interface PastRunsOptions {
  readonly again: Again;
  /** The plan with the faults that users have injected and lifted so far. */
  readonly happened: () => Plan;
  /** The simulated time that the original run has reached. */
  readonly now: () => Millis;
  /** The speed at which a run of the past continues from its moment. */
  readonly speed: () => number;
  /** @param at the moment, in ms since the start */
  readonly openConsole: (control: RunControl, at: Millis) => Promise<Console | undefined>;
}

interface Open {
  readonly shown: PastRun;
  readonly plan: Plan;
  readonly folder: string;
  readonly pace: Pace;
  readonly page: Console;
  readonly control: RunControl;
  readonly result: Promise<RunResult>;
}

interface Ended {
  readonly shown: PastRun;
  /** Left out if another run of the past has ended it. */
  readonly comparison?: RunComparison;
}

/** As fast as possible: time waits only for sockets. */
const FAST = 1e9;
/** Maximum number of open runs of the past. When another one begins, the oldest one ends. */
const MOST = 2;
/** How many ended runs are remembered, so that users can go back to their moments again, or look at their comparison. */
const MOST_ENDED = 5;

export class PastRuns implements TimeTravel {
  readonly #options: PastRunsOptions;
  #open: readonly Open[] = [];
  #ended: readonly Ended[] = [];
  readonly #beingCompared = new WeakSet<Open>();
  #count = 0;
  /** Begins runs of the past one after another, because each beginning first counts the open runs. */
  readonly #turns = new PQueue({ concurrency: 1 });

  constructor(options: PastRunsOptions) {
    this.#options = options;
  }

  get all(): readonly PastRun[] {
    const open = this.#open.map((each) => ({ ...each.shown, comparing: this.#beingCompared.has(each) }));
    return [...this.#ended.map(({ shown }) => shown), ...open];
  }

  back(at: Millis): Promise<PastRun> {
    return this.#turns.add(() => this.#back(at));
  }

  async #back(at: Millis): Promise<PastRun> {
    const plan = this.#options.happened();
    const now = this.#options.now();
    if (at > now) throw new UsageError('bad-moment', `the run has only reached ${exactDuration(Math.floor(now))}`);
    const [oldest] = this.#open;
    if (oldest && this.#open.length >= MOST) await this.#giveUp(oldest);
    const folder = makeTemporaryDirectory('ghostfleet-past-');
    const opened = await this.#runUntil(at, plan, folder).catch((error: unknown) => {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    });
    this.#open = [...this.#open, opened];
    this.#ended = this.#ended.filter(({ shown, comparison }) => comparison || shown.at_ms !== at);
    return opened.shown;
  }

  async compare(id: string, lasts?: Millis): Promise<RunComparison | undefined> {
    const fork = this.#open.find(({ shown }) => shown.id === id);
    if (!fork) return this.#ended.find(({ shown }) => shown.id === id)?.comparison;
    if (this.#beingCompared.has(fork))
      throw new UsageError('bad-moment', 'this run of the past is being compared already');
    this.#beingCompared.add(fork);
    try {
      return await this.#compare(fork, lasts);
    } finally {
      this.#beingCompared.delete(fork);
    }
  }

  async #compare(fork: Open, lasts: Millis | undefined): Promise<RunComparison> {
    const { folder, plan, pace, control } = fork;
    const until = Math.min(plan.duration, lasts === undefined ? plan.duration : sinceStart(pace.now) + lasts);
    const forked = this.#endAt(until, plan, control, fork.result);
    pace.speed = FAST;
    pace.resume();
    const end = await forked;
    const path = join(folder, 'original.jsonl');
    const original = await new Promise<RunEnd>((resolve, reject) => {
      const result: Promise<RunResult> = this.#options.again({
        plan,
        pace: FAST,
        sinks: [new FileSink(path)],
        started: (begun) => this.#endAt(until, plan, begun, result).then(resolve, reject),
      });
      result.catch(reject);
    });
    const { difference, same } = compareLogs(path, join(folder, 'events.jsonl'));
    await this.#end(fork, 'This run of the past has been compared with the original, and has ended.');
    const names = new Map(plan.devices.map((device) => [device.serial, device.name]));
    const [a, b] = [difference?.a, difference?.b];
    const at = Math.min(a?.event.at ?? Number.POSITIVE_INFINITY, b?.event.at ?? Number.POSITIVE_INFINITY);
    const comparison: RunComparison = {
      until_ms: until,
      original,
      fork: end,
      same,
      // Runs that are stopped may have other events in their last instant.
      difference:
        difference === undefined || (until < plan.duration && at >= until)
          ? null
          : { at_ms: Math.round(at), original: ownEvent(a, names), fork: ownEvent(b, names) },
    };
    this.#remember({ shown: { ...fork.shown, link: null, compared: true }, comparison });
    return comparison;
  }

  /** Ends the run at a moment, unless it ends by itself, and describes it. */
  async #endAt(until: Millis, plan: Plan, { world, stop }: RunControl, result: Promise<RunResult>): Promise<RunEnd> {
    const { pace, api } = world ?? {};
    if (!world || !pace || !api) throw new UsageError('bad-moment', 'the run has no pace');
    let history: History | null = null;
    // One millisecond before the end, the cloud still answers.
    pace.after(Math.max(0, until - 1 - sinceStart(pace.now)), 'the end of a comparison', () => {
      pace.pause();
      void readHistory(api).then((read) => {
        history = read;
        if (until < plan.duration) stop(new InterruptedError('a comparison'));
        else pace.resume();
      });
    });
    const ended = await result;
    return { ...describeEnd(ended), faults: world.faults.all(), history };
  }

  async close(): Promise<void> {
    await this.#turns.onIdle();
    for (const each of this.#open)
      await this.#end(each, 'The original run has ended, and this run of the past with it.');
  }

  /** Ends a run of the past because another one begins. */
  async #giveUp(past: Open): Promise<void> {
    const { at_ms } = past.shown;
    this.#ended = this.#ended.filter(({ shown, comparison }) => comparison || shown.at_ms !== at_ms);
    this.#remember({ shown: { ...past.shown, link: null } });
    const moment = exactDuration(Math.floor(at_ms));
    await this.#end(
      past,
      `This run of the past has ended, because another one was begun: at most ${MOST} are open. To enter it again, ` +
        `go back to ${moment} on the page Run of the original run.`,
    );
  }

  #remember(ended: Ended): void {
    this.#ended = [...this.#ended.slice(1 - MOST_ENDED), ended];
  }

  #runUntil(at: Millis, plan: Plan, folder: string): Promise<Open> {
    const { again, openConsole, speed } = this.#options;
    return new Promise((resolve, reject) => {
      const begun = async (control: RunControl): Promise<void> => {
        const { pace } = control.world ?? {};
        if (!pace) throw new UsageError('bad-moment', 'the run has no pace');
        const reached = new Promise<void>((there) => {
          pace.after(at, 'the moment of a time travel', () => {
            pace.pause();
            there();
          });
        });
        const page = await openConsole(control, at);
        if (!page) throw new UsageError('bad-moment', 'the console cannot be opened');
        // A run that has failed, for example because its time was held, never gets there.
        const ended = result.then(({ failure }) => Promise.reject(endedEarly(at, failure)));
        await Promise.race([reached, ended]).catch(async (error: unknown) => {
          await page.close('This run of the past could not be repeated up to its moment.');
          throw error;
        });
        pace.speed = speed();
        const shown = { id: `past-${++this.#count}`, at_ms: at, link: page.link, comparing: false, compared: false };
        resolve({ shown, plan, folder, pace, page, control, result });
      };
      const result = again({
        plan,
        pace: FAST,
        sinks: [dropActions(new FileSink(join(folder, 'events.jsonl')))],
        started: (control) =>
          void begun(control).catch((error: unknown) => {
            control.stop(new InterruptedError('SIGINT'));
            reject(error);
          }),
      });
      result.catch(reject);
    });
  }

  async #end(past: Open, why: string): Promise<void> {
    this.#open = this.#open.filter((each) => each !== past);
    past.control.stop(new InterruptedError('SIGINT'));
    await past.result.catch(() => {});
    await past.page.close(why);
    rmSync(past.folder, { recursive: true, force: true });
  }
}

function endedEarly(at: Millis, failure: string | null): UsageError {
  const why = failure === null ? '' : `: ${failure}`;
  return new UsageError('bad-moment', `the repeated run ended before ${exactDuration(Math.floor(at))}${why}`);
}

/** The log without the actions of users, so that the first difference of two logs is an effect of an action. */
function dropActions(log: LineSink): LineSink {
  const isAction = (line: string) => line.includes('"kind":"console.action"');
  return {
    write: (lines) =>
      log.write(
        lines
          .split('\n')
          .filter((line) => !isAction(line))
          .join('\n'),
      ),
    close: () => log.close(),
  };
}

/** Null if the cloud does not answer, for example because a fault has stopped it. */
async function readHistory({
  baseUrl,
  spaceId,
  apiKey,
}: NonNullable<RunControl['world']>['api']): Promise<History | null> {
  const client = new DeviceCloudClient({ baseUrl, spaceId, apiKey, connections: 1 });
  try {
    return await client.history();
  } catch {
    return null;
  } finally {
    await client.close();
  }
}

function ownEvent(line: LoggedEvent | undefined, names: ReadonlyMap<number, string>) {
  if (line === undefined) return null;
  const { event, text } = line;
  return { sentence: eventSentence(event, (serial) => names.get(serial) ?? String(serial)), text };
}

function describeEnd({
  passed,
  exitCode,
  failure,
  digest,
  events,
  expectations,
}: RunResult): Omit<RunEnd, 'faults' | 'history'> {
  const isStopped = exitCode === EXIT.interrupted;
  return {
    passed: isStopped ? expectations.every((each) => each.passed || each.undecided) : passed,
    failure: isStopped ? null : failure,
    digest,
    events,
    expectations: expectations.map(({ line, passed: holds, undecided = false, sentence }) => ({
      line,
      passed: holds,
      undecided,
      sentence,
    })),
  };
}
