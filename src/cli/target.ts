/** The options for a cloud other than the embedded one. */

import type { Argv } from 'yargs';
import { DeviceCloudClient, type Gate } from '../client/client.js';
import { faultOfKey } from '../kernel/api-key.js';
import { UsageError } from '../kernel/errors.js';
import { humanDuration } from '../kernel/time.js';
import { apiBase, IN_PASSWORDS, shownAddress } from '../kernel/web-address.js';
import { USUAL_PORTS } from '../protocol/flap/envelope.js';
import type { RequestWait } from '../runner/targets/paced.js';
import { type TargetCloud, targetCloud } from '../runner/targets/remote-api.js';
import { checkOption } from './command.js';
import type { Host } from './host.js';
import { optionWords } from './run-words.js';
import {
  formatAddress,
  HOST_AND_PORT,
  type HostAndPort,
  POSITIVE_FORM,
  parseHostAndPort,
  parsePositiveNumber,
  REMOTE_PORT,
  remotePort,
} from './values.js';

export interface TargetFlags {
  readonly target: string | undefined;
  readonly 'api-key': string | undefined;
  readonly space: string | undefined;
  readonly udp: HostAndPort | undefined;
  readonly 'udp-raw-port': number | undefined;
  readonly 'udp-dtls-port': number | undefined;
  readonly link: 'udp' | 'http' | undefined;
  readonly rate: number | undefined;
}

export function addTargetOptions(parser: Argv): Argv {
  const target = parser
    .option('target', {
      type: 'string',
      requiresArg: true,
      describe: 'address of another cloud API to run against, in real time',
    })
    .option('api-key', { type: 'string', requiresArg: true, describe: 'API key of --target; also GHOSTFLEET_API_KEY' });
  return addTrafficOptions(addGatewayOptions(target, '--target'), '--target');
}

/** @param of the option with the address of the cloud @param prefix of the names of the options */
export function addGatewayOptions(parser: Argv, of: string, prefix = ''): Argv {
  const addPort = (to: Argv, name: string, what: string, usual: number) =>
    to.option(
      `${prefix}${name}`,
      checkOption(
        { describe: `port of the UDP gateway of ${of} for ${what} (default: ${usual})` },
        `${prefix}${name}`,
        REMOTE_PORT,
        remotePort,
      ),
    );
  const udp = parser
    .option(`${prefix}space`, {
      type: 'string',
      requiresArg: true,
      describe: `id of the space in ${of} (default: the first space that the key may use)`,
    })
    .option(
      `${prefix}udp`,
      checkOption(
        { describe: `UDP gateway of ${of} as HOST:PORT (default: port ${USUAL_PORTS.base64} of its host)` },
        `${prefix}udp`,
        HOST_AND_PORT,
        parseHostAndPort,
      ),
    );
  const raw = addPort(udp, 'udp-raw-port', 'hio devices', USUAL_PORTS.raw);
  return addPort(raw, 'udp-dtls-port', 'hio devices with DTLS', USUAL_PORTS.dtls);
}

/** @param of the options with the addresses of the clouds */
export function addTrafficOptions(parser: Argv, of: string): Argv {
  return parser
    .option('link', {
      choices: ['udp', 'http'] as const,
      describe: `how devices reach ${of}: UDP gateway, or HTTP ingress of the API (default: udp)`,
    })
    .option(
      'rate',
      checkOption(
        {
          describe: `maximum API requests per second to ${of}, also of loads; those of devices and of the web console do not count`,
        },
        'rate',
        POSITIVE_FORM,
        parsePositiveNumber,
      ),
    );
}

/** The environment variable of the API key. */
export const API_KEY = 'GHOSTFLEET_API_KEY';

/** The options with which a command reaches only the API of the cloud of --target. */
export const API_OPTIONS = {
  'api-key': { type: 'string', requiresArg: true, describe: 'API key of the cloud; also GHOSTFLEET_API_KEY' },
  space: {
    type: 'string',
    requiresArg: true,
    describe: 'id of the space (default: the first space that the key may use)',
  },
} as const;

/** The API key of the option, or else of the variable. @throws UsageError `bad-api-key` if it cannot be sent, without it */
export function givenApiKey(option: string | undefined, env: Host['env']): string | undefined {
  const apiKey = option ?? env[API_KEY];
  return apiKey === undefined ? undefined : checkApiKey(apiKey, option === undefined ? API_KEY : '--api-key');
}

/** @param source of the key, for the message @throws UsageError `bad-api-key` */
export function checkApiKey(apiKey: string, source: string): string {
  const fault = faultOfKey(apiKey);
  if (fault === undefined) return apiKey;
  throw new UsageError('bad-api-key', `${source} ${fault}`);
}

/** The key of --target. @param option name of --target, or the command, for messages @throws UsageError without a key */
export function findApiKey(
  flags: Pick<TargetFlags, 'api-key'>,
  { env }: Pick<Host, 'env'>,
  option = '--target',
): string {
  const apiKey = givenApiKey(flags['api-key'], env);
  if (apiKey !== undefined) return apiKey;
  throw new UsageError('bad-flags', `${option} requires an API key`, 'use --api-key or set GHOSTFLEET_API_KEY');
}

/** A client of the API of --target. @throws like {@link DeviceCloudClient.connect} */
export async function connectTo({ target, space, apiKey, gate }: ApiTarget): Promise<DeviceCloudClient> {
  const http = { baseUrl: target, apiKey, connections: 1, ...(gate && { gate }) };
  return space === undefined ? DeviceCloudClient.connect(http) : new DeviceCloudClient({ ...http, spaceId: space });
}

interface ApiTarget {
  readonly target: string;
  readonly space: string | undefined;
  readonly apiKey: string;
  readonly gate?: Gate;
}

/** Options that require --target. */
const OF_TARGET = ['api-key', 'space', 'udp', 'udp-raw-port', 'udp-dtls-port', 'link', 'rate'] as const;
/** Options for devices that use UDP. */
const OF_UDP = ['udp', 'udp-raw-port', 'udp-dtls-port'] as const;

/**
 * The cloud of --target; undefined without it.
 * @param option name of --target, for messages
 * @throws UsageError if options exclude each other or the key is missing
 */
export function findCloud(flags: TargetFlags, host: Pick<Host, 'env'>, option = '--target'): TargetCloud | undefined {
  const { target, udp, link } = flags;
  if (target === undefined) {
    const lost = OF_TARGET.find((name) => flags[name] !== undefined);
    if (lost !== undefined) throw new UsageError('bad-flags', `--${lost} requires --target`);
    return undefined;
  }
  const unused = link === 'http' ? OF_UDP.find((name) => flags[name] !== undefined) : undefined;
  if (unused !== undefined) throw new UsageError('bad-flags', `--${unused} cannot be used with --link http`);
  const apiKey = findApiKey(flags, host, option);
  const shown = shownAddress(target);
  if (apiBase(target) === undefined)
    throw new UsageError(
      'bad-flags',
      `${option} "${shown}" is not an address such as "https://cloud.example"`,
      target.includes('@') ? IN_PASSWORDS : undefined,
    );
  if (/[?#]/.test(target))
    throw new UsageError('bad-flags', `${option} "${shown}" must not have a query or a fragment`);
  const { 'udp-raw-port': rawPort, 'udp-dtls-port': dtlsPort } = flags;
  const gateway = {
    ...(udp ?? { host: parseHost(target), port: USUAL_PORTS.base64 }),
    rawPort,
    dtlsPort,
  };
  return targetCloud({
    api: target,
    apiKey,
    spaceId: flags.space ?? null,
    keyOf: (space) => findSpaceKey(space, host),
    gateway: link === 'http' ? null : gateway,
    pace: { perSecond: flags.rate ?? null },
  });
}

/** Writes the waits that a target demands to the error stream. */
export function showWaits({ err }: Host): (wait: RequestWait | undefined) => void {
  return (wait) => {
    if (wait === undefined) return;
    err.write(`the target rejects requests (${wait.status}): waiting ${humanDuration(wait.delay)}\n`);
  };
}

/** The API key of a further space, from its environment variable. @throws UsageError if the variable is not set */
export function findSpaceKey(space: string, { env }: Pick<Host, 'env'>): string {
  const variable = `GHOSTFLEET_API_KEY_${space.toUpperCase().replaceAll('-', '_')}`;
  const key = env[variable];
  if (key === undefined) {
    throw new UsageError('no-space-key', `no API key for the space "${space}"`, `set ${variable}`);
  }
  return checkApiKey(key, variable);
}

/** The host of a web address, without the brackets of an IPv6 address. */
function parseHost(address: string): string {
  return new URL(address).hostname.replace(/^\[(.*)\]$/, '$1');
}

/** The words of a command line with these options, without the key. */
export function listTargetWords({ target, space, udp, link, rate, ...flags }: TargetFlags): readonly string[] {
  const { 'udp-raw-port': raw, 'udp-dtls-port': dtls } = flags;
  const ports = { 'udp-raw-port': raw, 'udp-dtls-port': dtls };
  return optionWords({ target, space, udp: udp && formatAddress(udp), ...ports, link, rate });
}
