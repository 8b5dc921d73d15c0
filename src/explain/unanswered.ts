/** Why the answer to a downlink never came, or has not come yet. */
import { type Instant, minutes } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { JudgedChance } from './blockers.js';
import type { CauseNames } from './causes.js';
import type { DeviceFacts } from './facts.js';
import { isUnanswered } from './outcome.js';

interface Unanswered {
  /** When the device gave up sending its answer; the end of the trace if no event shows this. */
  readonly until: Instant;
  /**
   * The reason in a short phrase: `fragment in place of an acknowledgement (duplication 5%)`. Undefined during the run, as long
   * as no attempt has failed.
   */
  readonly why: string | undefined;
}

/** Note of an exchange whose datagram the device repeats (chances.ts). */
const REPEATED = 'no answer';

/** Reason if a recording ends so soon after the delivery that the answer may come later. */
export const CUT_OFF = 'the recording ended before the answer was due';
/** An answer may follow the delivery by this time, because the device may restart first. */
const ANSWERS_WITHIN = minutes(10);

const NOT_RECORDED: Readonly<Partial<Record<DownlinkRecord['type'], string>>> = {
  shell: 'the recording has none',
  config: 'the recording has no configuration with all its lines',
};

/** Undefined if the downlink was answered, if no answer is due, or if the events cannot show a reason. */
export function explainSilence(record: DownlinkRecord, facts: DeviceFacts, names: CauseNames): Unanswered | undefined {
  if (!isUnanswered(record)) return undefined;
  const { type, reached, partly } = record;
  const { received = Number.POSITIVE_INFINITY } = reached;
  if (reached.executed === undefined && !partly) {
    // Only a recording shows neither the reception nor the execution.
    if (!Number.isFinite(received)) {
      const until = reached.delivered ?? facts.closing;
      return { until, why: facts.closing - until < ANSWERS_WITHIN ? CUT_OFF : NOT_RECORDED[type] };
    }
    return { until: facts.closing, why: facts.goesOn ? undefined : 'the device has not executed it' };
  }
  const attempts = facts.chances.filter(
    (chance) =>
      chance.until >= received &&
      chance.failing &&
      chance.result !== 'reached' &&
      isAnswering(chance) &&
      !chance.isRunning,
  );
  // An attempt whose datagram is repeated has not failed yet.
  const failed = attempts.find(({ note }) => note !== REPEATED) ?? (facts.goesOn ? undefined : attempts[0]);
  if (failed === undefined) {
    return { until: facts.closing, why: facts.goesOn ? undefined : 'the device did not send one until the end' };
  }
  const note = failed.cutBy === undefined ? failed.note || 'no acknowledgement' : `restart (${failed.cutBy})`;
  const faults = failed.faults.map((fault) => names.nameFault(fault)).join(', ');
  return { until: failed.until, why: faults === '' ? note : `${note} (${faults})` };
}

/** A shell downlink is answered by a message, a configuration by the uploads after the restart. */
function isAnswering({ why, booted }: JudgedChance): boolean {
  return why === 'answer' || why === 'boot' || booted !== undefined;
}
