import { describe, expect, it } from 'vitest';
import { wrap, writeTable } from '../../src/kernel/table.js';
import { drawBar, writePlainProgress, writeProgress } from '../../src/report/progress.js';

type Progress = Parameters<typeof writeProgress>[0];

function progressOf(changes: Partial<Progress> = {}): Progress {
  return {
    simulated: 1_800_000,
    duration: 7_200_000,
    wall: 4100,
    devices: 300,
    ready: 299,
    uplinksStored: 1204,
    downlinksQueued: 210,
    downlinksDelivered: 180,
    ...changes,
  };
}

describe('progress', () => {
  it.each([
    [120, '[█████░░░░░░░░░░░░░░░]  25% 30m of 2h · 299/300 ready · 1,204 uplinks stored · 180/210 downlinks delivered'],
    [100, '[█████░░░░░░░░░░░░░░░]  25% 30m of 2h · 299/300 ready · 1,204 up · 180/210 down'],
    [72, '[███░░░░░░░]  25% 30m of 2h · 299/300 ready · 1,204 up · 180/210 down'],
    [62, ' 25% 30m of 2h · 299/300 ready · 1,204 up · 180/210 down'],
    [50, ' 25% 299/300 ready · 1,204 up · 180/210 down'],
    [40, ' 25% 1,204 up · 180/210 down'],
    [12, ' 25% 1,204 …'],
  ])('on a terminal of %d columns is one line, which leaves out the counts last', (columns, line) => {
    expect(writeProgress(progressOf(), columns)).toBe(line);
  });

  it('uses the singular for one uplink', () => {
    expect(writePlainProgress(progressOf({ uplinksStored: 1 }))).toContain(' · 1 uplink stored · ');
  });

  it('in a log is a plain line with the real time', () => {
    expect(writePlainProgress(progressOf({ downlinksQueued: 0 }))).toBe(
      '30m of 2h · 299/300 ready · 1,204 uplinks stored · 4.1s real',
    );
  });

  it('shows that the run is settling after its duration', () => {
    expect(writeProgress(progressOf({ simulated: 7_200_001 }))).toContain('100% settling');
  });

  it('begins with the wait for a cloud that rejects requests, however narrow the terminal is', () => {
    const waiting = { left: 43_200, status: 429 };
    const line =
      '[█████░░░░░░░░░░░░░░░]  25% waiting 43.2s (429) · 30m of 2h · 299/300 ready · 1,204 up · 180/210 down';
    expect(writeProgress(progressOf({ waiting }), 120)).toBe(line);
    expect(writeProgress(progressOf({ waiting }), 50)).toContain('waiting 43.2s (429)');
    expect(writePlainProgress(progressOf({ waiting }))).toMatch(/^waiting 43\.2s \(429\) · 30m of /);
  });

  it('says that the clean-up waits, in place of the progress', () => {
    const waiting = { left: 43_200, status: 429, cleansUp: true };
    const words = 'removing what the run created, waiting 43.2s (429); Ctrl-C leaves it';
    expect(writeProgress(progressOf({ waiting }), 120)).toContain(words);
    expect(writePlainProgress(progressOf({ waiting }))).toContain(words);
    expect(writePlainProgress(progressOf({ waiting }))).not.toContain('ready');
  });

  it('of a run without a duration is complete', () => {
    expect(writeProgress(progressOf({ simulated: 0, duration: 0 }))).toContain('100%');
  });
});

describe('a bar', () => {
  it.each([
    [0, '░░░░'],
    [0.5, '██░░'],
    [1, '████'],
    [7, '████'],
    [-1, '░░░░'],
  ])('of %d is %s', (share, drawn) => {
    expect(drawBar(share, 4)).toBe(drawn);
  });
});

describe('a table', () => {
  it('has columns as wide as their widest cell, and no spaces at the end of a line', () => {
    const columns = [{ title: 'name' }, { title: 'n', align: 'right' }, { title: '' }] as const;
    expect(
      writeTable(columns, [
        ['a', '100', ''],
        ['longer', '1', 'x'],
      ]),
    ).toEqual(['name      n', 'a       100', 'longer    1  x']);
  });

  it('without rows has only its titles', () => {
    expect(writeTable([{ title: 'a' }, { title: 'b' }], [])).toEqual(['a  b']);
  });
});

describe('wrapping', () => {
  it('breaks at spaces, and never within a word', () => {
    expect(wrap('one two three incomprehensibilities', 9)).toEqual(['one two', 'three', 'incomprehensibilities']);
  });
});
