/** Tools for scenarios and runs. Each carries out the command of the same name, so both give the same answers. */
import Type from 'typebox';
import type { RunResult } from '../report/result.js';
import { LAST_SEED } from '../scenario/values/seeds.js';
import { listRows, SUBJECT_NAMES } from './list.js';
import { listReports } from './mcp-resources.js';
import { defineTool, type Tool, Word } from './mcp-tool.js';
import { optionWords } from './run-words.js';

const Scenario = {
  scenario: Type.Optional(
    Word('path of a scenario file in the folder of the server, or name of a packaged scenario such as "demo"'),
  ),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000_000, description: 'a scenario as YAML, instead of "scenario"' }),
  ),
  vars: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z_][\\w-]*$' }), Type.String(), {
      additionalProperties: false,
      description: 'values for the variables of the scenario',
    }),
  ),
};
const Run = Word('a run of list_runs, or the path of its folder');
const Seed = Type.Optional(
  Type.Integer({ minimum: 0, maximum: LAST_SEED, description: 'default: that of the scenario' }),
);
const What = Type.Optional(Word('a device (name or serial number) or the id of a downlink'));

export const RUN_TOOLS: readonly Tool[] = [
  defineTool(
    'list_names',
    'Lists what scenarios can refer to by name, each with a description: profiles, steps, faults, metrics and so on.',
    { subject: Type.Enum([...SUBJECT_NAMES], { description: SUBJECT_NAMES.join(', ') }) },
    async ({ subject }) => Object.fromEntries(listRows(subject)),
  ),
  defineTool(
    'validate_scenario',
    'Checks a scenario, and reports all problems with line and column.',
    Scenario,
    async (given, desk, signal) => {
      const ended = await desk.carryOut(['validate', ...desk.listScenarioWords(given)], signal);
      const messages = desk.readComplaint(ended).split('\n').filter(Boolean);
      return ended.exit === 0 ? { valid: true, warnings: messages } : { valid: false, problems: messages };
    },
  ),
  defineTool(
    'run_scenario',
    'Runs a scenario in virtual time against a cloud of its own, and returns the verdict with the main figures. The run can then be explained and compared; its reports are resources.',
    {
      ...Scenario,
      seed: Seed,
      firmware: Type.Optional(Word('firmware version of groups that name none, such as 3.5.5')),
      out: Type.Optional(Word('folder below that of the server in which to keep the results; needs --allow-write')),
    },
    async ({ seed, firmware, out, ...given }, desk, signal) => {
      const run = out === undefined ? desk.nameRun() : { name: out, folder: desk.findOutFolder(out) };
      const options = optionWords({ clock: 'virtual', out: run.folder, seed, firmware });
      const words = ['run', ...desk.listScenarioWords(given), ...options, '--json'];
      const { value } = await desk.carryOutJson(words, signal);
      // The cast is safe because this program has written the value.
      return {
        run: run.name,
        ...pickMainFigures(value as RunResult),
        resources: listReports(run.name).map(({ uri }) => uri),
      };
    },
  ),
  defineTool(
    'list_runs',
    'Lists finished runs, and runs in real time whose devices can be reached.',
    {},
    (_input, desk) =>
      desk.withAttached(async (attached) => ({
        finished: desk.listRuns(),
        in_real_time: attached.map(({ greeting: { run, name, devices } }) => ({ run, name, devices })),
      })),
  ),
  defineTool(
    'explain_run',
    'Explains why downlinks of a run took so long. Default: its three slowest downlinks.',
    {
      run: Run,
      what: What,
      slowest: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 50, description: 'explain this many of the slowest downlinks' }),
      ),
      pending: Type.Optional(Type.Boolean({ description: 'explain only incomplete downlinks' })),
      limit: Type.Optional(Word('time above which a downlink counts as slow, such as 10m (default)')),
    },
    async ({ run, what, slowest, pending, limit }, desk, signal) => {
      const options = [...optionWords({ slowest, limit }), ...(pending ? ['--pending'] : [])];
      const words = ['explain', desk.findRepeatedRun(run), ...(what === undefined ? [] : [what])];
      return (await desk.carryOutJson([...words, ...options, '--json'], signal)).value;
    },
  ),
  defineTool(
    'what_if',
    'Says what would have happened to the downlinks of a run or scenario without a fault, step or load, with other settings of the devices, or with another firmware.',
    {
      run: Word('a run of list_runs, the path of its folder, or a scenario'),
      what: What,
      without: Type.Optional(
        Type.Array(Word('fault, step or load to leave out, such as outage, "radio: off" or "step 2"'), {
          maxItems: 20,
        }),
      ),
      set: Type.Optional(
        Type.Record(Type.String({ pattern: '^[a-z][^=]*$' }), Type.String(), {
          additionalProperties: false,
          description: 'parameters of the devices, such as { "interval-poll": "60" }',
        }),
      ),
      firmware: Type.Optional(Word('firmware version of the devices, such as 3.5.5')),
    },
    async ({ run, what, without = [], set = {}, firmware }, desk, signal) => {
      const changes = [
        ...without.flatMap((each) => ['--without', each]),
        ...Object.entries(set).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
        ...optionWords({ firmware }),
      ];
      const words = [
        'what-if',
        desk.findRunOrScenario(run),
        ...(what === undefined ? [] : [what]),
        ...changes,
        '--json',
      ];
      return (await desk.carryOutJson(words, signal)).value;
    },
  ),
  defineTool(
    'compare_runs',
    'Says which figures of two runs differ by more than chance explains.',
    {
      a: Run,
      b: Run,
      fail_if: Type.Optional(
        Type.Array(Word('a change of b that counts as worse, such as "downlink.answered p(95) > +10%"'), {
          maxItems: 20,
        }),
      ),
    },
    async ({ a, b, fail_if: conditions = [] }, desk, signal) => {
      const options = conditions.flatMap((condition) => ['--fail-if', condition]);
      const words = ['compare', desk.findRun(a), desk.findRun(b), ...options, '--json'];
      return (await desk.carryOutJson(words, signal)).value;
    },
  ),
];

/** What decides the verdict. The whole result is a resource. */
function pickMainFigures(result: RunResult) {
  const {
    scenario,
    seed,
    digest,
    passed,
    failure,
    warnings,
    simulatedMs,
    expectations,
    fleet,
    uplinks,
    downlinks,
    calls,
  } = result;
  const { byType: _byType, messages: _messages, ...uplinkCounts } = uplinks;
  const { queued, answered, delivered, pending, cancelled, expired, stages, slowest } = downlinks;
  return {
    ...{ scenario, seed, digest, passed, failure, warnings, simulatedMs, expectations, fleet, uplinks: uplinkCounts },
    downlinks: {
      queued,
      answered,
      delivered,
      pending,
      cancelled,
      expired,
      stages,
      slowest: slowest.map(({ id, serial, total }) => ({ id, serial, total })),
    },
    calls,
  };
}
