/** The state of a device at the end of the trace. */
import { humanDuration, type Instant } from '../kernel/time.js';
import { outcomeOf } from '../trace/downlinks/ledger.js';
import { isLost, isUnanswered } from './course.js';
import type { DeviceFacts } from './facts.js';
import type { CauseNames } from './names.js';
import { intervalName } from './names.js';

/** Sentences about the device. @param now end of the trace */
export function deviceState(facts: DeviceFacts, names: CauseNames, now: Instant): readonly string[] {
  const { chances, calendar, downlinks, part, firstBoot } = facts;
  const pending = downlinks.filter((record) => outcomeOf(record) === 'pending').length;
  const lost = downlinks.filter(isLost).length;
  const never = lost === 0 ? '' : `, delivered but never received: ${lost}`;
  const silent = downlinks.filter(isUnanswered).length;
  const unanswered = silent === 0 ? '' : `, received but never answered: ${silent}`;
  const queue = `Downlinks of users: ${downlinks.length}, pending: ${pending}${never}${unanswered}.`;
  if (firstBoot === undefined) return ['It was not switched on.', queue];
  const heard = chances.findLast(({ result }) => result === 'reached');
  const contact =
    heard === undefined
      ? 'No exchange has succeeded.'
      : `Last successful exchange: ${humanDuration(now - heard.until)} before the end.`;
  const inForce = calendar.at(now, 'blocks', 'hinders').map((fault) => names.fault(fault));
  return [
    contact,
    ...failing(facts, names, now),
    ...(inForce.length === 0 ? [] : [`Faults in force: ${inForce.join(', ')}.`]),
    `At rest it waits for its ${intervalName(part)}.`,
    queue,
  ];
}

function failing({ chances }: DeviceFacts, names: CauseNames, now: Instant): readonly string[] {
  const good = chances.findLastIndex(({ failing: bad }) => !bad);
  const [first, ...others] = chances.slice(good + 1);
  if (first === undefined) return [];
  const faults = [...new Set([first, ...others].flatMap((chance) => chance.faults))].map((fault) => names.fault(fault));
  const because = faults.length === 0 ? '' : ` (${faults.join(', ')})`;
  return [`Its exchanges have failed for ${humanDuration(now - first.at)}${because}.`];
}
