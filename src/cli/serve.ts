/** `ghostfleet serve`: the Device Cloud Service on its own. */
import { isIPv4 } from 'node:net';
import { PASSWORD } from '../cloud/accounts/passwords.js';
import { storeName } from '../cloud/open-store.js';
import { type Service, startService } from '../cloud/service.js';
import { EXIT, UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { parseDuration } from '../kernel/time.js';
import { MOST_REQUESTS, SHORTEST_EXPIRY, SHORTEST_RETENTION } from '../scenario/parse/cloud.js';
import { checked, command, wholeNumber } from './command.js';
import { entropy } from './entropy.js';
import { interruption } from './interrupts.js';
import { createLog, LOG_LEVELS, type LogLevel } from './logs.js';

const port = wholeNumber(0, 65_535);
const PORT = 'a port number from 0 to 65535';

interface ServeFlags {
  readonly host: string;
  readonly port: number | undefined;
  readonly udpPort: number | undefined;
  readonly udpRawPort: number | undefined;
  readonly db: string;
  readonly apiKey: string | undefined;
  readonly space: string | undefined;
  readonly admin: string | undefined;
  readonly messageBody: 'json' | 'string';
  readonly legacyPaths: boolean;
  readonly 'plain-404': boolean;
  readonly allowPrivate: boolean;
  readonly json: boolean;
  readonly logLevel: LogLevel;
  readonly rateLimit: number | undefined;
  readonly retainMessages: number | undefined;
  readonly expireDownlinks: number | undefined;
  readonly strictNames: boolean;
}

export const serve = command<ServeFlags>(
  'serve',
  'Run the Device Cloud Service: REST API and UDP gateway',
  (parser) =>
    parser
      .option('host', { type: 'string', requiresArg: true, default: '127.0.0.1', describe: 'address to bind' })
      .option('port', checked({ default: '8080', describe: 'port of the API; 0 takes a free one' }, 'port', PORT, port))
      .option(
        'udp-port',
        checked(
          { default: '5003', describe: 'UDP port for base64 datagrams; 0 takes a free one' },
          'udp-port',
          PORT,
          port,
        ),
      )
      .option(
        'udp-raw-port',
        checked(
          { default: '5002', describe: 'UDP port for raw datagrams; 0 takes a free one' },
          'udp-raw-port',
          PORT,
          port,
        ),
      )
      .option('db', {
        type: 'string',
        requiresArg: true,
        default: 'ghostfleet.db',
        describe: 'SQLite file, postgres://…, or "memory"',
      })
      .option(
        'retain-messages',
        checked(
          { describe: 'how long messages are kept, such as 30d; without it, for ever' },
          'retain-messages',
          'a duration of 2d or more, such as 30d',
          retention,
        ),
      )
      .option(
        'expire-downlinks',
        checked(
          { describe: 'when a downlink that no device has fetched ends, such as 7d; without it, after 30d' },
          'expire-downlinks',
          'a duration of 1h or more, such as 7d',
          expiry,
        ),
      )
      .option('api-key', {
        type: 'string',
        requiresArg: true,
        describe: 'API key to accept; without it, a first start makes one',
      })
      .option('space', { type: 'string', requiresArg: true, describe: 'name of the space; a first start creates it' })
      .option(
        'admin',
        checked(
          { describe: 'email address of a user to make an admin, with the password in GHOSTFLEET_ADMIN_PASSWORD' },
          'admin',
          'an email address',
          (text) => (/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(text) ? text : undefined),
        ),
      )
      .option('message-body', {
        choices: ['json', 'string'] as const,
        default: 'json' as const,
        describe: 'how the body of a message is sent; "string" is JSON text, for clients such as hio-dotnet',
      })
      .option('legacy-paths', {
        type: 'boolean',
        default: false,
        describe: 'serve /v2/devices, /v2/messages and /v2/space/ID/… as well, for older clients',
      })
      .option('plain-404', {
        type: 'boolean',
        default: false,
        describe: 'answer for what does not exist with the text "not found", for clients such as hio-dotnet',
      })
      .option('strict-names', {
        type: 'boolean',
        default: false,
        describe: 'refuse names that are not lower-case letters, digits and hyphens',
      })
      .option('allow-private', {
        type: 'boolean',
        default: false,
        describe: 'let connectors send to private and loopback addresses as well',
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'first line on stdout is JSON with addresses and key',
      })
      .option(
        'rate-limit',
        checked(
          { describe: 'requests that one key may make in a minute; without it, any number' },
          'rate-limit',
          'a whole number from 1',
          wholeNumber(1, MOST_REQUESTS),
        ),
      )
      .option('log-level', { choices: LOG_LEVELS, default: 'warn' as const, describe: 'what to log on stderr' }),
  async (options, host) => {
    const apiKey = options.apiKey ?? host.env.GHOSTFLEET_API_KEY;
    if (!isLoopback(options.host) && apiKey === undefined) {
      throw new UsageError(
        'open-without-key',
        `"${options.host}" can be reached from other machines: choose a key yourself`,
        'give --api-key, or set GHOSTFLEET_API_KEY',
      );
    }
    const admin = adminIn(options.admin, host.env.GHOSTFLEET_ADMIN_PASSWORD);
    const service = await startService({
      db: options.db,
      host: options.host,
      // Because a coerced option with a default always has a value.
      port: options.port as number,
      udpPort: options.udpPort as number,
      udpRawPort: options.udpRawPort as number,
      ...(options.space !== undefined && { space: options.space }),
      ...(apiKey !== undefined && { apiKey }),
      ...(admin && { admin }),
      ...(options.retainMessages !== undefined && { retainMessages: options.retainMessages }),
      ...(options.expireDownlinks !== undefined && { expireDownlinks: options.expireDownlinks }),
      clock: new RealClock(),
      random: entropy,
      trace: { emit: () => {} },
      log: createLog(
        host.err,
        options.logLevel,
        [apiKey, admin?.password].filter((secret) => secret !== undefined),
      ),
      operated: true,
      allowPrivateTargets: options.allowPrivate,
      apiOptions: {
        rateLimit: options.rateLimit ?? null,
        messageBody: options.messageBody,
        legacyPaths: options.legacyPaths,
        plainNotFound: options['plain-404'],
        strictNames: options.strictNames,
      },
    });
    host.out.write(options.json ? machineLine(service) : humanLines(service, options, apiKey !== undefined));
    const { happens, forget } = interruption(host, keptBy(options.db));
    await happens;
    await service.close();
    forget();
    return EXIT.fine;
  },
);

function retention(text: string): number | undefined {
  const keep = parseDuration(text) ?? 0;
  return keep >= SHORTEST_RETENTION ? keep : undefined;
}

function expiry(text: string): number | undefined {
  const after = parseDuration(text) ?? 0;
  return after >= SHORTEST_EXPIRY ? after : undefined;
}

function adminIn(email: string | undefined, password: string | undefined) {
  if (email === undefined) return undefined;
  if (password === undefined || password.length < PASSWORD.min || password.length > PASSWORD.max) {
    throw new UsageError(
      'no-admin-password',
      `--admin needs a password of ${PASSWORD.min} to ${PASSWORD.max} characters`,
      'set GHOSTFLEET_ADMIN_PASSWORD',
    );
  }
  return { email, password };
}

function machineLine({ api, udp, udpRaw, spaceId, apiKey }: Service): string {
  return `${JSON.stringify({ api, udp, udpRaw, spaceId, ...(apiKey !== undefined && { apiKey }) })}\n`;
}

/** @param given whether the key is the user's own, who does not need to see it */
function humanLines(
  { api, udp, udpRaw, spaceId, apiKey }: Service,
  { host, db }: Pick<ServeFlags, 'host' | 'db'>,
  given: boolean,
): string {
  const made = apiKey ? `${apiKey} (shown only this once)` : '(as shown on the first start; --api-key adds another)';
  return [
    `API      ${api}/v2`,
    `UDP      ${host}:${udp} (base64), ${host}:${udpRaw} (raw)`,
    `space    ${spaceId}`,
    `API key  ${given ? '(the given one)' : made}`,
    `data     ${storeName(db)}`,
    `Ctrl-C stops the service; ${keptBy(db)}.`,
    '',
  ].join('\n');
}

function keptBy(db: string): string {
  return `${db === 'memory' ? 'nothing' : 'what it has acknowledged'} is kept`;
}

function isLoopback(host: string): boolean {
  // Not every name that begins with 127 is an address.
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
