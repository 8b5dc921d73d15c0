/**
 * JUnit XML for build servers. It has one test case for each expectation, and one for the run, which fails if the run ends
 * early or is invalid. A divided run has one more for each worker, which fails if the worker is lost or too slow.
 */
import { printableTexts } from '../../kernel/printable.js';
import { explainFailure } from '../cause.js';
import type { ExpectationResult, RunResult, WorkerReport } from '../result.js';
import { getVerdict } from '../verdict.js';
import { getState, listWorkerRows, WORKER_COLUMNS, writeSentence } from '../workers.js';

export function renderJunit(unsafe: RunResult): string {
  const result = printableTexts(unsafe);
  const { failure, expectations, simulatedMs, wallMs, clock, seed, digest, reproduce, workers = [] } = result;
  const open = expectations.filter(({ cutShort }) => cutShort).length;
  const failures = expectations.filter(({ passed }) => !passed).length - open;
  const states = workers.map(getState);
  const bad = states.filter((state) => state === 'lost' || state === 'slow').length;
  const skipped = open + states.filter((state) => state === 'unknown').length;
  // In virtual time, the file contains simulated times, so that equal runs have equal files.
  const time = clock === 'virtual' ? simulatedMs : wallMs;
  // The XML schema of Jenkins' xunit plugin allows these attributes for a suite and for all suites, "skipped" for a suite only.
  const counts = `tests="${expectations.length + workers.length + 1}" failures="${failures}" errors="${(failure === null ? 0 : 1) + bad}" time="${(time / 1000).toFixed(3)}"`;
  const suite = escapeXml(nameSuite(result));
  const names = numberLines(expectations);
  const why = getVerdict(result).word === 'interrupted' ? 'interrupted' : undefined;
  const runCase = failure === null ? '/>' : `>${writeElement('error', failure, reproduce, why)}</testcase>`;
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ghostfleet" ${counts}>`,
    `  <testsuite name="${suite}" ${counts} skipped="${skipped}">`,
    '    <properties>',
    `      <property name="seed" value="${seed}"/>`,
    `      <property name="digest" value="${escapeXml(digest)}"/>`,
    `      <property name="reproduce" value="${escapeXml(reproduce)}"/>`,
    ...listWorkerRows(result).map(([name = '', ...cells]) => writeProperty(name, cells)),
    '    </properties>',
    `    <testcase classname="${suite}" name="the run finishes"${runCase}`,
    ...workers.map((worker) => writeWorkerCase(worker, result)),
    ...expectations.map((expectation, index) => testCase(expectation, result, names[index] ?? '')),
    ...writeWarnings(result),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

/**
 * The scenario; of one of several runs also its seed, and its cloud in `ab`, as its folder says. Of test cases with equal names in
 * several files, GitLab shows only the first one.
 */
function nameSuite({ scenario, seed, out }: RunResult): string {
  const [folder = '', side] = /(?:^|[\\/])(?:([ab])[\\/])?seed-\d+$/.exec(out ?? '') ?? [];
  const parts = [...(side === undefined ? [] : [side.toUpperCase()]), `seed ${seed}`];
  return folder === '' ? scenario : `${scenario} (${parts.join(', ')})`;
}

/** One element for all warnings: readers of JUnit XML expect at most one in a suite. */
function writeWarnings({ warnings }: RunResult): readonly string[] {
  if (warnings.length === 0) return [];
  const text = warnings.map((warning) => `warning: ${warning}`).join('\n');
  return [`    <system-out>${escapeXml(text)}</system-out>`];
}

/** The lines; equal ones are numbered, because build servers merge test cases with equal names. */
function numberLines(expectations: readonly ExpectationResult[]): readonly string[] {
  const seen = new Map<string, number>();
  return expectations.map(({ line }) => {
    const count = (seen.get(line) ?? 0) + 1;
    seen.set(line, count);
    return count === 1 ? line : `${line} (${count})`;
  });
}

function testCase(expectation: ExpectationResult, result: RunResult, line: string): string {
  const { passed, undecided, cutShort, sentence } = expectation;
  const { reproduce } = result;
  const unmet = () =>
    cutShort
      ? `<skipped message="${escapeXml(sentence)}"/>`
      : writeElement('failure', explainFailure(expectation, result), reproduce, undecided ? 'undecided' : undefined);
  const end = passed ? '/>' : `>${unmet()}</testcase>`;
  return `    <testcase classname="${escapeXml(nameSuite(result))}" name="${escapeXml(line)}"${end}`;
}

/** The figures of one worker, or of all workers together. */
function writeProperty(name: string, cells: readonly string[]): string {
  const figures = cells.flatMap((cell, i) => (cell === '' ? [] : [WORKER_COLUMNS[i] || 'state', cell].join(': ')));
  return `      <property name="${escapeXml(name)}" value="${escapeXml(figures.join('; '))}"/>`;
}

function writeWorkerCase(worker: WorkerReport, result: RunResult): string {
  const state = getState(worker);
  const why = writeSentence(worker);
  const problem =
    state === 'unknown'
      ? `<skipped message="${escapeXml(why)}"/>`
      : writeElement('error', why, result.reproduce, state);
  const end = state === 'fine' ? '/>' : `>${problem}</testcase>`;
  return `    <testcase classname="${escapeXml(nameSuite(result))}" name="worker ${worker.number} keeps up"${end}`;
}

function writeElement(name: 'error' | 'failure', message: string, reproduce: string, type?: string): string {
  const typed = type === undefined ? '' : ` type="${type}"`;
  return `<${name}${typed} message="${escapeXml(message)}">${escapeXml(`${message}\nreproduce: ${reproduce}`)}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML. Characters that XML 1.0 (2.2) does not allow become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
