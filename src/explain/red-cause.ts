/** The likely cause of an expectation that fails: what the run knows about the metrics that it names. */
import { humanDuration, type Millis } from '../kernel/time.js';
import type { RunSummary } from '../trace/metrics/index.js';

/** The slowest downlink of a run. */
export interface SlowestDownlink {
  readonly device: string;
  readonly took: Millis;
  /** What it waited for, longest first. */
  readonly waits: readonly { readonly what: string; readonly time: Millis }[];
}

type Known = Pick<RunSummary, 'fleet' | 'uplinks' | 'updates' | 'calls' | 'faults'>;

/** Most reasons in a sentence. */
const MOST = 3;

/**
 * A sentence; undefined if nothing is known.
 * @param line the expectation, such as `downlink.delivered p(95) < 45m`
 * @param findSlowest called only for an expectation about downlinks
 */
export function findRedCause(
  line: string,
  { fleet, uplinks, updates, calls, faults }: Known,
  findSlowest: () => SlowestDownlink | undefined,
): string | undefined {
  const metric = /\b(downlink|update|uplink|call|device)\.[a-z]/.exec(line)?.[1];
  switch (metric) {
    case 'downlink': {
      const slowest = findSlowest();
      const [longest] = slowest?.waits ?? [];
      if (slowest === undefined || longest === undefined) return undefined;
      const time = humanDuration(slowest.took);
      return `The slowest downlink, to ${slowest.device}, took ${time}: ${humanDuration(longest.time)} for ${longest.what}.`;
    }
    case 'update':
      return listed('Updates failed', updates?.reasons);
    case 'uplink':
      return listed('Reports were dropped', uplinks.reasons) ?? listed('The network hit datagrams', faults);
    case 'call':
      return listed('Requests failed', sumOf(Object.values(calls).map(({ reasons }) => reasons)));
    case 'device':
      return listed('Devices lack', fleet.lacking);
    default:
      return undefined;
  }
}

/** `Updates failed: reverted (4)` */
function listed(what: string, counts: Readonly<Record<string, number>> = {}): string | undefined {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (sorted.length === 0) return undefined;
  const reasons = sorted.slice(0, MOST).map(([reason, count]) => `${reason} (${count.toLocaleString('en')})`);
  return `${what}: ${reasons.join(', ')}${sorted.length > MOST ? ', and others' : ''}.`;
}

function sumOf(all: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sum = new Map<string, number>();
  for (const [reason, count] of all.flatMap((each) => Object.entries(each))) {
    sum.set(reason, (sum.get(reason) ?? 0) + count);
  }
  return Object.fromEntries(sum);
}
