/** Scenarios in the documents can be read, and links of the documents work. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES } from '../../scripts/pages/pages.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { FAULT_NAMES } from '../../src/scenario/faults/index.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { SETUP_NAMES } from '../../src/scenario/setup/index.js';
import { STEP_NAMES } from '../../src/scenario/steps/index.js';

const DOCUMENTS = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
];
const types = describeDeviceTypes(packagedProfiles());

const scenarios = DOCUMENTS.flatMap((document) =>
  [...readFileSync(document, 'utf8').matchAll(/```yaml\n(name: .*?)```/gs)].map(([, text = ''], i) => ({
    what: `${document}, example ${i + 1}`,
    text,
  })),
);

describe('the documents', () => {
  it('show at least three scenarios', () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(3);
  });

  it.each(scenarios)('show a scenario that can be read: $what', ({ what, text }) => {
    expect(parseScenario(text, what, types).fleet.length).toBeGreaterThan(0);
  });

  it('name every step and every kind of setup', () => {
    const text = readFileSync('docs/SCENARIOS.md', 'utf8') + readFileSync('docs/FAULTS.md', 'utf8');
    expect([...STEP_NAMES, ...SETUP_NAMES].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('have one row for each fault, in the order of their list', () => {
    const rows = [...readFileSync('docs/FAULTS.md', 'utf8').matchAll(/^\| `([^`]+)` \| `\1:/gm)].map(
      ([, name]) => name,
    );
    expect(rows).toEqual(FAULT_NAMES);
  });

  it('link to files that exist, or that the build writes', () => {
    const missing = DOCUMENTS.flatMap((document) => {
      return [...readFileSync(document, 'utf8').matchAll(/\]\((?!http|#)([^)#]+)[^)]*\)/g)].flatMap(([, path = '']) => {
        if (join(dirname(document), path) in PAGES) return [];
        try {
          readdirSync(join(dirname(document), path));
          return [];
        } catch (error) {
          return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [`${document}: ${path}`] : [];
        }
      });
    });
    expect(missing).toEqual([]);
  });
});
