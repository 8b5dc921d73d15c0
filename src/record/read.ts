/** Reads and checks the file of a recording. All problems are reported together, each with its line. */
import { InputError, orList, type Problem, quote } from '../input/problems.js';
import { parseTimeOrDate } from '../kernel/calendar.js';
import { foreignJson, isObject } from '../kernel/json-text.js';
import { days, humanDuration } from '../kernel/time.js';
import {
  DOWNLINK_STATES,
  DOWNLINK_TYPES,
  type RecordedDevice,
  type RecordedDownlink,
  type RecordedUplink,
  type Recording,
  UPLINK_TYPES,
  type ValueRange,
} from './recording.js';
import { VERSION } from './write.js';

/** Limit of the window, in real time and in the time of the devices: a replay simulates each day of it. */
const LONGEST_WINDOW = days(3660);

/** Limit of problems. A file with more is not read to its end, because it could have a hundred million lines. */
const MOST_PROBLEMS = 1000;

const KINDS = ['device', 'uplink', 'downlink', 'values'] as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a recording.
 * @param file its path, for messages
 * @throws InputError with all problems
 */
export function readRecording(text: string, file: string): Recording {
  const problems: Problem[] = [];
  const recording = assemble(readLines(text, file, problems));
  if (problems.length > 0) throw new InputError(problems);
  return recording;
}

/** The first line, and the others that are objects. Empty lines are allowed after the first, and a byte order mark before it. */
function* readLines(text: string, file: string, problems: Problem[]): Generator<RecordingLine, undefined> {
  let number = 0;
  for (let begin = text.startsWith('\ufeff') ? 1 : 0; begin <= text.length; ) {
    const newline = text.indexOf('\n', begin);
    const end = newline < 0 ? text.length : newline;
    const line = new RecordingLine(text.slice(begin, end), ++number, file, problems);
    if (number === 1 || line.fields !== undefined) yield line;
    begin = end + 1;
  }
  return undefined;
}

function assemble(lines: Generator<RecordingLine, undefined>): Recording {
  const first = lines.next().value;
  const rest: RecordingLine[] = [];
  const header = first?.fields;
  const from = first?.time('from') ?? 0;
  const until = first?.time('until') ?? 0;
  const speed = first?.speed() ?? 1;
  const devices: RecordedDevice[] = [];
  const uplinks: RecordedUplink[] = [];
  const downlinks: RecordedDownlink[] = [];
  const values: ValueRange[] = [];
  if (header !== undefined && first !== undefined) checkHeader(first, header, until - from, speed);
  for (const line of lines) {
    rest.push(line);
    switch (line.word('kind', KINDS)) {
      case 'device':
        devices.push({
          device: line.readPseudonym('device'),
          type: line.nameOrNull('type'),
          firmware: line.readVersionOrNull('firmware'),
        });
        break;
      case 'uplink':
        uplinks.push(readUplink(line, uplinks.length + 1));
        break;
      case 'downlink':
        downlinks.push(readDownlink(line, downlinks.length + 1));
        break;
      case 'values':
        values.push(readRange(line));
        break;
      default:
    }
  }
  if (header !== undefined && first !== undefined) {
    first.checkCount('devices', devices.length);
    first.checkCount('uplinks', uplinks.length);
    first.checkCount('downlinks', downlinks.length);
  }
  const known = new Set(devices.map(({ device }) => device));
  for (const line of rest) {
    const device = line.fields?.device;
    if (typeof device === 'string' && !known.has(device)) line.report(`unknown device ${quote(device)}`);
    const answer = line.fields?.answer;
    if (typeof answer === 'number' && answer > uplinks.length) line.report(`"answer": unknown uplink ${answer}`);
  }
  const cut = typeof header?.cut === 'string' ? header.cut : null;
  return { from, until, speed, cut, devices, uplinks, downlinks, values };
}

function checkHeader(line: RecordingLine, header: Fields, length: number, speed: number): void {
  if (header.kind !== 'recording') return line.report('the first line is not the header of a recording');
  if (header.version !== VERSION)
    line.report(`unsupported version ${quote(header.version ?? null)}, expected ${VERSION}`);
  else if (length < 0) line.report('"until" is before "from"');
  else if (length > LONGEST_WINDOW)
    line.report(`from "from" to "until" are ${humanDuration(length)}, more than ${humanDuration(LONGEST_WINDOW)}`);
  else if (length * speed > LONGEST_WINDOW) {
    const own = `the devices lived through ${humanDuration(length * speed)}`;
    line.report(`${own} at this "speed", more than ${humanDuration(LONGEST_WINDOW)}`);
  }
}

function readUplink(line: RecordingLine, n: number): RecordedUplink {
  line.checkOrder(n);
  return {
    n,
    at: line.readWhole('at'),
    device: line.readPseudonym('device'),
    type: line.word('type', UPLINK_TYPES) ?? 'other',
    size: line.readWhole('size'),
    reportEvery: line.readWholeOrNull('reportEvery'),
    pollEvery: line.readWholeOrNull('pollEvery'),
    firmware: line.readVersionOrNull('firmware'),
  };
}

function readDownlink(line: RecordingLine, n: number): RecordedDownlink {
  line.checkOrder(n);
  return {
    n,
    at: line.readWhole('at'),
    device: line.readPseudonym('device'),
    type: line.word('type', DOWNLINK_TYPES) ?? 'other',
    size: line.readWhole('size'),
    scheduled: line.readWholeOrNull('scheduled'),
    state: line.word('state', DOWNLINK_STATES) ?? 'pending',
    ended: line.readWholeOrNull('ended'),
    attempts: line.readWhole('attempts'),
    answer: line.readWholeOrNull('answer'),
  };
}

function readRange(line: RecordingLine): ValueRange {
  const given = line.fields?.key;
  const key = typeof given === 'string' ? given : '';
  if (!/^[a-z][a-z0-9_.]{0,400}$/.test(key)) line.report(`invalid name of a value: ${quote(given ?? null)}`);
  return {
    device: line.readPseudonym('device'),
    key,
    min: line.number('min'),
    max: line.number('max'),
    count: line.readWhole('count'),
  };
}

/** One line of the file. Each invalid field is reported as a problem and replaced by a default. */
class RecordingLine {
  readonly fields: Fields | undefined;
  readonly #line: number;
  readonly #file: string;
  readonly #problems: Problem[];

  constructor(text: string, line: number, file: string, problems: Problem[]) {
    this.#line = line;
    this.#file = file;
    this.#problems = problems;
    this.fields = parseObject(text);
    if (this.fields === undefined && (text !== '' || line === 1)) this.report(`${quote(text)} is not a JSON object`);
  }

  /** @throws InputError if the file has too many problems */
  report(message: string): void {
    this.#problems.push({ file: this.#file, line: this.#line, column: 1, message });
    if (this.#problems.length < MOST_PROBLEMS) return;
    throw new InputError(this.#problems, `the file was read only up to its problem ${MOST_PROBLEMS}`);
  }

  /** Checks the number of an entry: entries are numbered from 1. */
  checkOrder(n: number): void {
    if (this.fields?.n !== n) this.#reportWrong('n', `${n}, the next number`);
  }

  /** Checks a count of the header. */
  checkCount(name: string, count: number): void {
    if (this.fields?.[name] !== count) this.#reportWrong(name, `${count}, the number in the file`);
  }

  readWhole(name: string): number {
    const value = this.fields?.[name];
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
    this.#reportWrong(name, 'a whole number from 0');
    return 0;
  }

  readWholeOrNull(name: string): number | null {
    const value = this.fields?.[name] ?? null;
    return value === null ? null : this.readWhole(name);
  }

  /** Speed of the header. Default: 1 */
  speed(): number {
    const value = this.fields?.speed ?? 1;
    if (typeof value === 'number' && value > 0) return value;
    this.#reportWrong('speed', 'a number above 0');
    return 1;
  }

  number(name: string): number {
    const value = this.fields?.[name];
    if (typeof value === 'number') return value;
    this.#reportWrong(name, 'a number');
    return 0;
  }

  time(name: string): number | undefined {
    const value = this.fields?.[name];
    const time = typeof value === 'string' ? parseTimeOrDate(value) : undefined;
    if (time === undefined && this.fields?.kind === 'recording')
      this.#reportWrong(name, 'a time such as "2026-03-02T06:00:00Z"');
    return time;
  }

  word<W extends string>(name: string, words: readonly W[]): W | undefined {
    const value = this.fields?.[name];
    const word = words.find((known) => known === value);
    if (word === undefined) this.#reportWrong(name, orList(words.map(quote)));
    return word;
  }

  readPseudonym(name: string): string {
    const value = this.fields?.[name];
    if (typeof value === 'string' && /^d[1-9]\d{0,6}$/.test(value)) return value;
    this.#reportWrong(name, 'a pseudonym such as "d1"');
    return 'd1';
  }

  nameOrNull(name: string): string | null {
    const value = this.fields?.[name] ?? null;
    if (value === null || (typeof value === 'string' && /^[a-z0-9-]{1,64}$/.test(value))) return value;
    this.#reportWrong(name, 'the name of a profile, or null');
    return null;
  }

  readVersionOrNull(name: string): string | null {
    const value = this.fields?.[name] ?? null;
    if (value === null || (typeof value === 'string' && /^\d+\.\d+\.\d+(-[a-z0-9.]{1,20})?$/.test(value))) return value;
    this.#reportWrong(name, 'a version such as 3.5.5, or null');
    return null;
  }

  #reportWrong(name: string, wanted: string): void {
    const value = this.fields?.[name];
    this.report(
      value === undefined ? `"${name}" is missing, expected ${wanted}` : `"${name}": ${quote(value)} is not ${wanted}`,
    );
  }
}

function parseObject(text: string): Fields | undefined {
  const value = foreignJson(text);
  return isObject(value) ? value : undefined;
}
