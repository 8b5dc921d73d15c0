/** Carries out a search with its files, its time limit and the runs of an earlier search. */
import { join } from 'node:path';
import { readRegular } from '../input/text-file.js';
import { EXIT, GhostfleetError, UsageError } from '../kernel/errors.js';
import { levelText } from '../kernel/quantity.js';
import { RealClock } from '../kernel/real-clock.js';
import { formatDuration, type Millis } from '../kernel/time.js';
import { findRealPath, writeWhole } from '../kernel/write-files.js';
import { capacityHtml } from '../report/capacity/html.js';
import { capacityJson, readCapacity } from '../report/capacity/json.js';
import { capacityJunit } from '../report/capacity/junit.js';
import type { CapacityQuestion, CapacityResult, LevelRun } from '../report/capacity/result.js';
import { questionText } from '../report/capacity/words.js';
import { searchCapacity } from '../runner/capacity/capacity.js';
import type { Levels } from '../runner/capacity/levels.js';
import type { Question } from '../runner/capacity/question.js';
import { planDigest } from '../scenario/plan/describe.js';
import { beginRun, CAPACITY_FILES, openReports, type RunFolder } from './run-files.js';

interface SearchSettings {
  readonly question: Question;
  readonly levels: Levels;
  /** Folder for the files of the search; undefined for none, or that of `continued`. */
  readonly out: string | undefined;
  /** Folder of an earlier search that this one continues. */
  readonly continued: string | undefined;
  /** Time limit. */
  readonly budget: Millis | undefined;
  /** Ends the search as an interrupt does. */
  readonly signal: AbortSignal | undefined;
  /** What to add if the generator is the limit. */
  readonly more: string;
  readonly reproduce: string;
  readonly onRun: (run: LevelRun) => void;
}

/**
 * Searches, and writes the files. After each run, `capacity.json` has everything that is known, so that a search that was
 * killed can be continued.
 * @throws UsageError if a file cannot be read or written, or the earlier search was another one
 */
export async function search(settings: SearchSettings): Promise<CapacityResult> {
  const { question, continued, budget, signal, more, reproduce, onRun } = settings;
  const known = continued === undefined ? [] : earlierRuns(continued, question);
  const out = settings.out ?? continued;
  const folder = out === undefined ? undefined : openFolder(out, continued);
  const write = (name: keyof typeof CAPACITY_FILES, text: string) => {
    if (folder !== undefined) writeWhole(join(folder.path, CAPACITY_FILES[name]), text);
  };
  const clock = new RealClock();
  const over = new AbortController();
  const alarm =
    budget === undefined ? undefined : clock.after(budget, 'the time limit of the search', () => over.abort());
  const ended = () => {
    if (signal?.aborted) return { why: 'interrupted', exitCode: EXIT.interrupted };
    if (!over.signal.aborted || budget === undefined) return undefined;
    return { why: `stopped after ${formatDuration(budget)}; --budget sets the time limit`, exitCode: EXIT.stuck };
  };
  try {
    const result = await searchCapacity({
      question,
      levels: settings.levels,
      known,
      signal: AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]),
      ended: () => {
        const end = ended();
        const next = out === undefined ? '' : `; continue with --continue ${out}`;
        return end && { ...end, why: `${end.why}${next}` };
      },
      more,
      reproduce,
      onRun: (run, soFar) => {
        write('json', capacityJson(soFar));
        onRun(run);
      },
    });
    write('json', capacityJson(result));
    write('html', capacityHtml(result));
    write('junit', capacityJunit(result));
    return result;
  } finally {
    alarm?.cancel();
    folder?.end();
  }
}

/** A search keeps the files of the one that it continues, and replaces those of another search or of a run. */
function openFolder(out: string, continued: string | undefined): RunFolder {
  const isContinued = continued !== undefined && findRealPath(out) === findRealPath(continued);
  return isContinued ? openReports(out, Object.values(CAPACITY_FILES)) : beginRun(out);
}

/** What the search varies, from where to where, how exactly, and what it asks. */
function searchText(question: Omit<CapacityQuestion, 'seed' | 'clock'>): string {
  const { atLeast, unit } = question;
  return `${questionText(question)}${atLeast === null ? '' : `, at least ${levelText(atLeast, unit)}`}`;
}

/** The runs of an earlier search that answer this question, too. @throws UsageError if none of them does */
function earlierRuns(path: string, { asked, planAt }: Question): readonly LevelRun[] {
  const file = join(path, CAPACITY_FILES.json);
  const { question, runs } = readCapacity(readRegular(file), file);
  const other = (what: string) =>
    new UsageError('other-search', `"${path}" has another search: ${what}`, 'use another folder with --out');
  if (question.scenario !== asked.scenario) throw other(`of the scenario "${question.scenario}"`);
  if (question.target !== asked.target) throw other(`against ${question.target}`);
  // Its files keep only the runs that the continued search uses.
  if (searchText(question) !== searchText(asked)) {
    const without = question.atLeast === null && asked.atLeast !== null ? ', without --at-least' : '';
    throw other(`of ${searchText(question)}${without}`);
  }
  const same = runs.filter(({ value, repetition, plan }) => {
    try {
      return planDigest(planAt(value, repetition)) === plan;
    } catch (error) {
      // The scenario has changed such that it is not valid at this level.
      if (error instanceof GhostfleetError) return false;
      throw error;
    }
  });
  if (runs.length > 0 && same.length === 0) throw other('its scenario, seed, hold or warm-up was different');
  return same;
}
