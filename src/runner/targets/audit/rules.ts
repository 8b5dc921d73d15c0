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

/** The sentences for undecided rules. */
const UNREAD = 'not decidable: the run ended before the last messages of the target were read';
const CLOCK = 'not decidable: the clock of the target is not known exactly enough';

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
  /** Number of cases that look like violations and that the error of the target's clock can explain. */
  readonly unclear: number;
}

/** Counts checks and violations by rule, and keeps the first violation of each. */
export class Findings {
  readonly #tallies = new Map<RuleName, RuleTally>();

  noteChecked(rule: RuleName): void {
    this.#add({ ...makeEmptyTally(rule), checked: 1 });
  }

  /** A case that would be a violation if the error of the target's clock could not explain it. */
  noteUnclear(rule: RuleName): void {
    this.#add({ ...makeEmptyTally(rule), unclear: 1 });
  }

  noteBroken(rule: RuleName, breach: Breach): void {
    this.#add({ ...makeEmptyTally(rule), broken: 1, first: breach });
  }

  /** @param open rules that could not be checked to the end */
  tallies(open: readonly RuleName[]): readonly RuleTally[] {
    for (const rule of open) this.#add({ ...makeEmptyTally(rule), open: true });
    return [...this.#tallies.values()];
  }

  #add(tally: RuleTally): void {
    const known = this.#tallies.get(tally.rule);
    this.#tallies.set(tally.rule, known ? sum(known, tally) : tally);
  }
}

function makeEmptyTally(rule: RuleName): RuleTally {
  return { rule, checked: 0, broken: 0, first: undefined, open: false, unclear: 0 };
}

function sum(one: RuleTally, other: RuleTally): RuleTally {
  const isEarlier = other.first !== undefined && (one.first === undefined || other.first.at < one.first.at);
  return {
    rule: one.rule,
    checked: one.checked + other.checked,
    broken: one.broken + other.broken,
    first: isEarlier ? other.first : one.first,
    open: one.open || other.open,
    unclear: one.unclear + other.unclear,
  };
}

/**
 * The reason for which the result of the run is invalid if the clock of the target leaves rules undecided; null otherwise.
 * @param tallies may contain several tallies of a rule, from the parts of a run
 */
export function findClockSpoiling(tallies: readonly RuleTally[]): string | null {
  const unclear = tallies.some(({ unclear: cases, rule }) => {
    return cases > 0 && !tallies.some((other) => other.rule === rule && other.broken > 0);
  });
  return unclear ? 'the clock of the target was corrected during the run, or is not known exactly enough' : null;
}

/**
 * The result of every rule that was checked or violated, in the order of a report.
 * @param tallies may contain several tallies of a rule, from the parts of a run
 */
export function judgeRules(
  tallies: readonly RuleTally[],
  nameOf: (serial: number) => string,
): readonly ExpectationResult[] {
  return Object.entries(RULES).flatMap(([name, line]) => {
    const same = tallies.filter(({ rule }) => rule === name);
    const { checked, broken, first, open, unclear } = same.reduce(sum, makeEmptyTally(name as RuleName));
    if (open && first === undefined)
      return { line, passed: false, undecided: true, left: null, right: 0, unit: 'count', sentence: UNREAD };
    if (unclear > 0 && first === undefined)
      return { line, passed: false, undecided: true, left: null, right: 0, unit: 'count', sentence: CLOCK };
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
