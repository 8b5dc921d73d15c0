/** `ghostfleet diverge`: shows the first event in which two runs differ. */

import { basename, dirname, join } from 'node:path';
import { readRegular } from '../input/text-file.js';
import { EXIT, UsageError } from '../kernel/errors.js';
import { foreignJson, isObject } from '../kernel/json-text.js';
import { printableTexts } from '../kernel/printable.js';
import { countOf } from '../kernel/quantity.js';
import { humanDuration, sinceStart } from '../kernel/time.js';
import { isDirectory } from '../kernel/write-files.js';
import { findUnfinished, type Unfinished } from '../library/unfinished.js';
import { compareLogs, type LogComparison, type LogDifference, type LoggedEvent } from '../trace/diverge/compare.js';
import { defineCommand } from './command.js';

export const diverge = defineCommand<{ readonly a: string; readonly b: string }>(
  (parser) =>
    parser
      .positional('a', {
        type: 'string',
        demandOption: true,
        describe: 'directory of a run (--out), or its events.jsonl',
      })
      .positional('b', { type: 'string', demandOption: true, describe: 'the same for the other run' }),
  async ({ a, b }, host) => {
    const [one, other] = [findLog(a), findLog(b)];
    const unfinished = { a: one.unfinished !== undefined, b: other.unfinished !== undefined };
    const comparison = compareLogs(one.events, other.events, unfinished);
    if (comparison.difference === undefined && comparison.reordered.count === 0 && comparison.same === 0) {
      const empty = [one, other].flatMap(({ name, unfinished: end }) =>
        end === undefined ? [] : `"${name}" ${end.what}`,
      );
      throw new UsageError('no-events', ['there is nothing to compare: no event', ...empty].join('\n'));
    }
    host.out.write(report(comparison, one, other));
    return comparison.difference === undefined && comparison.reordered.count === 0 ? EXIT.fine : EXIT.expectation;
  },
);

interface RunLog {
  readonly name: string;
  readonly events: string;
  /** Content of summary.json; undefined if there is none. */
  readonly facts: Readonly<Record<string, unknown>> | undefined;
  readonly names: Readonly<Record<string, unknown>>;
  /** Set for a run that is in progress or was killed. */
  readonly unfinished: Unfinished | undefined;
}

function findLog(path: string): RunLog {
  const events = isDirectory(path) ? join(path, 'events.jsonl') : path;
  const isOfRun = basename(events) === 'events.jsonl';
  const summary = isOfRun ? readSummary(join(dirname(events), 'summary.json')) : undefined;
  const names = summary?.names;
  return {
    name: path,
    events,
    facts: summary,
    names: isObject(names) ? names : {},
    unfinished: isOfRun ? findUnfinished(dirname(events)) : undefined,
  };
}

/** With printable texts. Undefined if the file is missing or invalid: a killed run leaves events, which can be compared, but no summary. */
function readSummary(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = foreignJson(readRegular(path));
    return isObject(value) ? printableTexts(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Inputs of a run that decide its events, with their names in summary.json. */
const FACTS = [
  ['scenario', 'scenario'],
  ['seed', 'seed'],
  ['plan', 'planDigest'],
  ['version', 'version'],
  ['clock', 'clock'],
  ['transport', 'transport'],
  ['target', 'target'],
] as const;

function report({ difference, reordered, same }: LogComparison, a: RunLog, b: RunLog): string {
  const names = { ...b.names, ...a.names };
  const unfinished = [...sayUnfinished('A', a), ...sayUnfinished('B', b)];
  const lines = [`A  ${a.name}`, `B  ${b.name}`, ...unfinished, ...compareFacts(a, b), ''];
  if (reordered.first !== undefined) {
    const where = reordered.count === 1 ? 'At one instant' : `At ${reordered.count} instants`;
    lines.push(`${where} the same events occur in another order; the first place:`, '');
    lines.push(...showDifference(reordered.first, names), '');
  }
  if (difference !== undefined) {
    lines.push(`The first ${same === 1 ? 'event is' : `${same} events are`} the same; the next ones differ:`, '');
    lines.push(...showDifference(difference, names));
  } else if (reordered.first !== undefined) lines.push(`Otherwise the same: ${countOf(same, 'event')}.`);
  else lines.push(`The same${unfinished.length === 0 ? '' : ' as far as both logs go'}: ${countOf(same, 'event')}.`);
  return `${lines.join('\n').trimEnd()}\n`;
}

function sayUnfinished(side: string, { unfinished }: RunLog): readonly string[] {
  return unfinished === undefined ? [] : [`${side} ${unfinished.what}`];
}

/** Compares the inputs that decide the events of a run. */
function compareFacts(a: RunLog, b: RunLog): readonly string[] {
  const [one, other] = [a.facts, b.facts];
  if (one === undefined || other === undefined) {
    return ['cannot compare seed, plan and version: a summary.json is missing'];
  }
  const known = FACTS.filter(([, key]) => one[key] !== undefined || other[key] !== undefined).filter(
    ([, key]) => key !== 'planDigest' || one.format === other.format,
  );
  const differ = known.filter(([, key]) => one[key] !== other[key]);
  const alike = known.filter(([, key]) => one[key] === other[key]).map(([title]) => title);
  return [
    ...(one.format === other.format ? [] : [describeFormats(one.format, other.format)]),
    ...differ.map(([title, key]) => `${title} differs: ${formatFact(one[key])} in A, ${formatFact(other[key])} in B`),
    ...(alike.length === 0 ? [] : [`same ${alike.join(', ')}`]),
  ];
}

function describeFormats(one: unknown, other: unknown): string {
  return `the format of summary.json differs, so plans cannot be compared: ${formatFact(one)} in A, ${formatFact(other)} in B`;
}

function formatFact(fact: unknown): string {
  if (fact === undefined) return 'unknown';
  return typeof fact === 'object' ? JSON.stringify(fact) : String(fact);
}

function showDifference(difference: LogDifference, names: Readonly<Record<string, unknown>>): readonly string[] {
  const { a, b, before, afterA, afterB, fields } = difference;
  const [one, other] = [nameDevice(a, names), nameDevice(b, names)];
  const both = one === other || one === undefined || other === undefined;
  const devices = both ? (one ?? other) : `${one} in A, ${other} in B`;
  const who = devices === undefined ? [] : [`  device ${devices}`];
  const what = fields.length === 0 ? [] : [`  different fields: ${fields.join(', ')}`];
  return [
    ...who,
    ...before.map((line) => formatRow('both', line)),
    formatRow('A', a, '>'),
    formatRow('B', b, '>'),
    ...what,
    ...(afterA.length + afterB.length === 0 ? [] : ['  next events']),
    ...alignLines(afterA, afterB),
  ];
}

function nameDevice(line: LoggedEvent | undefined, names: Readonly<Record<string, unknown>>): string | undefined {
  if (line === undefined || !('serial' in line.event)) return undefined;
  const serial = JSON.stringify(line.event.serial);
  const name = names[serial];
  return typeof name === 'string' ? name : serial;
}

/** Lists the events of both logs in their order. Events with the same text at the same position share a row. */
function alignLines(a: readonly LoggedEvent[], b: readonly LoggedEvent[]): readonly string[] {
  const rows: string[] = [];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [one, other] = [a[i], b[i]];
    if (one !== undefined && one.text === other?.text) rows.push(formatRow('both', one));
    else rows.push(...(one ? [formatRow('A', one)] : []), ...(other ? [formatRow('B', other)] : []));
  }
  return rows;
}

function formatRow(side: string, line: LoggedEvent | undefined, mark = ' '): string {
  const place = line === undefined ? '' : `${line.line}`.padStart(8);
  const text = line === undefined ? 'end of the log' : `${humanDuration(sinceStart(line.event.at))}  ${line.text}`;
  return `${mark} ${side.padEnd(5)}${place}  ${text}`;
}
