/** The summaries of runs as Markdown. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainMarkdown } from '../../src/report/markdown.js';
import { renderJunit } from '../../src/report/renderers/junit.js';
import { renderMarkdown } from '../../src/report/renderers/markdown.js';
import { summariseSeeds, writeSeedsMarkdown, writeSeedsText } from '../../src/report/seeds.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet } from '../support/host.js';
import { resultOf } from './fixtures.js';

const failed = {
  line: 'a < 1',
  passed: false,
  left: 2,
  right: 1,
  unit: 'count',
  sentence: 'a is 2, wanted < 1',
} as const;

it('has the verdict, the command, each expectation with its result, and the folded report', () => {
  const text = renderMarkdown(resultOf({ passed: false, expectations: [failed], warnings: ['1 device was late'] }));
  expect(text).toMatch(/^### first-fleet: FAILED\n/);
  expect(text).toContain('- ghostfleet run scenarios/first-fleet.yaml --seed 7');
  expect(text).toContain('\n| ✗ | a &lt; 1 | a is 2, wanted &lt; 1 |\n');
  expect(text).toContain('- ⚠️ 1 device was late\n');
  expect(text).toMatch(/<details><summary>Report<\/summary>\n\n<pre>first-fleet · seed 7/);
});

it('lets no text of a scenario make markup, end a cell or the folded report', () => {
  const evil = 'x | </pre></details> <img src=x> [a](b) @all\n# title';
  const text = renderMarkdown(resultOf({ scenario: evil, failure: evil, expectations: [{ ...failed, line: evil }] }));
  expect(text.match(/<\/pre>/g)).toHaveLength(1);
  expect(text).not.toContain('<img');
  expect(text).not.toMatch(/^# title/m);
  expect(text.split('<details>')[0]).not.toMatch(/[^\\]@all/);
  const row = text.split('\n').find((line) => line.startsWith('| ✗')) ?? '';
  expect(row.match(/(?<!\\)\|/g)).toHaveLength(4);
});

it.each(['https://evil.example/x', 'WWW.evil.example', 'see @all', 'fixes #12', 'merge !7', '~bug', 'me@evil.example'])(
  'divides %j, so that GitHub and GitLab make no link, mention or reference of it',
  (evil) => {
    const { length } = plainMarkdown(evil).replaceAll(/<!-- -->|\\/g, '');
    expect(length).toBe(evil.length);
    expect(plainMarkdown(evil)).toMatch(/[@#!~:w]<!-- -->/i);
  },
);

it('leaves numbers, percents and times as they are', () => {
  const line = 'downlink.answered p(95) > +10%: 5 min, 07:30';
  expect(plainMarkdown(line)).toBe(line);
});

it('of several seeds has a row for each expectation, with the seeds that failed', () => {
  const text = writeSeedsMarkdown(
    summariseSeeds('first-fleet', [resultOf(), resultOf({ seed: 8, passed: false, expectations: [failed] })], 3),
  );
  expect(text).toMatch(/^### first-fleet: NOT FINISHED · 1 of 3 runs passed, 1 gave no result\n/);
  expect(text).toContain('failed with seed 8');
});

describe('the reason of failed requests', () => {
  const call = { call: 'd', intended: 0, at: 0, sent: 0 } as const;
  const events: TraceEvent[] = Array.from({ length: 60 }, () => [
    { kind: 'call.sent' as const, ...call },
    { kind: 'call.done' as const, ...call, status: 200, why: '$[0].name == nope does not hold', found: '"x"' },
  ]).flat();
  const line = 'call.failed == 0';
  const expectation = { ...failed, line, left: 60, right: 0, sentence: 'call.failed is 60, wanted == 0' };
  const red = resultOf({ passed: false, exitCode: 3, expectations: [expectation] }, events);
  const reason = 'status 200: $[0].name == nope does not hold: it is "x" (d)';

  it('is beside the expectation in the Markdown of a run', () => {
    expect(renderMarkdown(red).split('<details>')[0]).toContain(plainMarkdown(`60 × ${reason}`));
  });

  it('is in the failure of JUnit', () => {
    const [, message] = /<failure message="([^"]*)"/.exec(renderJunit(red)) ?? [];
    expect(message).toBe(`call.failed is 60, wanted == 0. Requests failed: 60 × ${reason.replaceAll('"', '&quot;')}.`);
  });

  it('is in the text and the Markdown of several seeds, summed up', () => {
    const over = summariseSeeds('first-fleet', [red, { ...red, seed: 8 }, resultOf({ seed: 9 })], 3);
    expect(writeSeedsText(over)).toContain(`\n${line}: Requests failed: 120 × ${reason}.\n`);
    expect(writeSeedsMarkdown(over).split('<details>')[0]).toContain(plainMarkdown(`120 × ${reason}`));
  });
});

it.each<[string, boolean]>([
  ['is interrupted before a run has ended', true],
  ['gives no result', false],
])('of several seeds is also written if the command %s', async (_, isInterrupted) => {
  const folder = folderOfTest();
  const scenario = join(folder, 'small.yaml');
  writeFileSync(scenario, 'name: small\nduration: 10m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n');
  const summary = join(folder, 'summary.md');
  writeFileSync(summary, '### small: passed OLD\n');
  // A file in place of the folder of each seed.
  for (const seed of [1, 2]) writeFileSync(join(folder, `seed-${seed}`), '');
  let started = () => {};
  const began = new Promise<void>((resolve) => {
    started = resolve;
  });
  const words = ['run', scenario, '--seeds', '2', '--workers', '1', '--markdown', summary, '--out', folder];
  const { exit } = await ghostfleet(words, isInterrupted ? { interruptWhen: began, started: () => started() } : {});
  expect(exit).toBe(isInterrupted ? 130 : 2);
  expect(readFileSync(summary, 'utf8')).toMatch(/^### small: NOT FINISHED · 0 of 2 runs passed, 2 gave no result\n/);
});

it.each([[[]], [['--seeds', '2']]])('run --markdown %j writes the summary', async (more) => {
  const folder = folderOfTest();
  const scenario = join(folder, 'small.yaml');
  writeFileSync(
    scenario,
    'name: small\nduration: 10m\nfleet: [{ name: clime, profile: clime, count: 1 }]\nexpect: [device.ready == 1]\n',
  );
  const summary = join(folder, 'summary.md');
  expect(await ghostfleet(['run', scenario, '--markdown', summary, ...more])).toMatchObject({ exit: 0 });
  expect(readFileSync(summary, 'utf8')).toMatch(/^### small: (2 of 2|passed)[\s\S]*\| ✓ \| device\.ready == 1 \|/);
});

it('a summary that cannot be written is an error before the run', async () => {
  const { exit, out, err } = await ghostfleet(['run', 'demo', '--markdown', join(folderOfTest(), 'none', 'x.md')]);
  expect([exit, out, err]).toEqual([2, '', expect.stringContaining('cannot write')]);
});

it.each(['\u001b[31m', '\u202e', '\u0007'])('shows the control character in %j as its number', (text) => {
  const [sign] = [...text];
  expect(plainMarkdown(text)).not.toContain(sign);
  expect(plainMarkdown(text)).toMatch(/^\\{1,2}u[\da-f]{4}/);
});
