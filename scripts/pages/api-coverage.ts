/** The page docs/API-COVERAGE.md: every requirement of the API, and the tests that prove it. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Requirement {
  readonly what: string;
  /** A heading, a number or a keyword, to find the requirement in its source. */
  readonly where?: string;
  /** Tests: a file without its suffix, a space, and the title, as in `cloud/api/spaces a space › can be renamed`. */
  readonly proof?: readonly string[];
  /** Why there is nothing to prove, in place of a proof. */
  readonly nothing?: string;
}

interface Part {
  /** The letter with which the numbers of its rows begin. */
  readonly part: string;
  readonly title: string;
  readonly about: string;
  readonly sections: readonly {
    readonly title: string;
    readonly from: string;
    readonly rows: readonly Requirement[];
  }[];
}

export function readCoverage(): readonly Part[] {
  return parse(readFileSync('scripts/pages/api-coverage.yaml', 'utf8'));
}

const INTRODUCTION = `# API coverage

Every requirement of the API, and the tests that prove it. [API.md](API.md) is the guide. The requirements of the parts
C and G come from two documents:

* The *contract* is an outline of the HARDWARIO Cloud v2 API. It leaves points open.
* The *gaps* fill these open points, with known facts about the vendor's service and with our own choices.

The *vendor* is HARDWARIO; *the service* is the cloud of ghostfleet. "A name gets 400" means that a request with this
name gets the HTTP status 400. "Open:" begins a question that the contract does not answer; the tests prove what our
service does. The column "where" helps to find a requirement in its source; "ours" marks our own choice. The column
"proven by" names tests by their file in \`test/\` and their title.`;

/** The text of the page. */
export function makeCoveragePage(): string {
  const parts = readCoverage();
  const sections = parts.flatMap((part) => part.sections);
  const rows = sections.flatMap((section) => section.rows);
  const unproven = rows.filter(({ nothing }) => nothing !== undefined).length;
  const counts = `${rows.length} rows in ${sections.length} sections. ${unproven} of them have nothing to prove, and say why.`;
  return `${[INTRODUCTION, counts, ...parts.map(formatPart)].join('\n\n')}\n`;
}

function formatPart({ part, title, about, sections }: Part): string {
  let number = 0;
  const tables = sections.map(({ title, from, rows }) => {
    const lines = rows.map((row) => `| ${part}${++number} | ${row.what} | ${row.where ?? ''} | ${formatProof(row)} |`);
    return [
      `### ${title} (${rows.length})\n\nFrom: ${from}\n\n| | what | where | proven by |\n|---|---|---|---|`,
      ...lines,
    ].join('\n');
  });
  return [`## Part ${part}: ${title}`, about, ...tables].join('\n\n');
}

function formatProof({ proof = [], nothing }: Requirement): string {
  if (nothing !== undefined) return `nothing to prove: ${nothing}`;
  return proof.map((test) => test.replace(/^\S+/, '`$&`')).join('<br>');
}
