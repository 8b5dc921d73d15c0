/** The file of a recording. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { InputError } from '../../src/input/problems.js';
import { readRecording } from '../../src/record/read.js';
import { writeRecording } from '../../src/record/write.js';
import { downlink, recording, uplink } from './fixtures.js';

const SAMPLE = recording(
  [uplink(0, { type: 'session' }), uplink(1000, { type: 'config', reportEvery: 900, pollEvery: 0 }), uplink(60_000)],
  [downlink(500, 60_400), downlink(70_000, null, { type: 'shell' })],
  {
    values: [{ device: 'd1', key: 'thermometer.temperature', min: -3.5, max: 21, count: 2 }],
    devices: [{ device: 'd1', type: 'clime', firmware: '3.5.5' }],
    cut: 'interrupted by SIGINT',
    speed: 60,
  },
);

function thrownBy(read: () => unknown): InputError {
  try {
    read();
    return new InputError([]);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

/** The problems of the sample file after `change`. */
function problemsOf(change: (text: string) => string): readonly string[] {
  const { message } = thrownBy(() => readRecording(change(writeRecording(SAMPLE)), 'a.jsonl'));
  return message === '' ? [] : message.split('\n');
}

describe('the file of a recording', () => {
  it('has the same content after writing and reading', () => {
    expect(readRecording(writeRecording(SAMPLE), 'a.jsonl')).toEqual(SAMPLE);
  });

  it('may begin with a byte order mark, and have the line ends of Windows', () => {
    const text = `\ufeff${writeRecording(SAMPLE).replaceAll('\n', '\r\n')}`;
    expect(readRecording(text, 'a.jsonl')).toEqual(SAMPLE);
  });

  it('accepts only a version as the firmware of a device, and a device without firmware', () => {
    expect(problemsOf((text) => text.replace('"3.5.5"', '"cellar of mrs novak"'))).toEqual([
      'a.jsonl:2:1: "firmware": "cellar of mrs novak" is not a version such as 3.5.5, or null',
    ]);
    expect(problemsOf((text) => text.replace(',"firmware":"3.5.5"', ''))).toEqual([]);
  });

  it('reports an object as the name of a value, also one that cannot become a text', () => {
    const name = '{"toString":1,"valueOf":1}';
    expect(problemsOf((text) => text.replace('"thermometer.temperature"', name))).toEqual([
      expect.stringContaining('invalid name of a value: '),
    ]);
  });

  it('without a speed has speed 1', () => {
    expect(readRecording(writeRecording(SAMPLE).replace('"speed":60,', ''), 'a.jsonl').speed).toBe(1);
  });

  it('has the same content after writing and reading, for any times and sizes', () => {
    const entry = fc.record({ at: fc.nat(3_600_000), size: fc.nat(), device: fc.constantFrom('d1', 'd2') });
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), (ups, downs) => {
        const made = recording(
          ups.map(({ at, ...more }) => uplink(at, more)),
          downs.map(({ at, ...more }) => downlink(at, at + 7, more)),
        );
        expect(readRecording(writeRecording(made), 'a.jsonl')).toEqual(made);
      }),
      { numRuns: 30 },
    );
  });

  it('that ends in the middle of a line is rejected with the number of the line', () => {
    const problems = problemsOf((text) => text.slice(0, -20));
    expect(problems[0]).toMatch(/^a\.jsonl:8:1: ".*" is not a JSON object$/);
  });

  it('that lacks lines is rejected, because its header counts them', () => {
    expect(problemsOf((text) => text.split('\n').slice(0, -3).join('\n'))).toEqual([
      'a.jsonl:1:1: "downlinks": "2" is not 1, the number in the file',
    ]);
  });

  it.each([
    ['"version":1', '"version":2', '1:1: unsupported version "2", expected 1'],
    ['"speed":60', '"speed":0', '1:1: "speed": "0" is not a number above 0'],
    ['"kind":"recording"', '"kind":"run"', '1:1: the first line is not the header of a recording'],
    ['"type":"shell"', '"type":"ssh"', '7:1: "type": "ssh" is not "session", "timestamp", '],
    ['"at":60000', '"at":-1', '6:1: "at": "-1" is not a whole number from 0'],
    ['"at":60000,', '', '6:1: "at" is missing, expected a whole number from 0'],
    [
      '"device":"d1","type":"data"',
      '"device":"2159017985","type":"data"',
      '"device": "2159017985" is not a pseudonym such as "d1"',
    ],
    ['"device":"d1","type":"data"', '"device":"d9","type":"data"', 'unknown device "d9"'],
    ['"from":"2026-03-02T06', '"from":"2026-02-30T06', '1:1: "from": "2026-02-30T06:00:00.000Z" is not a time'],
  ])('with %s changed to %s is rejected', (from, to, message) => {
    expect(problemsOf((text) => text.replace(from, to)).join('\n')).toContain(message);
  });

  it('of another format is rejected with at most 51 lines of problems', () => {
    expect(problemsOf(() => 'name: x\n'.repeat(1000))).toHaveLength(51);
    expect(problemsOf(() => '')).toEqual(['a.jsonl:1:1: "" is not a JSON object']);
  });

  it.each([
    ['lines that are not JSON', 'x\n', 1008],
    ['objects of no kind', '{}\n', 1008],
    ['values of unknown devices', '{"kind":"values","device":"d9","key":"a","min":1,"max":2,"count":1}\n', 5009],
  ])('has at most 1000 problems, after which it is not read: %s', (_, line, read) => {
    const parse = vi.spyOn(JSON, 'parse');
    const thrown = thrownBy(() => readRecording(writeRecording(SAMPLE) + line.repeat(5000), 'a.jsonl'));
    const { length } = parse.mock.calls;
    parse.mockRestore();
    expect(thrown.problems).toHaveLength(1000);
    expect(thrown.hint).toBe('the file was read only up to its problem 1000');
    expect(length).toBeLessThanOrEqual(read);
  });

  it.each([
    ['"from":"2026-03-02', '"from":"1970-03-02', '1:1: from "from" to "until" are 20454d'],
    ['"until":"2026', '"until":"2100', '1:1: from "from" to "until" are 27028d'],
    ['"speed":60', '"speed":1e12', '1:1: the devices lived through '],
  ])('with a window that no replay can simulate is rejected: %s changed to %s', (from, to, message) => {
    const problems = problemsOf((text) => text.replace(from, to));
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toMatch(/, more than 3660d$/);
  });
});
