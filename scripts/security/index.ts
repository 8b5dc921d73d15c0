/**
 * `npm run security -- [SUBJECT…]`
 *
 * Runs the checks of docs/SECURITY.md and prints a verdict with the number of checks for each subject. `npm test` runs the same
 * test files, but only a sample of the authorization matrix, and 60 mutated scenarios in place of 10,000.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fuzzScenarios } from '../fuzz/scenarios.js';
import { authorizationMatrix } from './authorization/matrix.js';
import { SUBJECTS } from './subjects.js';

const MUTATIONS = 10_000;

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly { status: string; fullName: string }[] }[];
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter(
  (name) => name !== 'fuzz' && name !== 'matrix' && SUBJECTS.every((subject) => subject.name !== name),
);
if (unknown.length > 0) throw new Error(`unknown subjects: ${unknown.join(', ')}`);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-security-'));
let [total, failures] = [0, 0];

function verdict(name: string, about: string, checks: number, failed: readonly string[]): void {
  total += checks;
  failures += failed.length;
  console.log(
    `${failed.length === 0 ? 'ok    ' : 'FAILED'} ${name}: ${checks} checks, ${failed.length} failures (${about})`,
  );
  for (const what of failed) console.log(`       ${what}`);
}

if (isWanted('matrix')) {
  const { operations, credentials, requests, checks, failures: failed } = await authorizationMatrix('whole');
  verdict('matrix', `${operations} operations × ${credentials} credentials, ${requests} requests`, checks, failed);
}
for (const { name, about, files } of SUBJECTS.filter((subject) => isWanted(subject.name))) {
  const output = join(folder, `${name}.json`);
  const paths = files.map((file) => `test/${file}.test.ts`);
  const args = ['vitest', 'run', '--reporter=json', `--outputFile=${output}`, ...paths];
  const { stderr } = spawnSync('npx', args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const { numPassedTests, numFailedTests, testResults }: Report = JSON.parse(readFileSync(output, 'utf8'));
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .flatMap(({ status, fullName }) => (status === 'failed' ? [fullName] : []));
    const missing = testResults.length < files.length || numPassedTests + numFailedTests === 0;
    verdict(name, about, numPassedTests + numFailedTests, missing ? [...failed, 'test files did not run'] : failed);
  } catch {
    verdict(name, about, 0, [`the tests did not run: ${stderr.trim().split('\n').at(-1)}`]);
  }
}
if (isWanted('fuzz')) {
  const { checked, faults } = fuzzScenarios('security', MUTATIONS, () => performance.now());
  verdict(
    'fuzz',
    'mutated scenarios',
    checked,
    faults.map(({ number, why }) => `scenario ${number}: ${why}`),
  );
}
rmSync(folder, { recursive: true });
console.log(`${total} checks, ${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
