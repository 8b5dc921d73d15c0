/**
 * Recorded requests that a load replays, each with its gap to the one before: a HAR file, as browsers and proxies write it, or an
 * access log. Credentials of a recording are left out, and so is every request that cannot be replayed.
 */
import {
  type Check,
  describeKey,
  optional,
  positiveNumber,
  record,
  refine,
  shortOrMap,
  text,
} from '../../input/checks.js';
import type { Problems } from '../../input/document.js';
import type { NamedText } from '../../input/text-file.js';
import { foreignJson } from '../../kernel/json-text.js';
import type { Millis } from '../../kernel/time.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import { readAccessLog } from './access-log.js';
import { ArrivalTrace, replayTime } from './arrival-trace.js';
import { readHar } from './har.js';
import type { RecordedRequest } from './recorded-request.js';

/** The requests of a load. A plan has their number and fingerprint. */
class RecordedRequests {
  readonly list: readonly RecordedRequest[];

  constructor(list: readonly RecordedRequest[]) {
    this.list = list;
  }

  toJSON(): { readonly requests: number; readonly print: string } {
    return { requests: this.list.length, print: contentFingerprint(JSON.stringify(this.list)) };
  }
}

/** A recording, for a plan. */
export interface RecordedSpec {
  readonly kind: 'recorded';
  readonly file: string;
  readonly requests: RecordedRequests;
  /** Number of entries that are left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** How a recording is replayed. */
interface ReplayOptions {
  readonly file: string;
  /** Address of the recorded API; for a log, the beginning of its paths. */
  readonly base: string | undefined;
  readonly speed: number;
}

const replayMap: Check<ReplayOptions> = record('a replay', {
  file: describeKey('HAR file or access log, relative to the scenario.', 'morning.har', text()),
  base: optional(
    describeKey('Address of the recorded API; other requests are left out.', 'https://cloud.example', text()),
  ),
  speed: optional(describeKey('How many times as fast as it was recorded. Default: 1.', 2, positiveNumber), 1),
});

/** `access.log`, or `{ file: morning.har, base: https://cloud.example, speed: 2 }`. */
export const replayOptions = shortOrMap<ReplayOptions>(
  refine(text(), (file) => ({ file, base: undefined, speed: 1 })),
  replayMap,
);

export const REPLAY = {
  about: 'sends the requests of a HAR file or an access log again, with their gaps',
  example: 'replay: { file: morning.har, base: https://cloud.example }',
  check: replayOptions,
} as const;

/** Reads a file, and notes problems. Undefined if there are any. @param length time of the load */
export function readRecorded(
  { file, text: given }: NamedText,
  { file: name, base, speed }: ReplayOptions,
  length: Millis,
  problems: Problems,
): { readonly call: RecordedSpec; readonly trace: ArrivalTrace } | undefined {
  const before = problems.list.length;
  const content = given.replace(/^\uFEFF/, '');
  const foreign = findForeign(content);
  if (foreign !== undefined) {
    const wanted = 'expected a HAR file, or an access log in the common or combined format';
    problems.add({ file, line: 1, column: 1 }, `${foreign}; ${wanted}`);
    return undefined;
  }
  const read = /^\s*[[{]/.test(content) ? readHar : readAccessLog;
  const entries = read(content, file, base, problems);
  if (problems.list.length > before) return undefined;
  const skipped: Record<string, number> = {};
  const skip = (why: string) => {
    skipped[why] = (skipped[why] ?? 0) + 1;
  };
  const timed = entries.flatMap((entry) => {
    if ('request' in entry) return [entry];
    skip(entry.skipped);
    return [];
  });
  // Logs have the order of the answers. The sort is stable: requests of the same time keep their order.
  timed.sort((one, other) => one.at - other.at);
  const zero = timed[0]?.at ?? 0;
  const due = timed.map(({ at, request }) => ({ at: replayTime(at - zero, speed), request }));
  const kept = due.filter(({ at }) => at < length);
  for (let i = kept.length; i < due.length; i++) skip('after the end of the load');
  if (kept.length === 0) {
    problems.add({ file, line: 1, column: 1 }, `no request can be replayed${describeSkipped(skipped)}`);
    return undefined;
  }
  const requests = new RecordedRequests(kept.map(({ request }) => request));
  return {
    call: { kind: 'recorded', file: name, requests, skipped },
    trace: new ArrivalTrace(kept.map(({ at }) => at)),
  };
}

/** What a file is instead of a recording, if its beginning shows it. */
function findForeign(content: string): string | undefined {
  if (content.trim() === '') return 'the file is empty';
  if (content.slice(0, LONGEST_BEGINNING).includes('\0')) return 'the file is not a text';
  const [line = ''] = content.trimStart().slice(0, LONGEST_BEGINNING).split('\n', 1);
  const value = foreignJson(line);
  const isOther = typeof value === 'object' && value !== null && !('log' in value);
  return isOther ? 'the file has another form of JSON, such as a log with an object on each line' : undefined;
}

/** Characters of a file that show what it is. */
const LONGEST_BEGINNING = 100_000;

/** `; left out: 3 × another address, 2 × OPTIONS`; empty for none. */
export function describeSkipped(skipped: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(skipped).map(([why, count]) => `${count} × ${why}`);
  return reasons.length === 0 ? '' : `; left out: ${reasons.join(', ')}`;
}
