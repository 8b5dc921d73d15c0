import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/kernel/errors.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { type LineSink, TraceLog } from '../../src/trace/log.js';
import { DigestSink, FileSink } from '../../src/trace/sinks.js';

const directories: string[] = [];

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-trace-'));
  directories.push(directory);
  return directory;
}

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function ready(at: number, serial = 1): TraceEvent {
  return { kind: 'device.ready', at, serial };
}

describe('a trace log', () => {
  it('passes every event to every fold, at once and in order', () => {
    const seen: string[] = [];
    const log = new TraceLog([
      { take: (event) => seen.push(`a${event.at}`) },
      { take: (event) => seen.push(`b${event.at}`) },
    ]);
    log.emit(ready(1));
    log.emit(ready(2));
    expect(seen).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect(log.events).toBe(2);
  });

  it('writes one line of JSON per event, in batches, and the last lines when it is closed', () => {
    const batches: string[] = [];
    let closed = false;
    const sink: LineSink = {
      write: (lines) => batches.push(lines),
      close: () => {
        closed = true;
      },
    };
    const log = new TraceLog([], [sink]);
    for (let at = 0; at < 3000; at++) log.emit(ready(at));
    const before = batches.length;
    log.close();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(10);
    const lines = batches.join('').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).at)).toEqual(Array.from({ length: 3000 }, (_, at) => at));
    expect(closed).toBe(true);
  });

  it('has as its digest the SHA-256 of the event file', () => {
    const path = join(scratch(), 'events.jsonl');
    const digest = new DigestSink();
    const log = new TraceLog([], [digest, new FileSink(path)]);
    for (let at = 0; at < 5000; at++) log.emit(ready(at, at % 7));
    log.close();
    expect(digest.full).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
    expect(digest.short).toBe(digest.full.slice(0, 16));
  });

  it('has a different digest if one event differs', () => {
    const digests = [5, 6].map((at) => {
      const digest = new DigestSink();
      const log = new TraceLog([], [digest]);
      log.emit(ready(at));
      log.close();
      return digest.short;
    });
    expect(digests[0]).not.toBe(digests[1]);
  });
});

describe('the event file', () => {
  it('is truncated by every run', () => {
    const path = join(scratch(), 'events.jsonl');
    for (const text of ['first and longer\n', 'second\n']) {
      const sink = new FileSink(path);
      sink.write(text);
      sink.close();
    }
    expect(readFileSync(path, 'utf8')).toBe('second\n');
  });

  it('that cannot be written is reported as a usage error', () => {
    const path = join(scratch(), 'missing', 'events.jsonl');
    expect(() => new FileSink(path)).toThrow(UsageError);
    expect(() => new FileSink(path)).toThrow(`cannot write the event log "${path}"`);
  });

  // /dev/full is a device file of Linux that is always full.
  it.skipIf(!existsSync('/dev/full'))('on a full disk throws on every write and on close', () => {
    const sink = new FileSink('/dev/full');
    for (let time = 0; time < 2; time++) expect(() => sink.write('a line\n')).toThrow('the disk is full');
    expect(() => sink.close()).toThrow('the disk is full');
  });
});
