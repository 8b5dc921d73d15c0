/** What the audit of a target checks, and what it has found. */
import { humanCount } from '../../../kernel/quantity.js';
import { humanDuration, type Instant, sinceStart } from '../../../kernel/time.js';
import type { ExpectationResult } from '../../../report/result.js';

/** The rules in the order of a report. Each text says what a cloud does that keeps the rule. */
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

/** Why a rule is not decided. */
const UNKNOWN = 'not decidable: the run ended before the last messages of the target were read';

type RuleName = keyof typeof RULES;

/** A violation of a rule, as a clause: `data uplink 5 was acknowledged and is not stored`. */
interface Breach {
  readonly at: Instant;
  readonly serial: number;
  readonly what: string;
}

interface Tally {
  checked: number;
  broken: number;
  first: Breach | undefined;
}

/** Counts checks and violations by rule, and keeps the first violation of each. */
export class Findings {
  readonly #tallies = new Map<RuleName, Tally>();

  checked(rule: RuleName): void {
    this.#of(rule).checked++;
  }

  broken(rule: RuleName, breach: Breach): void {
    const tally = this.#of(rule);
    tally.broken++;
    if (tally.first === undefined || breach.at < tally.first.at) tally.first = breach;
  }

  /**
   * A line for every rule that was checked or violated.
   * @param open rules that could not be checked to the end; without a violation they are not decided
   */
  results(nameOf: (serial: number) => string, open: readonly RuleName[]): readonly ExpectationResult[] {
    return Object.entries(RULES).flatMap(([name, line]) => {
      const { checked, broken, first } = this.#of(name as RuleName);
      const undecided = open.includes(name as RuleName) && first === undefined;
      if (undecided) return { line, passed: false, undecided, left: null, right: 0, unit: 'count', sentence: UNKNOWN };
      if (checked === 0 && first === undefined) return [];
      const verdict = { line, passed: first === undefined, left: broken, right: 0, unit: 'count' as const };
      if (first === undefined) return { ...verdict, sentence: `held in all ${humanCount(checked)} cases` };
      const { at, serial, what } = first;
      const where = `${humanDuration(sinceStart(at))} for ${nameOf(serial)}`;
      const times = `violated in ${humanCount(broken)} of ${humanCount(Math.max(checked, broken))} cases`;
      return { ...verdict, sentence: `${times}, first at ${where}: ${what}` };
    });
  }

  #of(rule: RuleName): Tally {
    const known = this.#tallies.get(rule);
    if (known !== undefined) return known;
    const fresh = { checked: 0, broken: 0, first: undefined };
    this.#tallies.set(rule, fresh);
    return fresh;
  }
}
