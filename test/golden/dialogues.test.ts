/**
 * One device of each type talks to the cloud exactly as in its golden dialogue, which was checked against the documents.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recordDialogue } from '../../scripts/golden/dialogue.js';
import { diffLines } from '../../scripts/golden/diff.js';
import { currentLines, goldenLines, goldenNames } from '../../scripts/golden/files.js';
import { renderDialogue } from '../../scripts/golden/render.js';
import { packagedProfiles } from '../../src/profile/library.js';

const profiles = packagedProfiles();

/** Maximum number of lines of a difference that a failed test shows; `npm run golden -- <name>` shows all. */
const SHOWN = 60;

describe('a dialogue with the cloud', () => {
  it('is recorded for every device type', () => {
    expect(goldenNames().filter((name) => profiles.has(name))).toEqual([...profiles.keys()].sort());
  });

  it.each(goldenNames())('of %s is the same as in the golden file', async (name) => {
    const difference = diffLines(goldenLines(name), await currentLines(name, profiles));
    expect(difference.slice(0, SHOWN).join('\n')).toBe('');
  });

  it('never shows the claim token', async () => {
    const file = 'test/golden/demo.yaml';
    const dialogue = await recordDialogue(readFileSync(file, 'utf8'), file, profiles);
    const token = Buffer.from(dialogue.token).toString('hex');
    expect(token).toHaveLength(32);
    expect(renderDialogue(dialogue).join('\n')).not.toContain(token);
  });

  it('has one device; a scenario with more devices is rejected', async () => {
    const text = 'name: two\nduration: 1h\nfleet: [{ name: clime, profile: clime, count: 2 }]\n';
    await expect(recordDialogue(text, 'two.yaml', profiles)).rejects.toThrow('two.yaml has 2 devices');
  });
});

describe('a difference', () => {
  it('shows removed and added lines, with their context and position', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const after = ['a', 'b', 'c', 'd', 'X', 'f', 'g', 'h', 'i'];
    expect(diffLines(before, after)).toEqual(['@ 2', '  b', '  c', '  d', '- e', '+ X', '  f', '  g', '  h', '+ i']);
  });

  it('is empty for equal texts, and the whole text for an empty one', () => {
    expect(diffLines(['a', 'b'], ['a', 'b'])).toEqual([]);
    expect(diffLines([], ['a', 'b'])).toEqual(['@ 1', '+ a', '+ b']);
  });
});
