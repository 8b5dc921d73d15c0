/** The likely cause of an expectation that fails: what the run knows about the metrics that it names. */
import { humanCount } from '../../kernel/quantity.js';
import { humanDuration, type Millis } from '../../kernel/time.js';
import { countReason, listReasons } from './calls.js';
import type { RunSummary } from './index.js';

/** The slowest downlink of a run. */
export interface SlowestDownlink {
  readonly device: string;
  readonly took: Millis;
  /** What it waited for, longest first. */
  readonly waits: readonly { readonly what: string; readonly time: Millis }[];
}

export type Diagnosed = Pick<RunSummary, 'fleet' | 'uplinks' | 'updates' | 'calls' | 'faults'>;

/** Most reasons in a sentence. */
const MOST = 3;

/**
 * A sentence; undefined if nothing is known.
 * @param line the expectation, such as `downlink.delivered p(95) < 45m`
 * @param runs the runs in which it fails
 * @param findSlowest called only for an expectation about downlinks, with the selector of their devices if it has one
 */
export function findRedCause(
  line: string,
  runs: readonly Diagnosed[],
  findSlowest: (selector: string | undefined) => SlowestDownlink | undefined,
): string | undefined {
  const metric = /\b(downlink|update|uplink|call|iteration|device)\.[a-z]/.exec(line)?.[1];
  switch (metric) {
    case 'downlink': {
      const [, selector] = / (?:of|by) (.+?)(?= (?:[<>=!+*/-]|and\b|or\b)|$)/.exec(line) ?? [];
      const slowest = findSlowest(selector);
      const [longest] = slowest?.waits ?? [];
      if (slowest === undefined || longest === undefined) return undefined;
      const time = humanDuration(slowest.took);
      return `The slowest downlink, to ${slowest.device}, took ${time}: ${humanDuration(longest.time)} for ${longest.what}.`;
    }
    case 'update':
      return listCounts('Updates failed', runs, ({ updates }) => updates?.reasons);
    case 'uplink':
      return (
        listCounts('Reports were dropped', runs, ({ uplinks }) => uplinks.reasons) ??
        listCounts('The network hit datagrams', runs, ({ faults }) => faults)
      );
    case 'call':
    case 'iteration':
      return listFailures(line, runs);
    case 'device':
      return listCounts('Devices lack', runs, ({ fleet }) => fleet.lacking);
    default:
      return undefined;
  }
}

/** The failures of the load that the expectation names, or of all loads. */
function listFailures(line: string, runs: readonly Diagnosed[]): string | undefined {
  const name = / of load\/(\S+)/.exec(line)?.[1];
  const reasons = listReasons(runs.map(({ calls }) => calls))
    .filter(({ load }) => name === undefined || load === name || load.startsWith(`${name}/`))
    .sort((a, b) => b.count - a.count);
  return listFirst('Requests failed', reasons.map(countReason));
}

/** `Updates failed: 4 × reverted` */
function listCounts(
  what: string,
  runs: readonly Diagnosed[],
  countsOf: (run: Diagnosed) => Readonly<Record<string, number>> | undefined,
): string | undefined {
  const sums = new Map<string, number>();
  for (const [reason, count] of runs.flatMap((run) => Object.entries(countsOf(run) ?? {}))) {
    sums.set(reason, (sums.get(reason) ?? 0) + count);
  }
  const sorted = [...sums].sort(([, a], [, b]) => b - a);
  return listFirst(
    what,
    sorted.map(([reason, count]) => `${humanCount(count)} × ${reason}`),
  );
}

function listFirst(what: string, reasons: readonly string[]): string | undefined {
  if (reasons.length === 0) return undefined;
  return `${what}: ${reasons.slice(0, MOST).join('; ')}${reasons.length > MOST ? '; and others' : ''}.`;
}
