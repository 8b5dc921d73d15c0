/** What a release takes from CHANGELOG.md. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkTag, notesOf } from '../../scripts/release/notes.js';

const CHANGELOG = `# Changelog

About it.

## [0.2.0] - 2027-01-02

### Changed

* One thing.

## [0.1.0]

The first version.
`;

describe('the notes of a release', () => {
  it('are the section of the version, with or without a date', () => {
    expect(notesOf(CHANGELOG, '0.2.0')).toBe('### Changed\n\n* One thing.\n');
    expect(notesOf(CHANGELOG, '0.1.0')).toBe('The first version.\n');
  });

  it.each(['', '## [Unreleased]\n\n* A line for the next version.\n\n'])(
    'exist for the version of package.json, whether or not the next one has begun: %j',
    (next) => {
      const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
      const changelog = readFileSync('CHANGELOG.md', 'utf8').replace(/^## \[\d/m, (heading) => `${next}${heading}`);
      expect(notesOf(changelog.slice(changelog.search(/^## \[\d/m)), version)).not.toBe('');
    },
  );

  it('must not be missing, empty, or below [Unreleased]', () => {
    expect(() => notesOf(CHANGELOG, '0.3.0')).toThrow('no section [0.3.0]');
    expect(() => notesOf(`${CHANGELOG}\n## [0.3.0]\n`, '0.3.0')).toThrow('says nothing about version 0.3.0');
    expect(() => notesOf(`## [Unreleased]\n\n* A line.\n\n${CHANGELOG}`, '0.2.0')).toThrow('move them below [0.2.0]');
  });
});

it.each(['0.1.0', 'v0.1', 'v0.1.0-rc.1', 'v0.2.0'])('the tag %s is not that of version 0.1.0', (tag) => {
  expect(() => checkTag(tag, '0.1.0')).toThrow(`the tag "${tag}" is not "v0.1.0"`);
  expect(() => checkTag('v0.1.0', '0.1.0')).not.toThrow();
});
