/** `ghostfleet demo`: a cloud, a fleet and the web console in virtual time that passes at a pace, until Ctrl-C. */

import { EXIT, type ExitCode } from '../kernel/errors.js';
import { countOf } from '../kernel/quantity.js';
import { run as carryOut, type RunControl, type RunOptions } from '../runner/run.js';
import { checkOption, defineCommand } from './command.js';
import { findScenario, SCENARIO_FILE } from './find-scenario.js';
import type { Host } from './host.js';
import { LiveServices } from './live-services.js';
import { createNotes } from './logs.js';
import { WEB_CONSOLE } from './package-files.js';
import type { Again } from './past-runs.js';
import { readPlan } from './read-files.js';
import { optionWords } from './run-words.js';
import { checkTrust } from './trust.js';
import { collectVariables, LOCAL_PORT, localPort, SEED, SPEED } from './values.js';
import { printWarnings } from './warnings.js';

interface DemoFlags {
  readonly open: boolean;
  readonly speed: number;
  readonly host: string;
  readonly port: number;
  readonly seed: number | undefined;
  readonly scenario: string;
}

/** The packaged scenario of the demo. */
const SCENARIO = 'live';

/** Addresses to listen on, each with whether other machines can reach it. */
const ADDRESSES: ReadonlyMap<string, boolean> = new Map([
  ['127.0.0.1', false],
  ['localhost', false],
  ['::1', false],
  ['0.0.0.0', true],
  ['::', true],
]);

export const demo = defineCommand<DemoFlags>(
  (parser) =>
    parser
      .option('open', {
        type: 'boolean',
        default: false,
        describe: 'open the console in the browser, if the output is a terminal',
      })
      .option('speed', { ...SPEED, default: '60', describe: 'simulated seconds per real second' })
      .option(
        'port',
        checkOption(
          { default: '0', describe: 'port of the console; 0 takes a free one' },
          'port',
          LOCAL_PORT,
          localPort,
        ),
      )
      .option(
        'host',
        checkOption(
          {
            default: '127.0.0.1',
            describe: 'address to listen on: 127.0.0.1, or 0.0.0.0 or :: to let other machines reach the console',
          },
          'host',
          [...ADDRESSES.keys()].join(', ').replace(/, (?=[^,]*$)/, ' or '),
          (text) => (ADDRESSES.has(text) ? text : undefined),
        ),
      )
      .option('seed', SEED)
      .option('scenario', { type: 'string', requiresArg: true, default: SCENARIO, describe: SCENARIO_FILE }),
  execute,
);

async function execute({ open, speed, host: address, port, seed, ...flags }: DemoFlags, host: Host): Promise<ExitCode> {
  const { text, path } = await findScenario(flags.scenario, host);
  const vars = collectVariables(new Map(), host.env);
  const { plan, profiles } = readPlan(text, path, { seed, vars, firmware: undefined, allowFiles: [] });
  printWarnings(plan, profiles, host);
  checkTrust(plan, { allowFile: [], allowHost: [], allowPrivate: false });
  if (ADDRESSES.get(address)) {
    host.err.write(
      `warning: other machines can reach the console with --host ${address}. They sign in with the API key; ` +
        'only this machine controls the run\n',
    );
  }
  const pace = speed === 1 ? 'in real time' : `${speed} times as fast as real time`;
  host.err.write(`${plan.scenario}: ${countOf(plan.devices.length, 'device')}, ${pace}; Ctrl-C ends the demo\n`);
  const live = await LiveServices.open({
    host,
    plan,
    metricsPort: undefined,
    telemetry: undefined,
    clock: 'virtual',
    leftBehind: () => undefined,
    consoles: true,
    api: true,
    place: { host: address, port },
    tour: flags.scenario === SCENARIO,
    onConsole: (link) => {
      if (open && host.out.isTerminal) host.openBrowser(link);
    },
  });
  const again = {
    plan,
    profiles,
    clock: 'virtual',
    speed: 1,
    transport: 'memory',
    db: 'memory',
    sinks: [],
    webConsole: host.webConsole ?? WEB_CONSOLE,
    log: createNotes(host.err),
    reproduce: ['ghostfleet demo', ...optionWords({ seed, scenario: flags.scenario })].join(' '),
    out: null,
    stopwatch: () => host.stopwatch(),
    meter: host.meter,
  } satisfies RunOptions;
  const past: Again = (changes) => carryOut({ ...again, ...changes });
  try {
    const result = await carryOut({
      ...again,
      pace: speed,
      watch: live,
      started: (control: RunControl) => live.follow(control, past),
    });
    await live.end(result);
    const { exitCode, failure, events } = result;
    if (exitCode !== EXIT.interrupted && failure !== null) host.err.write(`ghostfleet: ${failure}\n`);
    else host.out.write(`The demo has ended. ${countOf(plan.devices.length, 'device')} made ${events} events.\n`);
    return exitCode === EXIT.interrupted ? EXIT.fine : exitCode;
  } finally {
    await live.close();
  }
}
