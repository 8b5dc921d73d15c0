import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/kernel/errors.js';
import { compareLogs } from '../../src/trace/diverge/compare.js';
import type { TraceEvent } from '../../src/trace/events.js';

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-diverge-'));
afterAll(() => rmSync(directory, { recursive: true }));

function log(name: string, events: readonly TraceEvent[], tail = ''): string {
  const path = join(directory, name);
  writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join('') + tail);
  return path;
}

/** `count` events of three devices, one a second. */
function eventsOf(count: number): TraceEvent[] {
  return Array.from({ length: count }, (_, i) => ({
    kind: 'uplink.made',
    at: i * 1000,
    serial: (i % 3) + 1,
    uplink: Math.floor(i / 3) + 1,
    type: 'data',
    bytes: 100,
  }));
}

describe('two event logs', () => {
  it('with the same 20,000 events have no difference', () => {
    const events = eventsOf(20_000);
    const comparison = compareLogs(log('a', events), log('b', events));
    expect(comparison).toEqual({ difference: undefined, reordered: { count: 0, first: undefined }, same: 20_000 });
  });

  it('differ in exactly the event and field that was changed', () => {
    const events = eventsOf(300);
    const pathA = log('a', events);
    fc.assert(
      fc.property(fc.nat({ max: 299 }), (index) => {
        const changed = events.map((event, i) => (i === index ? ({ ...event, bytes: 7 } as TraceEvent) : event));
        const { difference, same } = compareLogs(pathA, log('b', changed));
        expect(same).toBe(index);
        expect(difference?.fields).toEqual(['bytes']);
        expect([difference?.a?.line, difference?.b?.line]).toEqual([index + 1, index + 1]);
        expect(difference?.b?.event).toEqual(changed[index]);
        for (const { event } of difference?.before ?? []) expect(event).toMatchObject({ serial: (index % 3) + 1 });
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['without end', '', [1, 1]],
    ['after other lines', `${JSON.stringify({ kind: 'world.closing', at: 1 })}\n`, [2, 2]],
  ])('with a line of megabytes %s are rejected with the file and the line', (_, before, [line]) => {
    const [a, b] = [log('a', [], `${before}${'x'.repeat(3_000_000)}`), log('b', [], `${before}${'y'.repeat(9)}\n`)];
    expect(() => compareLogs(a, b)).toThrow(`${a}:${line}: not an event: the line is longer than 1 MiB`);
    expect(() => compareLogs(b, a)).toThrow(UsageError);
  });

  it('with a long line before the difference are rejected with its number', () => {
    const long = JSON.stringify({ kind: 'world.closing', at: 1, why: 'x'.repeat(1_200_000) });
    const first = '{"kind":"world.closing","at":0}';
    const [a, b] = [1, 2].map((at) => log(`${at}`, [], `${first}\n${long}\n{"kind":"uplink.made","at":${at}}\n`));
    expect(() => compareLogs(a ?? '', b ?? '')).toThrow(`${a}:2: not an event: the line is longer than 1 MiB`);
  });

  it('differ after several equal megabytes', () => {
    const events = eventsOf(30_000);
    const changed = events.map((event, i) => (i === 29_000 ? ({ ...event, type: 'shell' } as TraceEvent) : event));
    const { difference } = compareLogs(log('a', events), log('b', changed));
    expect(difference).toMatchObject({ a: { line: 29_001 }, fields: ['type'] });
    expect(difference?.before.map(({ line }) => line)).toEqual([28_989, 28_992, 28_995, 28_998]);
    expect(difference?.afterA.map(({ line }) => line)).toEqual([29_004, 29_007, 29_010, 29_013]);
  });

  it('differ when one ends earlier', () => {
    const events = eventsOf(10);
    const { difference, same } = compareLogs(log('a', events), log('b', events.slice(0, 6)));
    expect(same).toBe(6);
    expect(difference).toMatchObject({ a: { line: 7 }, b: undefined });
  });

  it('with a different order of events at one instant are reported as reordered and compared further', () => {
    const events = eventsOf(9).map((event, i) => (i < 3 ? event : { ...event, at: Math.floor(i / 3) * 5000 }));
    const swapped = [...events.slice(0, 4), events[5], events[4], ...events.slice(6)] as TraceEvent[];
    expect(compareLogs(log('a', events), log('b', swapped))).toMatchObject({
      difference: undefined,
      reordered: { count: 1, first: { a: { line: 5 }, b: { line: 5 } } },
      same: 9,
    });
    const changed = swapped.map((event, i) => (i === 8 ? ({ ...event, bytes: 1 } as TraceEvent) : event));
    expect(compareLogs(log('a', events), log('b', changed))).toMatchObject({
      difference: { a: { line: 9 }, fields: ['bytes'] },
      reordered: { count: 1 },
    });
  });

  it('with a broken line where they differ are rejected with file and line', () => {
    const events = eventsOf(3);
    const broken = log('b', events, '{"kind":"uplink.ma');
    expect(() => compareLogs(log('a', eventsOf(5)), broken)).toThrow(`${broken}:4: not an event`);
    expect(() => compareLogs(broken, join(directory, 'nowhere'))).toThrow('file not found');
    expect(() => compareLogs(directory, broken)).toThrow('not a regular file');
  });

  it('with an event without a time are rejected', () => {
    const path = log('a', [], '{"kind":"uplink.made","at":null}\n');
    expect(() => compareLogs(path, path)).toThrow(`${path}:1: not an event`);
  });

  it('with an event that is nested too deep are rejected', () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const path = log('a', [], `{"kind":"uplink.made","at":1,"x":${deep}}\n`);
    expect(() => compareLogs(path, path)).toThrow(`${path}:1: not an event`);
  });

  it('that are named pipes are rejected without waiting for a writer', () => {
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(() => compareLogs(pipe, pipe)).toThrow('not a regular file');
  });

  it('that are not event logs are rejected, even if they are identical', () => {
    const path = log('a', [], 'hello\n');
    expect(() => compareLogs(path, path)).toThrow(`${path}:1: not an event: "hello"`);
  });
});
