/**
 * The timeline of a downlink: its stages, every exchange of its device, faults that begin or end, and rules of the firmware.
 */
import { humanDuration, type Instant, minutes } from '../kernel/time.js';
import { type DownlinkRecord, STAGES, type Stage } from '../trace/downlinks/ledger.js';
import type { JudgedChance } from './blockers.js';
import { type CauseNames, CONTACTS } from './causes.js';
import type { ExplainedEntry } from './explanation.js';
import type { DeviceFacts } from './facts.js';
import { getRules, RESTARTS } from './family-rules.js';
import type { Missed } from './missed.js';
import { isLost } from './outcome.js';
import { explainHoldBack } from './queue.js';
import type { Situation } from './situation.js';

const STAGE_TEXTS: Readonly<Record<Stage, string>> = {
  contact: 'first packet of the device since then',
  offered: 'the cloud sends it',
  received: 'the device has received it',
  delivered: 'the cloud knows that the device has received it',
  executed: 'the device has executed it',
  answered: 'the cloud has stored the answer',
};

const END_TEXTS: Readonly<Record<NonNullable<DownlinkRecord['ended']>, string>> = {
  cancelled: 'it was cancelled',
  expired: 'it has expired',
};

const MISSED: Readonly<Record<Missed, string>> = {
  acknowledgement: 'its last acknowledgement was lost',
  upload: 'acknowledged, but not stored',
};

/** @param end end of the timeline */
export function buildTimeline(
  record: DownlinkRecord,
  facts: DeviceFacts,
  situation: Situation,
  names: CauseNames,
  end: Instant,
): readonly ExplainedEntry[] {
  const { queuedAt } = record;
  const entries = [
    ...listStages(record),
    ...listFaults(facts, situation, names, queuedAt, end),
    ...listExchanges(record, facts, names, end),
    ...listPauses(facts, queuedAt),
    ...listRestarts(facts),
  ];
  const ordered = entries.filter(({ at }) => at >= queuedAt && at <= end).sort((a, b) => a.at - b.at);
  return collapse(ordered).map((entry) => ({ ...entry, at: Math.round(entry.at - queuedAt) }));
}

/** Entries in a row that differ only in numbers become one entry; stages stay separate. */
function collapse(entries: readonly Entry[]): readonly Entry[] {
  const rows: [Entry, ...Entry[]][] = [];
  for (const entry of entries) {
    const row = rows.at(-1);
    if (row && entry.kind === row[0].kind && entry.kind !== 'stage' && isAlike(entry, row[0])) row.push(entry);
    else rows.push([entry]);
  }
  return rows.map(joinEntries);
}

function joinEntries(row: readonly [Entry, ...Entry[]]): Entry {
  const [first] = row;
  const pauses = row.flatMap(({ lasts }) => lasts ?? []);
  const lasts = pauses.reduce((sum, pause) => sum + pause, 0);
  const longest = pauses.reduce((most, pause) => Math.max(most, pause), Number.NEGATIVE_INFINITY);
  if (row.length === 1)
    return pauses.length === 0 ? first : { ...first, what: `${first.what}, ${humanDuration(lasts)}` };
  const sum = pauses.length === 0 ? '' : `, ${humanDuration(lasts)} in all, at most ${humanDuration(longest)}`;
  const within = humanDuration((row.at(-1) ?? first).at - first.at);
  return {
    ...first,
    what: `${first.what}${sum} (${row.length} times within ${within})`,
    times: row.length,
    ...(pauses.length > 0 && { lasts, longest }),
  };
}

/** Whether two entries differ in numbers only. */
function isAlike(one: Entry, other: Entry): boolean {
  const bare = ({ what }: Entry) => what.replace(/\d[\dhms.: ]*/g, '#');
  return bare(one) === bare(other);
}

/** An entry with the time since the start of the run. */
interface Entry extends Omit<ExplainedEntry, 'at'> {
  readonly at: Instant;
}

const LOST = 'the cloud counts it as delivered, but the device has not received it';

function listStages(record: DownlinkRecord): readonly Entry[] {
  const { queuedAt, reached, type, ended, endedAt } = record;
  const textOf = (stage: Stage) => (stage === 'delivered' && isLost(record) ? LOST : STAGE_TEXTS[stage]);
  return [
    { at: queuedAt, kind: 'stage', what: `${type} downlink queued` },
    ...STAGES.flatMap((stage): readonly Entry[] => {
      const at = reached[stage];
      // The first packet is an exchange of its own in the timeline.
      return at === undefined || stage === 'contact' ? [] : [{ at, kind: 'stage', what: textOf(stage) }];
    }),
    ...(ended === undefined || endedAt === undefined
      ? []
      : [{ at: endedAt, kind: 'stage' as const, what: END_TEXTS[ended] }]),
  ];
}

function listFaults(
  { calendar }: DeviceFacts,
  { faults }: Situation,
  names: CauseNames,
  from: Instant,
  end: Instant,
): readonly Entry[] {
  const inForce = calendar.at(from, 'blocks', 'hinders');
  const before: readonly Entry[] = inForce.map((index) => ({
    at: from,
    kind: 'fault',
    what: `${names.nameFault(index)} is in force`,
  }));
  const during = calendar.during(from, end, 'blocks', 'hinders', 'restarts', 'disturbs').flatMap((index) =>
    (faults[index]?.windows ?? []).flatMap((window): readonly Entry[] => {
      const name = names.nameFault(index);
      if (window.until === window.from) return [{ at: window.from, kind: 'fault', what: name }];
      return [
        ...(window.from > from ? [{ at: window.from, kind: 'fault' as const, what: `${name} begins` }] : []),
        ...(window.until === null ? [] : [{ at: window.until, kind: 'fault' as const, what: `${name} ends` }]),
      ];
    }),
  );
  return [...before, ...during];
}

/** The entries of all exchanges. Repetitions of a datagram belong to the entry of their exchange. */
function listExchanges(record: DownlinkRecord, facts: DeviceFacts, names: CauseNames, end: Instant): readonly Entry[] {
  const entries: Entry[] = [];
  const chances = facts.chances.filter(({ at }) => at <= end);
  for (let i = findFirstSince(record.queuedAt, chances); i < chances.length; ) {
    let next = i + 1;
    while (chances[next]?.begins === 'repeat') next++;
    const [first, ...repeats] = chances.slice(i, next);
    if (first !== undefined) {
      // One by one: a log of another author may have more events than a call may have arguments.
      for (const entry of describeExchange(record, facts, names, end, first, repeats)) entries.push(entry);
      for (const entry of describeRepetition(record, facts, repeats)) entries.push(entry);
    }
    i = next;
  }
  return entries;
}

/** Index of the first chance (chances.ts) that ends after `from`, or of the beginning of its exchange. */
function findFirstSince(from: Instant, chances: readonly JudgedChance[]): number {
  let first = chances.findIndex(({ until }) => until >= from);
  if (first < 0) return chances.length;
  while (first > 0 && chances[first]?.begins === 'repeat') first--;
  return first;
}

function describeExchange(
  record: DownlinkRecord,
  facts: DeviceFacts,
  names: CauseNames,
  end: Instant,
  first: JudgedChance,
  repeats: readonly JudgedChance[],
): readonly Entry[] {
  const all = [first, ...repeats];
  const last = all.at(-1) ?? first;
  const at = Math.max(first.at, record.queuedAt);
  const name = nameContact(first, record);
  const since = first.at < record.queuedAt ? `, since ${humanDuration(record.queuedAt - first.at)} before` : '';
  const copies = describeCopies(repeats);
  const faults = [...new Set(all.flatMap((chance) => chance.faults))].map((index) => names.nameFault(index));
  const because = faults.length === 0 ? '' : `: ${faults.join(', ')}`;
  if (last.missed !== undefined) {
    return [{ at, kind: 'failure', what: `${name}${since}${copies}: ${MISSED[last.missed]}${because}` }];
  }
  if (last.result === 'reached') {
    const held = explainHoldBack(record, facts, last, end);
    const took = last.until - at;
    const slow = took > minutes(1) ? `, after ${humanDuration(took)}` : '';
    const instead = held === undefined ? '' : `; ${names.nameCause(held).name}`;
    const what = `${name}${since}${copies}: acknowledged${slow}${faults.length === 0 ? '' : ` (${faults.join(', ')})`}${instead}`;
    return [{ at, kind: 'contact', what }];
  }
  if (isUnfinished(last, repeats)) return [{ at, kind: 'contact', what: `${name}${since}${copies}: not finished yet` }];
  if (!last.failing) return [{ at, kind: 'contact', what: `${name}${since}` }];
  const why =
    last.cutBy !== undefined ? `cut off by a restart (${last.cutBy})` : last.note === '' ? 'no answer' : last.note;
  const failure: Entry = { at, kind: 'failure', what: `${name}${since}${copies}: ${why}${because}` };
  const retry = last.why === 'poll' && last.note !== '' && last.cutBy === undefined ? [describeRetry(facts, last)] : [];
  return [failure, ...retry.flat()];
}

/** A running exchange whose datagrams are lost is described as failed. A poll leaves no event when it ends. */
function isUnfinished({ isRunning, failing, why }: JudgedChance, repeats: readonly JudgedChance[]): boolean {
  return isRunning && (repeats.length > 0 ? !failing : failing || why !== 'poll');
}

/** `, sent 99 times (32 changes of the address)` */
function describeCopies(repeats: readonly JudgedChance[]): string {
  if (repeats.length === 0) return '';
  const changes = repeats.flatMap(({ restarts }) => restarts).filter(({ why }) => why === 'another address').length;
  const named = changes === 0 ? '' : ` (${changes === 1 ? 'one change' : `${changes} changes`} of the address)`;
  return `, sent ${repeats.length + 1} times${named}`;
}

function nameContact({ at, booted, begins, why }: JudgedChance, { type, reached }: DownlinkRecord): string {
  // A recording shows the delivery only.
  const isReceived = (reached.received ?? reached.delivered ?? Number.POSITIVE_INFINITY) <= at;
  if (booted === 'config' && !(isReceived && type === 'config'))
    return 'the device starts (config of another downlink)';
  if (booted !== undefined) return `the device starts (${booted})`;
  if (why === 'answer' && !(isReceived && type === 'shell')) return 'answer to another downlink';
  return begins === 'follow' && why === 'report' ? 'report from the spool, which comes first' : CONTACTS[why];
}

/** The rule that the firmware polls again 5 min after a failed poll, if it applied. */
function describeRetry({ chances, part }: DeviceFacts, failed: JudgedChance): readonly Entry[] {
  const next = chances.find(({ at }) => at > failed.until);
  const what = getRules(part).pollRetry;
  return next?.begins !== 'retry' || what === null ? [] : [{ at: failed.until, kind: 'rule', what }];
}

/** Each time that a transfer begins again by a rule. */
function listRestarts({ chances }: DeviceFacts): readonly Entry[] {
  return chances.flatMap(({ restarts }) =>
    restarts.map(({ at, why }): Entry => ({ at, kind: 'rule', what: RESTARTS[why] })),
  );
}

/** The rule by which the transfer layer repeats a datagram, once for an exchange, with the times that passed. */
function describeRepetition(
  { queuedAt }: DownlinkRecord,
  { part }: DeviceFacts,
  repeats: readonly JudgedChance[],
): readonly Entry[] {
  const [first, ...others] = repeats.filter(({ waited }) => waited !== undefined);
  if (first === undefined || !getRules(part).repeats) return [];
  const waits = [first, ...others].map(({ waited = 0 }) => waited);
  const [least, most] = [Math.min, Math.max].map((pick) => humanDuration(waits.reduce((a, b) => pick(a, b))));
  const time = least === most ? least : `${least} to ${most}`;
  return [
    {
      at: Math.max(first.at, queuedAt),
      kind: 'rule',
      what: `no answer: the device repeats the datagram after ${time}`,
    },
  ];
}

/** The pauses of the modem that end after `from`. */
function listPauses({ chances, part }: DeviceFacts, from: Instant): readonly Entry[] {
  const texts = getRules(part).pauses;
  return chances
    .flatMap((chance) => chance.pauses)
    .filter(({ at, lasts }) => at + lasts > from)
    .map(({ at, why, lasts }): Entry => {
      const since = at < from ? `, since ${humanDuration(from - at)} before` : '';
      return { at: Math.max(at, from), kind: 'rule', what: `${texts[why]}${since}`, lasts };
    });
}
