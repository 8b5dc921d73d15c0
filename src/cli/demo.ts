/** `ghostfleet demo`: runs a cloud, a fleet and the web console in real time, until Ctrl-C. */
import { EXIT, type ExitCode } from '../kernel/errors.js';
import { run as carryOut, type RunControl } from '../runner/run.js';
import { defineCommand } from './command.js';
import { findScenario } from './find-scenario.js';
import type { Host } from './host.js';
import { LiveServices } from './live-services.js';
import { createNotes } from './logs.js';
import { WEB_CONSOLE } from './package-files.js';
import { readPlan } from './read-files.js';
import { SPEED } from './values.js';

interface DemoFlags {
  readonly open: boolean;
  readonly speed: number;
}

/** The packaged scenario of the demo. */
const SCENARIO = 'live';

export const demo = defineCommand<DemoFlags>(
  (parser) =>
    parser
      .option('open', {
        type: 'boolean',
        default: false,
        describe: 'open the console in the browser, if the output is a terminal',
      })
      .option('speed', { ...SPEED, default: '60', describe: 'simulated seconds per real second' }),
  execute,
);

async function execute({ open, speed }: DemoFlags, host: Host): Promise<ExitCode> {
  const { text, path } = await findScenario(SCENARIO, host);
  const { plan, profiles } = readPlan(text, path, {
    seed: undefined,
    vars: new Map(),
    firmware: undefined,
    allowFiles: [],
  });
  const live = await LiveServices.open({
    host,
    plan,
    metricsPort: undefined,
    metricsPush: undefined,
    leftBehind: () => undefined,
    consoles: true,
    api: true,
    onConsole: (link) => {
      if (open && host.out.isTerminal) host.openBrowser(link);
    },
  });
  try {
    const result = await carryOut({
      plan,
      profiles,
      clock: 'real',
      speed,
      transport: 'memory',
      db: 'memory',
      sinks: [],
      watch: live,
      webConsole: host.webConsole ?? WEB_CONSOLE,
      log: createNotes(host.err),
      reproduce: 'ghostfleet demo',
      out: null,
      stopwatch: () => host.stopwatch(),
      meter: host.meter,
      started: (control: RunControl) => live.follow(control),
    });
    await live.end();
    host.out.write(`The demo has ended. ${plan.devices.length} devices made ${result.events} events.\n`);
    return result.exitCode === EXIT.interrupted ? EXIT.fine : result.exitCode;
  } finally {
    await live.close();
  }
}
