import { expect, it } from 'vitest';
import type { Host } from '../../src/cli/host.js';
import { ProgressDisplay } from '../../src/cli/progress-display.js';
import type { Plan } from '../../src/scenario/model/plan.js';

it('a wait for the target is announced at once, also before the run begins, and not for every second of it', () => {
  const written: string[] = [];
  const err = { write: (text: string) => void written.push(text), isTerminal: false, columns: 80 };
  // The casts are safe because the display uses nothing else of them before the run begins.
  const display = new ProgressDisplay({ err, stopwatch: () => 0 } as unknown as Host, {} as Plan);
  display.showWait({ status: 429, delay: 61_000 });
  expect(written).toEqual(['the target rejects requests (429), so the run waits 1m 01s; Ctrl-C ends the run\n']);
  display.showWait(undefined);
  display.showWait({ status: 429, delay: 60_000 });
  display.end();
  expect(written).toHaveLength(1);
});

it('a wait of the clean-up is announced as such, also directly after one of the run', () => {
  const written: string[] = [];
  const err = { write: (text: string) => void written.push(text), isTerminal: false, columns: 80 };
  const display = new ProgressDisplay({ err, stopwatch: () => 0 } as unknown as Host, {} as Plan);
  display.showWait({ status: 429, delay: 45_000 });
  display.showWait(undefined);
  display.showWait({ status: 429, delay: 41_000, cleansUp: true });
  display.end();
  expect(written[1]).toBe(
    'the target rejects requests (429), so the removal of what the run created waits 41s; Ctrl-C leaves it\n',
  );
});

it.each([
  [true, {}, /^\r\[/],
  [true, { TERM: 'dumb' }, / real\n$/],
  [false, {}, / real\n$/],
] as const)('the progress (terminal: %s, environment %j) contains no code of a terminal', (isTerminal, env, form) => {
  const written: string[] = [];
  const err = { write: (text: string) => void written.push(text), isTerminal, columns: 80 };
  let now = 0;
  const host = { err, env, stopwatch: () => (now += 6000) } as unknown as Host;
  const display = new ProgressDisplay(host, { duration: 120_000, devices: [] } as unknown as Plan);
  let looks = 0;
  const after = (_: number, __: string, work: () => void) => {
    if (looks++ < 2) work();
    return { cancel: () => {} };
  };
  display.follow({ clock: { now: 60_000, after }, metrics: { read: () => undefined } } as never);
  display.end();
  expect(written[0]).toMatch(form);
  expect(written.join('')).not.toContain('\u001b');
});
