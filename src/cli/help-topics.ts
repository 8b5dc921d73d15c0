/** `ghostfleet help TOPIC`: sections of the pages in docs/, which are in the package. They are not copied into the program. */
import { readFileSync } from 'node:fs';
import { wrap } from '../kernel/table.js';
import { packagePath } from './package-files.js';

interface Topic {
  readonly about: string;
  /** The page below docs/, and the heading of the section; without a heading, the whole page. */
  readonly page: string;
  readonly heading?: string;
}

export const TOPICS = {
  expectations: { about: 'What a run must fulfil', page: 'SCENARIOS.md', heading: '## Expectations' },
  selectors: { about: 'Which devices are meant', page: 'CONSOLE.md', heading: '### Selectors' },
  loads: { about: 'How a run sends API requests', page: 'LOADS.md' },
  faults: { about: 'What can go wrong, and how', page: 'FAULTS.md' },
  'exit-codes': { about: 'What the exit codes mean', page: 'SCENARIOS.md', heading: '## Exit codes' },
} as const satisfies Readonly<Record<string, Topic>>;

export const TOPIC_NAMES: readonly string[] = Object.keys(TOPICS);

const NARROWEST = 40;
const WIDEST = 120;

/** The text of a topic. @returns undefined for words that name none @param columns the width of the output */
export function explainTopic(words: readonly string[], columns: number): string | undefined {
  const topic = Object.entries<Topic>(TOPICS).find(([name]) => name === words.join('-'))?.[1];
  if (topic === undefined) return undefined;
  const page = readFileSync(packagePath(`docs/${topic.page}`), 'utf8');
  const section = topic.heading === undefined ? page : findSection(page, topic.heading);
  return formatMarkdown(section, Math.max(NARROWEST, Math.min(WIDEST, columns)));
}

/** From a heading to the next one of its level or above. */
function findSection(page: string, heading: string): string {
  const begin = page.indexOf(`\n${heading}\n`) + 1;
  const level = heading.indexOf(' ');
  const rest = page.slice(begin + heading.length);
  const end = rest.search(new RegExp(`^#{1,${level}} `, 'm'));
  return heading + (end < 0 ? rest : rest.slice(0, end));
}

/** Markdown for a terminal: without the targets of links, and with a paragraph for each row of a table. */
function formatMarkdown(text: string, width: number): string {
  let titles: readonly string[] = [];
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line): readonly string[] => {
      if (/^\|[-|: ]+\|$/.test(line)) return [];
      if (!line.startsWith('|')) {
        titles = [];
        return [withoutLinks(line)];
      }
      const cells = line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => withoutLinks(cell.trim().replaceAll('\\|', '|')));
      if (titles.length === 0) {
        titles = cells;
        return [];
      }
      return formatRow(cells, titles, width);
    });
  return `${lines.join('\n')}\n`;
}

/** With more than two columns, the title of its column stands before each cell. */
function formatRow(
  [first = '', ...cells]: readonly string[],
  titles: readonly string[],
  width: number,
): readonly string[] {
  const texts = cells.map((cell, i) => (titles.length > 2 ? `${titles[i + 1]}: ${cell}` : cell));
  return [first, ...texts.flatMap((cell) => wrap(cell, width - 4)).map((line) => `    ${line}`)];
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^[\]]+)\]\([^()\s]+\)/g, '$1');
}
