/** JUnit XML for build servers: one test case per expectation, and one for the run, which can end early or be invalid. */
import type { ExpectationResult, RunResult } from '../result.js';
import { verdictOf } from '../verdict.js';

export function junit(result: RunResult): string {
  const { scenario, failure, expectations, wallMs, seed, digest, reproduce } = result;
  const failures = expectations.filter(({ passed }) => !passed).length;
  const counts = `tests="${expectations.length + 1}" failures="${failures}" errors="${failure === null ? 0 : 1}" time="${(wallMs / 1000).toFixed(3)}"`;
  const why = verdictOf(result).word === 'interrupted' ? 'interrupted' : undefined;
  const runCase = failure === null ? '/>' : `>${element('error', failure, reproduce, why)}</testcase>`;
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ghostfleet" ${counts}>`,
    `  <testsuite name="${xml(scenario)}" ${counts}>`,
    '    <properties>',
    `      <property name="seed" value="${seed}"/>`,
    `      <property name="digest" value="${xml(digest)}"/>`,
    `      <property name="reproduce" value="${xml(reproduce)}"/>`,
    '    </properties>',
    `    <testcase classname="${xml(scenario)}" name="the run finishes"${runCase}`,
    ...expectations.map((expectation) => testCase(expectation, result)),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

function testCase(
  { line, passed, undecided, sentence }: ExpectationResult,
  { scenario, reproduce }: RunResult,
): string {
  const failure = () => element('failure', sentence, reproduce, undecided ? 'undecided' : undefined);
  const end = passed ? '/>' : `>${failure()}</testcase>`;
  return `    <testcase classname="${xml(scenario)}" name="${xml(line)}"${end}`;
}

function element(name: 'error' | 'failure', message: string, reproduce: string, type?: string): string {
  const typed = type === undefined ? '' : ` type="${type}"`;
  return `<${name}${typed} message="${xml(message)}">${xml(`${message}\nreproduce: ${reproduce}`)}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML. Characters that XML 1.0 (2.2) does not allow become U+FFFD. */
function xml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
