/** The rules that the audit of a target checks, and the results. */
import { humanCount } from '../../../kernel/quantity.js';
import { humanDuration, type Instant, sinceStart } from '../../../kernel/time.js';
import type { ExpectationResult } from '../../../report/result.js';

/** The rules in the order of a report. Each text describes a cloud that keeps the rule. */
const RULES = {
  stored: 'the target stores every uplink that it acknowledges',
  content: 'the target stores what the devices sent',
  once: 'the target stores every uplink once',
  order: 'the target stores data uplinks in the order in which they were sent',
  queued: 'the target queues one downlink for each accepted request',
  delivered: 'the target delivers what was queued, once',
  turn: 'the target delivers downlinks of one type in the order in which they were queued',
  sent: 'the target says "sent" only of downlinks that the device has received',
} as const;

/** The sentence for an undecided rule. */
const UNKNOWN = 'not decidable: the run ended before the last messages of the target were read';

type RuleName = keyof typeof RULES;

/** A violation of a rule. `what`: a clause, such as `data uplink 5 was acknowledged and is not stored`. */
interface Breach {
  readonly at: Instant;
  readonly serial: number;
  readonly what: string;
}

/** The results for a rule. They are plain data, because the parts of a divided run send them to the run. */
export interface RuleTally {
  readonly rule: RuleName;
  readonly checked: number;
  readonly broken: number;
  readonly first: Breach | undefined;
  /** Whether the check of the rule is incomplete: without a violation, the rule is then undecided. */
  readonly open: boolean;
}

/** Counts checks and violations by rule, and keeps the first violation of each. */
export class Findings {
  readonly #tallies = new Map<RuleName, RuleTally>();

  checked(rule: RuleName): void {
    this.#add({ ...nothing(rule), checked: 1 });
  }

  broken(rule: RuleName, breach: Breach): void {
    this.#add({ ...nothing(rule), broken: 1, first: breach });
  }

  /** @param open rules that could not be checked to the end */
  tallies(open: readonly RuleName[]): readonly RuleTally[] {
    for (const rule of open) this.#add({ ...nothing(rule), open: true });
    return [...this.#tallies.values()];
  }

  #add(tally: RuleTally): void {
    const known = this.#tallies.get(tally.rule);
    this.#tallies.set(tally.rule, known ? sum(known, tally) : tally);
  }
}

function nothing(rule: RuleName): RuleTally {
  return { rule, checked: 0, broken: 0, first: undefined, open: false };
}

function sum(one: RuleTally, other: RuleTally): RuleTally {
  const isEarlier = other.first !== undefined && (one.first === undefined || other.first.at < one.first.at);
  return {
    rule: one.rule,
    checked: one.checked + other.checked,
    broken: one.broken + other.broken,
    first: isEarlier ? other.first : one.first,
    open: one.open || other.open,
  };
}

/**
 * The result of every rule that was checked or violated, in the order of a report.
 * @param tallies may contain several tallies of a rule, from the parts of a run
 */
export function ruleResults(
  tallies: readonly RuleTally[],
  nameOf: (serial: number) => string,
): readonly ExpectationResult[] {
  return Object.entries(RULES).flatMap(([name, line]) => {
    const same = tallies.filter(({ rule }) => rule === name);
    // The cast is safe because the names are the keys of `RULES`.
    const { checked, broken, first, open } = same.reduce(sum, nothing(name as RuleName));
    if (open && first === undefined)
      return { line, passed: false, undecided: true, left: null, right: 0, unit: 'count', sentence: UNKNOWN };
    if (checked === 0 && first === undefined) return [];
    const verdict = { line, passed: first === undefined, left: broken, right: 0, unit: 'count' as const };
    if (first === undefined) {
      const cases = checked === 1 ? 'the only case' : `all ${humanCount(checked)} cases`;
      return { ...verdict, sentence: `held in ${cases}` };
    }
    const { at, serial, what } = first;
    const where = `${humanDuration(sinceStart(at))} for ${nameOf(serial)}`;
    const all = Math.max(checked, broken);
    const times = all === 1 ? 'the only case,' : `${humanCount(broken)} of ${humanCount(all)} cases, first`;
    return { ...verdict, sentence: `violated in ${times} at ${where}: ${what}` };
  });
}
