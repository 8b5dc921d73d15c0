/** `ghostfleet clean`: removes what a run left in another cloud. */
import { DeviceCloudClient } from '../client/client.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';
import { listFirst } from '../kernel/quantity.js';
import { RealClock } from '../kernel/real-clock.js';
import { shownCommand } from '../kernel/web-address.js';
import type { LeftThing } from '../report/result.js';
import { Budget } from '../runner/targets/budget.js';
import { makeGate } from '../runner/targets/paced.js';
import { deleteThing } from '../runner/world/clean-up.js';
import { defineCommand } from './command.js';
import type { Host } from './host.js';
import { findLeftovers, saveLeftovers } from './leftovers.js';
import { findApiKey, findSpaceKey, showWaits } from './target.js';

interface CleanFlags {
  readonly run: string;
  readonly target: string | undefined;
  readonly 'api-key': string | undefined;
  readonly yes: boolean;
}

export const clean = defineCommand<CleanFlags>(
  (parser) =>
    parser
      .positional('run', {
        type: 'string',
        demandOption: true,
        describe: 'name of the run as its report shows it, or its folder of --out',
      })
      .option('target', {
        type: 'string',
        requiresArg: true,
        describe:
          'address of the cloud, if it needs credentials or has changed (default: that of the run, if it was yours)',
      })
      .option('api-key', { type: 'string', requiresArg: true, describe: 'API key; also GHOSTFLEET_API_KEY' })
      .option('yes', {
        type: 'boolean',
        default: false,
        describe: 'with --target: delete what the folder of a run of others names',
      }),
  execute,
);

async function execute(flags: CleanFlags, host: Host): Promise<ExitCode> {
  const { leftovers, isOwn } = findLeftovers(flags.run, host.env);
  const apiKey = findApiKey(flags, host, 'clean');
  // A folder of others could name any address, to which the key would be sent, and anything in the space.
  if (!isOwn && (flags.target === undefined || !flags.yes)) {
    const things = leftovers.things.map(({ serial, path, by }) =>
      [path ?? `device ${serial}`, ...Object.values(by ?? {})].filter((part) => part !== null).join(' '),
    );
    throw new UsageError(
      'bad-flags',
      `only the folder "${flags.run}" says that the run was at ${printableLine(`${leftovers.api}, and made ${listFirst(things, MOST_LISTED)}`)}`,
      `if you trust it, use ${shownCommand(['--target', leftovers.api, '--yes'])}`,
    );
  }
  const { spaceId, since } = leftovers;
  const baseUrl = flags.target ?? leftovers.api;
  const opened: DeviceCloudClient[] = [];
  const keep = (client: DeviceCloudClient) => {
    opened.push(client);
    return client;
  };
  const [clock, pace] = [new RealClock(), { atOnce: 1, perSecond: null }];
  const budget = new Budget(clock, null);
  budget.begin();
  const at = { baseUrl, gate: makeGate(pace, clock, { budget, waits: showWaits(host) }) };
  const own = keep(new DeviceCloudClient({ ...at, apiKey, spaceId }));
  const apiOf = async (space: string | null) =>
    space === null ? own : keep(await DeviceCloudClient.connect({ ...at, apiKey: findSpaceKey(space, host) }));
  const left: LeftThing[] = [];
  try {
    for (const { why: _, ...thing } of leftovers.things) {
      const still = await deleteThing(thing, Date.parse(since), apiOf);
      if (still === undefined) host.out.write(`removed ${printableLine(thing.what)}\n`);
      else left.push(still);
    }
  } finally {
    await Promise.all(opened.map((client) => client.close()));
    budget.end();
  }
  if (isOwn) saveLeftovers({ ...leftovers, things: left }, host.env);
  for (const { what, why } of left) host.err.write(`still in the cloud: ${printableLine(`${what}: ${why}`)}\n`);
  return left.length === 0 ? EXIT.fine : EXIT.stuck;
}

const MOST_LISTED = 20;
