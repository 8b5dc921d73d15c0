/**
 * The files that the commands of a document need: the examples in the document, and sample files in place of those that a
 * reader would have (`my.yaml`).
 */
import { readFileSync } from 'node:fs';
import { scenariosOf } from './commands.js';

/** A reader's scenario, `my.yaml`. */
const MINE = `name: mine
duration: 90m
fleet:
  - { name: cellar, profile: clime, count: 4, boot: { over: 5m }, config: { interval-report: 600 } }
network: { latency: 150ms..900ms, loss: 1% }
steps:
  - { at: 1h, over: 20m, commands: [info show] }
expect:
  - downlink.delivered == downlink.queued
`;

/** A scenario that fails with every seed, because of its outage. */
const FAILING = `name: failing
duration: 2h
fleet:
  - { name: cellar, profile: clime, count: 3, config: { interval-report: 600 } }
  - { name: attic, profile: clime, count: 3, config: { interval-report: 600 } }
faults:
  - { outage: both, from: 50m, until: 90m }
steps:
  - { at: 1h, commands: [info show] }
expect:
  - downlink.delivered max < 20m
  - device.ready == fleet.devices
`;

/** The fleet of the consoles: some batteries are below 80 %. */
const CONSOLE_FLEET = `name: live
duration: 12h
fleet:
  - { name: cellar, profile: clime, count: 12, config: { interval-report: 1800 } }
  - { name: gate, profile: control, count: 2 }
steps:
  - { at: 1s, to: cellar/2, battery: { left: 60% } }
  - { at: 1s, to: cellar/4, battery: { left: 60% } }
`;

/** Files by document. A function makes the file from the text of the document. */
const FILES: Readonly<Record<string, Readonly<Record<string, string | ((page: string) => string)>>>> = {
  'README.md': { 'my-device.yaml': () => readFileSync('profiles/clime.yaml', 'utf8') },
  'docs/COMPARE.md': { 'my.yaml': MINE },
  'docs/CONSOLE.md': { 'fleet.yaml': CONSOLE_FLEET },
  'docs/DETERMINISM.md': { 'my.yaml': MINE, 'failing.yaml': FAILING },
  'docs/PROFILES.md': {
    'coldroom.yaml': (page) => /<!-- example: coldroom.yaml -->\n```yaml\n(.*?)^```$/ms.exec(page)?.[1] ?? '',
  },
  'docs/REPORTS.md': { 'my.yaml': MINE },
  'docs/SCENARIOS.md': { 'my.yaml': (page) => scenariosOf(page).get('smallest') ?? '' },
  'docs/TELEMETRY.md': { 'my.yaml': MINE },
};

/** The contents of the files of a document, by name. */
export function filesOf(page: string): ReadonlyMap<string, string> {
  const text = readFileSync(page, 'utf8');
  return new Map([
    ...[...scenariosOf(text)].map(([name, scenario]) => [`${name}.yaml`, scenario] as const),
    ...Object.entries(FILES[page] ?? {}).map(
      ([name, content]) => [name, typeof content === 'string' ? content : content(text)] as const,
    ),
  ]);
}
