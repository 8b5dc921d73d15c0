/** Fitted groups as a scenario file, with the measured values as comments. */
import type { Ratio } from '../kernel/ratio.js';
import { formatDuration, humanDuration, type Millis, seconds } from '../kernel/time.js';
import { durationOf, type FittedGroup } from './fit.js';
import type { Recording } from './recording.js';

/** Why a device of a group rejects a configuration line; undefined when it accepts the line. */
type RefusalOf = (group: Pick<FittedGroup, 'profile' | 'firmware'>, line: string) => string | undefined;

/**
 * A scenario with these groups.
 * @param name of the scenario
 * @param refusalOf decides which settings can be written
 */
export function scenarioYaml(
  name: string,
  recording: Recording,
  groups: readonly FittedGroup[],
  refusalOf: RefusalOf,
): string {
  const duration = durationOf(recording, groups);
  const steps = groups.flatMap((group) => [...dropOutSteps(group, duration), ...rangeSteps(group, duration)]);
  const lines = [
    `# Fitted to a recording of ${recording.devices.length} devices over ${humanDuration(recording.until - recording.from)}.`,
    '# To multiply a group, raise its `count`. Steps for single devices apply to the first devices of the group.',
    '',
    `name: ${name}`,
    `duration: ${formatDuration(duration)}`,
    '',
    'fleet:',
    ...groups.flatMap((group) => groupLines(group, refusalOf)),
    ...(steps.length > 0 ? ['', 'steps:', ...steps] : []),
    '',
    'expect:',
    '  - uplink.stored == uplink.sent',
  ];
  return `${lines.join('\n')}\n`;
}

const HOW = {
  firmware: 'from the firmware name',
  values: 'the packaged profile that knows most of the reported values',
  guess: 'a guess: the recording does not show the type',
} as const;

function groupLines(group: FittedGroup, refusalOf: RefusalOf): readonly string[] {
  const { name, profile, by, firmware, count, period, jitter, configured, missing, due, size } = group;
  const settings = settingsOf(group).map((line) => ({ line, refusal: refusalOf(group, `app config ${line}`) }));
  const accepted = settings.flatMap(({ line, refusal }) => (refusal === undefined ? [line.replace(' ', ': ')] : []));
  const setting = configured === null ? '' : ` (configured: ${formatDuration(configured)})`;
  return [
    `  # Profile: ${HOW[by]}.`,
    `  # Median interval of reports: ${humanDuration(period)}${setting}; 90 % of the intervals differ by at most` +
      ` ${percent(jitter)} from the median.`,
    `  # Bodies of ${size.min} to ${size.max} bytes, median ${size.median}.`,
    `  # ${missing} of ${due} reports are missing.`,
    ...settings.flatMap(({ line, refusal }) =>
      refusal === undefined ? [] : `  # "${line}" cannot be set: ${refusal}.`,
    ),
    `  - name: ${name}`,
    `    profile: ${profile}`,
    ...(firmware === null ? [] : [`    firmware: ${firmware}`]),
    `    count: ${count}`,
    `    boot: { over: ${formatDuration(Math.max(1, Math.round(period)))}, pattern: random }`,
    ...(accepted.length === 0 ? [] : [`    config: { ${accepted.join(', ')} }`]),
  ];
}

/** Parameters of the application with their values: `interval-report 900`. */
function settingsOf(group: FittedGroup): readonly string[] {
  const report = `interval-report ${Math.max(1, Math.round(intervalOf(group) / 1000))}`;
  return group.poll === null || group.poll === 0
    ? [report]
    : [report, `interval-poll ${Math.round(group.poll / 1000)}`];
}

/** The configured interval, unless the measured one contradicts it. */
function intervalOf({ configured, period }: FittedGroup): Millis {
  const close = configured !== null && Math.abs(configured - period) < 0.5 * configured;
  return close ? configured : Math.max(seconds(1), period);
}

function dropOutSteps({ name, dropOuts }: FittedGroup, duration: Millis): readonly string[] {
  return dropOuts.flatMap(({ device, from, until }) => {
    if (until >= duration) return [];
    const at = (time: Millis) => formatDuration(Math.round(time));
    return [
      `  - { at: ${at(from)}, to: ${name}/${device}, radio: off }`,
      `  - { at: ${at(until)}, to: ${name}/${device}, radio: on }`,
    ];
  });
}

/** Each sensor passes once through its measured range. */
function rangeSteps({ name, ranges }: FittedGroup, duration: Millis): readonly string[] {
  return ranges.map(({ quantity, min, max }) => {
    const value = min === max ? `${min}` : `{ from: ${min}, to: ${max}, over: ${formatDuration(duration)} }`;
    return `  - { at: 0s, to: ${name}, sensor: { ${quantity}: ${value} } }`;
  });
}

function percent(ratio: Ratio): string {
  return `${Math.round(ratio * 100)} %`;
}
