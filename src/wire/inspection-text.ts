/** An inspected capture as text and as JSON: dialogues, or the measured times. */

import { isoTime } from '../kernel/calendar.js';
import { printableLine } from '../kernel/printable.js';
import { countOf } from '../kernel/quantity.js';
import { type Column, writeTable } from '../kernel/table.js';
import { formatDuration, humanDuration, type Millis } from '../kernel/time.js';
import { formatFlags } from '../protocol/flap/packet.js';
import { dialogueLines, formatTime, type ReadEntry, readDialogue } from './dialogue-text.js';
import { gapsIn, type InspectedDevice, type Inspection } from './inspect.js';
import { MessageText, type MessageTextOptions } from './message-text.js';
import { findOutside, type Measured, measureTimeline } from './timeline.js';

/** What the text says about times and packets; a single datagram has neither a start nor others beside it. */
type About = Omit<Inspection, 'devices'>;

export function writeDialogues(
  devices: readonly InspectedDevice[],
  about: About | undefined,
  options: MessageTextOptions,
): string {
  const texts = devices.map((device) => [...headOf(device), '', ...dialogueLines(read(device, options))].join('\n'));
  return `${[...aboutLines(about), ...texts].join('\n\n')}\n`;
}

export function writeTimelines(devices: readonly InspectedDevice[], about: About, options: MessageTextOptions): string {
  const texts = devices.map((device) =>
    [
      `# ${titleOf(device)}: its times, with the rules of docs/reference/timing.md.`,
      '',
      ...timelineLines(timelineOf(device, options)),
    ].join('\n'),
  );
  return `${[...aboutLines(about), ...texts].join('\n\n')}\n`;
}

/** The same as one JSON object. */
export function writeInspectionJson(
  devices: readonly InspectedDevice[],
  about: About,
  options: MessageTextOptions,
  what: 'dialogue' | 'timeline',
): string {
  const { start, packets, others, timeless } = about;
  const gaps = gapsIn(about);
  const result = {
    start: start === undefined ? null : isoTime(start),
    whole: gaps.length === 0,
    ...(gaps.length > 0 && { broken: gaps.join('; ') }),
    packets,
    ...(timeless > 0 && { without_time: timeless }),
    others: Object.fromEntries(others),
    devices: devices.map((device) => ({
      serial: device.serial,
      name: device.name ?? null,
      format: device.format,
      tags: device.tags,
      ...(what === 'dialogue'
        ? { dialogue: [...read(device, options)].map(entryJson) }
        : { timeline: timelineOf(device, options).map(measuredJson) }),
    })),
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

function read(device: InspectedDevice, options: MessageTextOptions): Iterable<ReadEntry> {
  return readDialogue(device.entries, new MessageText(options));
}

function timelineOf(device: InspectedDevice, options: MessageTextOptions): readonly Measured[] {
  return measureTimeline(read(device, options), device.format);
}

const SIZES = {
  base64: 'a datagram is base64 of the packet with its envelope',
  raw: 'a datagram is the packet with its envelope',
  dtls: 'a datagram is the encrypted packet',
} as const;

function titleOf({ name, serial }: InspectedDevice): string {
  return `${printableLine(name ?? 'device')}, serial number ${serial}`;
}

function headOf(device: InspectedDevice): readonly string[] {
  const { format, tags } = device;
  return [
    `# ${titleOf(device)}: the dialogue with the cloud.`,
    `# Sizes are bytes; ${SIZES[format]}. An upload of a codec is one line.`,
    ...(tags === 'unfit' ? ['# No --token is that of this device, so its tags are not checked.'] : []),
  ];
}

function aboutLines(about: About | undefined): readonly string[] {
  if (about === undefined) return [];
  const { start, isOfRun, packets, others, timeless } = about;
  const left = [...others].map(([what, count]) => `${count} ${what}`);
  const lines = [
    ...gapsIn(about).map((gap) => `# INCOMPLETE: ${gap}.`),
    ...(start === undefined
      ? []
      : [`# Times count from ${isoTime(start)}, ${isOfRun ? 'the start of the run' : 'the first packet'}.`]),
    ...(timeless === 0
      ? []
      : [`# Of ${packets} packets, ${timeless} have no time; each has that of the packet before.`]),
    ...(left.length === 0 ? [] : [`# Of ${countOf(packets, 'packet')}, these are in no dialogue: ${left.join(', ')}.`]),
  ];
  return [lines.join('\n')];
}

function entryJson(entry: ReadEntry): object {
  if (entry.kind === 'note') return { at_ms: entry.at, note: entry.text };
  const { at, way, packet, size, meaning, content } = entry;
  return {
    at_ms: at,
    way,
    flags: formatFlags(packet.flags),
    sequence: packet.sequence,
    data: packet.data.length,
    datagram: size,
    meaning,
    ...(content.length > 0 && { content }),
  };
}

function measuredJson(measured: Measured): object {
  const { rule, what, expected, values } = measured;
  return {
    ...{ rule, what, count: values.length, ...quantiles(values.map(({ took }) => took)) },
    expected_ms: expected === undefined ? null : [expected.from, expected.to],
    outside: findOutside(measured).map(({ at, took }) => ({ at_ms: at, took_ms: took })),
  };
}

function quantiles(took: readonly Millis[]): {
  readonly min_ms: Millis;
  readonly median_ms: Millis;
  readonly max_ms: Millis;
} {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (index: number): Millis => sorted[index] ?? 0;
  return { min_ms: at(0), median_ms: at(Math.floor((sorted.length - 1) / 2)), max_ms: at(sorted.length - 1) };
}

/** Most measurements outside of their rule that are listed one by one. */
const MOST_LISTED = 10;

function timelineLines(all: readonly Measured[]): readonly string[] {
  if (all.length === 0) return ['nothing to measure: the capture has no exchange of this device'];
  const rows = all.map((measured) => {
    const { rule, values, expected, what } = measured;
    const { min_ms, median_ms, max_ms } = quantiles(values.map(({ took }) => took));
    const outside = findOutside(measured).length;
    const limits = expected === undefined ? 'unknown' : `${rangeText(expected.from)} to ${rangeText(expected.to)}`;
    const verdict = expected === undefined ? '' : outside === 0 ? '✓' : `✗ ${outside} outside`;
    return [rule, String(values.length), ...[min_ms, median_ms, max_ms].map(humanDuration), limits, verdict, what];
  });
  return [...writeTable(COLUMNS, rows), ...all.flatMap(outsideLines)];
}

const COLUMNS: readonly Column[] = [
  { title: 'rule' },
  ...['count', 'min', 'median', 'max'].map((title) => ({ title, align: 'right' as const })),
  { title: 'expected' },
  { title: '' },
  { title: 'time' },
];

function outsideLines(measured: Measured): readonly string[] {
  const outside = findOutside(measured);
  const more = outside.length - MOST_LISTED;
  return [
    ...outside
      .slice(0, MOST_LISTED)
      .map(({ at, took }) => `${formatTime(at)}  ${measured.rule}: ${humanDuration(took)} ${measured.what}`),
    ...(more > 0 ? [`             ${measured.rule}: ${more} more`] : []),
  ];
}

function rangeText(length: Millis): string {
  return formatDuration(Math.max(0, Math.round(length)));
}
