/** Completions of the scenario editor. In the texts, `|` is the cursor. */
import { expect, it } from 'vitest';
import { scenarioSchema } from '../../src/scenario/parse/schema.js';
import { completionsAt } from '../../web/src/pages/scenario/completion.js';

const words = {
  schema: JSON.parse(JSON.stringify(scenarioSchema())),
  profiles: [{ name: 'clime', about: 'a sensor' }],
  metrics: [{ name: 'uplink.stored', about: 'uplinks' }],
  examples: [],
};

function at(text: string): readonly string[] {
  const place = text.indexOf('|');
  return completionsAt(text.replace('|', ''), place, words)?.options.map(({ label }) => label) ?? [];
}

it.each([
  ['keys of the file', '|', 'duration'],
  ['keys of the file below others', 'name: a\nfl|', 'fleet'],
  ['keys of a group in braces', 'fleet:\n  - { name: a, |', 'profile'],
  ['keys of a group in a block', 'fleet:\n  - name: a\n    pro|\n    count: 3\n', 'profile'],
  ['keys of a step', 'steps:\n  - { at: 5m, com| }\n', 'commands'],
  ['kinds of faults', 'network:\n  faults:\n    - { out|, from: 1h }\n', 'outage'],
  ['profiles', 'fleet:\n  - { name: a, profile: cl|, count: 2 }\n', 'clime'],
  ['metrics at the beginning of an expectation', 'expect:\n  - upl|', 'uplink.stored'],
  ['metrics within an expectation', 'expect:\n  - uplink.sent == upl|', 'uplink.stored'],
  ['words of a choice', 'network:\n  faults:\n    - { outage: |', 'both'],
  ['switches', 'cloud:\n  allow-private: |', 'true'],
])('the completions contain %s', (_, text, wanted) => {
  expect(at(text)).toContain(wanted);
});

it('the completions do not contain keys that a map already has', () => {
  expect(at('name: a\nduration: 1h\n|')).not.toContain('name');
});

it('comments and unknown places are not completed', () => {
  expect([at('# na|'), at('unknown:\n  x|')]).toEqual([[], []]);
});
