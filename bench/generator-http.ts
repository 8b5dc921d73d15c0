/**
 * Measures how many requests a second a run can send over all connections of a load to a server that does nothing: once in one
 * thread, and once with the program in two threads. The run includes accounting, metrics, samples, event log and digest. It is
 * compared with autocannon, which only counts, and a load of one's own is compared with the prepared call that sends the same
 * request. The server takes up to a core, so on a machine with two cores the second thread
 * gains little. The details show how many cores the sender and the server used.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EXIT } from '../src/kernel/errors.js';
import { packagedProfiles } from '../src/profile/library.js';
import type { RunResult } from '../src/report/result.js';
import { describeDeviceTypes } from '../src/runner/known-types.js';
import { run } from '../src/runner/run.js';
import { parseScenario } from '../src/scenario/parse/scenario.js';
import { planScenario } from '../src/scenario/plan/plan-scenario.js';
import { FileSink } from '../src/trace/sinks.js';
import { type BareServer, startBare } from './cloud/bare.js';
import { bestInTurn } from './cloud/in-turn.js';
import { cpuOf } from './cloud/processes.js';
import type { GoalName } from './goals.js';
import { runProgram } from './program-run.js';
import type { Bench } from './result.js';
import { size } from './size.js';

const CONNECTIONS = 64;
const DEVICES = 1000;
/** A run ends when its devices have started, which takes as long: a shorter load would wait for them. */
const SECONDS = 12;
const ROUNDS = size({ quick: 1, usual: 2 });
const LIMIT = 0.4;
/** Lowest accepted ratio of a load of one's own. */
const LIMIT_OF_OWN = 0.85;
const SPACE = '0199c0de-0000-7000-8000-000000000000';

const quiet = () => {};

export const generatorHttp: Bench = {
  name: 'generator-http',
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-bench-'));
    const server = await startBare('null-http');
    const origin = `http://127.0.0.1:${server.port}`;
    try {
      const events = join(directory, 'events.jsonl');
      const of = (answers: () => Promise<number>) => () => measured(server, answers);
      const { autocannon, one, two, own } = await bestInTurn(
        {
          autocannon: of(() => ofAutocannon(origin)),
          one: of(() => ofRun(origin, events, PREPARED)),
          two: of(async () => ofProgram(origin, directory)),
          own: of(() => ofRun(origin, events, OWN)),
        },
        ({ rate }) => rate,
        ROUNDS,
      );
      const compare = (run: Round, goal: GoalName) => {
        const ratio = run.rate / autocannon.rate;
        const detail = `${shown(run)}, autocannon ${shown(autocannon)}, ${availableParallelism()} cores`;
        return { ratio, limit: LIMIT, detail, goals: { [goal]: ratio } };
      };
      return [
        {
          what: `requests of a run over ${CONNECTIONS} connections, against autocannon`,
          ...compare(one, 'requests'),
        },
        {
          what: `requests of a run in two threads over ${CONNECTIONS} connections, against autocannon`,
          ...compare(two, 'requestsOfTwo'),
        },
        {
          what: "CPU time of a request of a prepared call, against that of a load of one's own (a chain of one request)",
          // The rates vary more: in some rounds, the server limits both.
          ratio: cpuOfOne(one) / cpuOfOne(own),
          limit: LIMIT_OF_OWN,
          detail: `${shown(own)}, prepared ${shown(one)}`,
        },
      ];
    } finally {
      await server.end();
      rmSync(directory, { recursive: true });
    }
  },
};

/** What a round has measured. */
interface Round {
  /** Answers a second. */
  readonly rate: number;
  /** CPU time of the sender and of the server during the round, in ms. That of the sender includes its start and its end. */
  readonly cpu: { readonly sender: number; readonly server: number };
}

/** @param answers sends requests for {@link SECONDS}, in this process or a child, and resolves with the answers a second */
async function measured(server: BareServer, answers: () => Promise<number>): Promise<Round> {
  const before = { sender: cpuOf(process.pid), server: server.cpu() };
  const rate = await answers();
  return { rate, cpu: { sender: cpuOf(process.pid) - before.sender, server: server.cpu() - before.server } };
}

/** CPU time of the sender for one request, in ms. */
function cpuOfOne({ rate, cpu }: Round): number {
  return cpu.sender / (rate * SECONDS);
}

/** The detail shows which of the sender and the server limits the rate. */
function shown(round: Round): string {
  const {
    rate,
    cpu: { sender, server },
  } = round;
  const each = (1000 * cpuOfOne(round)).toFixed(1);
  const [ofSender, ofServer] = [sender, server].map((cpu) => (cpu / (1000 * SECONDS)).toFixed(2));
  return `${Math.round(rate)}/s (${each} µs of CPU each, ${ofSender} cores; server ${ofServer})`;
}

/** Number of answers a second. @throws Error if a request was not answered or not counted */
async function ofRun(origin: string, events: string, scenario: string): Promise<number> {
  const profiles = packagedProfiles();
  const plan = planScenario(parseScenario(scenario, 'generator-http', describeDeviceTypes(profiles)), { seed: 7 });
  const result = await run({
    plan,
    profiles,
    clock: 'real',
    speed: 1,
    cloud: {
      api: origin,
      apiKey: 'key',
      spaceId: SPACE,
      keyOf: String,
      gateway: null,
      pace: { atOnce: CONNECTIONS, perSecond: null },
    },
    transport: 'http',
    db: 'memory',
    sinks: [new FileSink(events)],
    log: { info: quiet, warn: quiet, error: quiet },
    reproduce: '',
    out: null,
    stopwatch: () => performance.now(),
  });
  return rateOf(result.calls);
}

/** Number of answers a second to the program with two threads. @throws Error if a request was not answered or not counted */
function ofProgram(origin: string, directory: string): number {
  const target = ['--target', origin, '--space', SPACE, '--api-key', 'key', '--link', 'http'];
  const args = [...target, '--workers', '2', '--out', directory];
  // On a busy machine, a full load makes the generator late, and the run invalid. The number of its answers is correct nevertheless.
  const { calls } = runProgram(JSON.parse(PREPARED), args, [EXIT.fine, EXIT.invalid]);
  return rateOf(calls);
}

function rateOf(callsByName: RunResult['calls']): number {
  const [calls] = Object.values(callsByName);
  if (calls === undefined || calls.answered === 0 || calls.answered !== calls.planned) {
    throw new Error(`not every request was answered: ${JSON.stringify(calls)}`);
  }
  return calls.answered / SECONDS;
}

/** A scenario with a load. The radios of its devices are off. JSON is valid YAML. */
const scenarioOf = (call: Readonly<Record<string, unknown>>) =>
  JSON.stringify({
    name: 'generator-http',
    duration: `${SECONDS}s`,
    fleet: [{ name: 'clime', profile: 'clime', count: DEVICES, config: { mode: 'none' } }],
    load: [{ ...call, users: CONNECTIONS, think: '0s' }],
  });
// The server answers with an empty list, so both loads read a list.
const PREPARED = scenarioOf({ 'list-devices': null });
const OWN = scenarioOf({ request: { get: '/v2/spaces/{space}/devices?limit=100' } });

/** The rate of autocannon with the same requests. */
async function ofAutocannon(origin: string): Promise<number> {
  const options = ['--json', '--connections', CONNECTIONS, '--duration', SECONDS].map(String);
  const headers = ['--headers', 'accept=application/json', '--headers', 'x-api-key=key'];
  const path = `${origin}/v2/spaces/${SPACE}/devices?limit=100`;
  const program = 'node_modules/autocannon/autocannon.js';
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...options, ...headers, path]);
  const { requests, errors, non2xx } = JSON.parse(stdout);
  if (errors + non2xx > 0) throw new Error(`autocannon had ${errors} errors and ${non2xx} refusals`);
  return requests.average;
}
