/** Fitted groups as a scenario file, with the measured values as comments. */

import { countOf } from '../kernel/quantity.js';
import type { Ratio } from '../kernel/ratio.js';
import { formatDuration, humanDuration, type Millis, seconds } from '../kernel/time.js';
import { type FittedGroup, measureDuration } from './fit.js';
import type { Recording } from './recording.js';
import type { Regime } from './regimes.js';
import { findSpan } from './span.js';

/** Why a device of a group rejects a configuration line; undefined when it accepts the line. */
type RefusalOf = (group: Pick<FittedGroup, 'profile' | 'firmware'>, line: string) => string | undefined;

/**
 * A scenario with these groups.
 * @param name of the scenario
 * @param refusalOf decides which settings can be written
 */
export function writeScenario(
  name: string,
  recording: Recording,
  groups: readonly FittedGroup[],
  refusalOf: RefusalOf,
): string {
  const duration = measureDuration(recording, groups);
  const steps = groups.flatMap((group) => [
    ...changeSteps(group, duration, refusalOf),
    ...dropOutSteps(group, duration),
    ...writeRangeSteps(group, duration),
  ]);
  const hasSteps = steps.some((line) => !line.trimStart().startsWith('#'));
  const missing = describeLeftOut(recording, groups);
  const lines = [
    `# Fitted to a recording of ${countOf(recording.devices.length, 'device')} over ${humanDuration(recording.until - recording.from)}.`,
    ...(missing === undefined ? [] : [`# Of them, ${missing}.`]),
    '# To multiply a group, raise its `count`. Steps for single devices apply to the first devices of the group.',
    '',
    `name: ${name}`,
    `duration: ${formatDuration(duration)}`,
    '',
    'fleet:',
    ...groups.flatMap((group) => writeGroup(group, refusalOf)),
    ...(hasSteps ? ['', 'steps:'] : []),
    ...steps,
    '',
    'expect:',
    '  - uplink.stored == uplink.sent',
  ];
  return `${lines.join('\n')}\n`;
}

/** The devices of the recording that are in no group; undefined if all are in one. */
export function describeLeftOut({ devices }: Recording, groups: readonly FittedGroup[]): string | undefined {
  const count = devices.length - groups.reduce((sum, group) => sum + group.count, 0);
  if (count === 0) return undefined;
  return `${countOf(count, 'device')} without two reports ${count === 1 ? 'is' : 'are'} left out`;
}

const HOW = {
  firmware: 'from the firmware name',
  values: 'the packaged profile that knows most of the reported values',
  guess: 'a guess: the recording does not show the type',
} as const;

function writeGroup(group: FittedGroup, refusalOf: RefusalOf): readonly string[] {
  const { name, profile, by, firmware, count, period, jitter, configured, missing, due, size, begins, ended, updates } =
    group;
  const settings = listSettings(group).map((line) => ({ line, refusal: refusalOf(group, `app config ${line}`) }));
  const accepted = settings.flatMap(({ line, refusal }) => (refusal === undefined ? [line.replace(' ', ': ')] : []));
  const setting = configured === null ? '' : ` (configured: ${formatDuration(configured)})`;
  return [
    `  # Profile: ${HOW[by]}.`,
    `  # Median interval of reports: ${humanDuration(period)}${setting}; 90 % of the intervals differ by at most` +
      ` ${formatPercent(jitter)} from the median.`,
    `  # Bodies of ${size.min} to ${size.max} bytes, median ${size.median}.`,
    `  # ${missing} of ${due} reports are missing.`,
    ...(begins.from === 0
      ? []
      : [`  # Sent nothing before ${humanDuration(begins.from)}: added then, possibly in place of other devices.`]),
    ...ended.map(
      ({ device, at }) =>
        `  # ${name}/${device} sent nothing after ${humanDuration(at)}: removed, replaced, switched off or out of reach. Here it goes on.`,
    ),
    ...updates.map(
      ({ device, at, firmware: later }) =>
        `  # ${name}/${device} ran firmware ${later} from ${humanDuration(at)} on. Here it is not updated.`,
    ),
    ...settings.flatMap(({ line, refusal }) =>
      refusal === undefined ? [] : `  # "${line}" cannot be set: ${refusal}.`,
    ),
    `  - name: ${name}`,
    `    profile: ${profile}`,
    ...(firmware === null ? [] : [`    firmware: ${firmware}`]),
    `    count: ${count}`,
    `    boot: { ${writeBoot(group)} }`,
    ...(accepted.length === 0 ? [] : [`    config: { ${accepted.join(', ')} }`]),
  ];
}

function writeBoot({ begins: { from, over } }: FittedGroup): string {
  const first = from === 0 ? '' : `from: ${formatDuration(Math.round(from))}, `;
  return `${first}over: ${formatDuration(Math.max(1, Math.round(over)))}, pattern: random`;
}

/** Parameters of the application with their values: `interval-report 900`. */
function listSettings(group: FittedGroup): readonly string[] {
  return group.poll === 0 ? [reportLine(group)] : writeSettings(group);
}

type Intervals = Pick<Regime, 'configured' | 'period' | 'poll'>;

function reportLine(intervals: Intervals): string {
  return `interval-report ${Math.max(1, Math.round(chooseInterval(intervals) / 1000))}`;
}

function pollLine({ poll }: Intervals): readonly string[] {
  return poll === null ? [] : [`interval-poll ${Math.round(poll / 1000)}`];
}

/** The configured interval, unless the measured one contradicts it. */
function chooseInterval({ configured, period }: Intervals): Millis {
  const close = configured !== null && Math.abs(configured - period) < 0.5 * configured;
  return close ? configured : Math.max(seconds(1), period);
}

/** Configurations that devices received later; one step for all devices of a group if all received the same one first. */
function changeSteps(group: FittedGroup, duration: Millis, refusalOf: RefusalOf): readonly string[] {
  const { name, count, profile, firmware, changes } = group;
  const steps = changes.flatMap((change) => changeStep(change)).filter(({ at }) => at < duration);
  const first = steps.filter(({ device }, i) => steps.findIndex((step) => step.device === device) === i);
  const [{ config: same } = { config: '' }] = first;
  const together =
    count > 1 && first.length === count && first.every(({ config, announced }) => announced && config === same);
  const [begin, last] = findSpan(first.map(({ at }) => at));
  const over = Math.round(((last - begin) * count) / (count - 1));
  const forAll = { at: begin, over, to: name, config: same, announced: true };
  const single = steps.flatMap((step) =>
    together && first.includes(step) ? [] : [{ ...step, over: 0, to: `${name}/${step.device}` }],
  );
  return [...(together ? [forAll] : []), ...single].flatMap((step) => {
    const refusals = step.config.split(', ').flatMap((setting) => {
      const line = setting.replace(':', '');
      const refusal = refusalOf({ profile, firmware }, `app config ${line}`);
      return refusal === undefined ? [] : [`  # "${line}" of ${step.to} cannot be set: ${refusal}.`];
    });
    const why = step.announced ? [] : writeUnannounced(step.to, step.config);
    if (refusals.length > 0) return [...why, ...refusals];
    const during = step.over > 0 ? `, over: ${formatDuration(step.over)}` : '';
    return [...why, `  - { at: ${formatDuration(step.at)}${during}, to: ${step.to}, config: { ${step.config} } }`];
  });
}

function changeStep({ device, before, after }: FittedGroup['changes'][number]) {
  const known = writeSettings(before);
  const changed = writeSettings(after).filter((line) => !known.includes(line));
  // A device receives a configuration at its next contact, on average half an interval later.
  const at = Math.max(0, Math.round(after.queuedAt ?? after.from - before.period / 2));
  const config = changed.map((line) => line.replace(' ', ': ')).join(', ');
  return changed.length === 0 ? [] : [{ device, at, config, announced: after.announced }];
}

function writeSettings(intervals: Intervals): readonly string[] {
  return [reportLine(intervals), ...pollLine(intervals)];
}

/** What cannot be announced apart in a recording. */
function writeUnannounced(to: string, config: string): readonly string[] {
  return [
    `  # The reports of ${to} fit "${config}" from here on, but the recording has no configuration message of this`,
    '  # time: the interval may have changed, or reports may be missing regularly.',
  ];
}

function dropOutSteps({ name, dropOuts }: FittedGroup, duration: Millis): readonly string[] {
  return dropOuts.flatMap(({ device, from, until, restarts }) => {
    if (until >= duration) return [];
    const at = (time: Millis) => formatDuration(Math.round(time));
    const to = `${name}/${device}`;
    return [
      ...(restarts ? [`  # ${to} started again after this silence: it may have been without power.`] : []),
      `  - { at: ${at(from)}, to: ${to}, radio: off }`,
      `  - { at: ${at(until)}, to: ${to}, radio: on }`,
    ];
  });
}

/** Each sensor passes once through its measured range. */
function writeRangeSteps({ name, ranges }: FittedGroup, duration: Millis): readonly string[] {
  return ranges.map(({ quantity, min, max }) => {
    const value = min === max ? `${min}` : `{ from: ${min}, to: ${max}, over: ${formatDuration(duration)} }`;
    return `  - { at: 0s, to: ${name}, sensor: { ${quantity}: ${value} } }`;
  });
}

function formatPercent(ratio: Ratio): string {
  return `${Math.round(ratio * 100)} %`;
}
