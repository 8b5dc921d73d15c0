/**
 * `npm run security -- [SUBJECT…]`
 *
 * Runs the checks of docs/SECURITY.md and prints a verdict with the number of checks for each subject. `npm test` runs the same
 * test files, but only samples of the authorization matrices, 60 mutated scenarios in place of 10,000, and fewer hostile targets
 * and folders.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fuzzRunFolders, fuzzTargets } from '../fuzz/hostile.js';
import { fuzzScenarios } from '../fuzz/scenarios.js';
import { authorizationMatrix, type MatrixVerdict } from './authorization/matrix.js';
import { queueMatrix } from './authorization/queue.js';
import { runPortMatrix } from './authorization/run-port.js';
import { pumpExpressions } from './regular-expressions.js';
import { SUBJECTS } from './subjects.js';

const MUTATIONS = 10_000;
/** Number of commands with a hostile target, and with a folder of a run that was changed. */
const HOSTILE = 400;

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly { status: string; fullName: string }[] }[];
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter(
  (name) => !['fuzz', 'matrix', 'expressions'].includes(name) && SUBJECTS.every((subject) => subject.name !== name),
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

function matrix(of: string, { operations, credentials, requests, checks, failures: failed }: MatrixVerdict): void {
  verdict(
    `matrix of ${of}`,
    `${operations} operations × ${credentials} credentials, ${requests} requests`,
    checks,
    failed,
  );
}

if (isWanted('expressions')) {
  const { texts, slow } = pumpExpressions();
  const found = slow.map(({ place, source, ms, text }) => `${place}: ${source} takes ${ms.toFixed()} ms for ${text}`);
  verdict('expressions', 'long texts of one piece for every regular expression', texts, found);
}

if (isWanted('matrix')) {
  matrix('the service and its streams', await authorizationMatrix('whole'));
  matrix('the port of a run', await runPortMatrix('whole'));
  matrix('the queue', queueMatrix());
}
for (const { name, about, files } of SUBJECTS.filter((subject) => isWanted(subject.name))) {
  const output = join(folder, `${name}.json`);
  const paths = files.flatMap((file) => {
    const long = `test/${file}.long.test.ts`;
    return [`test/${file}.test.ts`, ...(existsSync(long) ? [long] : [])];
  });
  const args = ['vitest', 'run', '--mode', 'all', '--reporter=json', `--outputFile=${output}`, ...paths];
  const { stderr } = spawnSync('npx', args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const { numPassedTests, numFailedTests, testResults }: Report = JSON.parse(readFileSync(output, 'utf8'));
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .flatMap(({ status, fullName }) => (status === 'failed' ? [fullName] : []));
    const missing = testResults.length < paths.length || numPassedTests + numFailedTests === 0;
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
  const targets = await fuzzTargets('security', HOSTILE);
  verdict('hostile targets', 'run and record, one answer mutated', targets.checked, targets.faults);
  const folders = await fuzzRunFolders('security', HOSTILE);
  verdict('hostile folders of runs', 'explain, compare, diverge and clean', folders.checked, folders.faults);
}
rmSync(folder, { recursive: true });
console.log(`${total} checks, ${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
