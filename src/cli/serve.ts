/** `ghostfleet serve`: runs the Device Cloud Service without a fleet. */
import { isIPv4 } from 'node:net';
import type { Argv } from 'yargs';
import { LOCAL_HOSTS } from '../cloud/http/host-guard.js';
import { type PublicUrl, readPublicUrl } from '../cloud/http/public-url.js';
import { storeName } from '../cloud/open-store.js';
import { type Service, startService } from '../cloud/service.js';
import { PASSWORD } from '../contract/accounts.js';
import { isEmail } from '../contract/values.js';
import { entropy } from '../kernel/entropy.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { needDifferentPorts } from '../kernel/same-port.js';
import { MOST_REQUESTS } from '../scenario/parse/cloud.js';
import { readTelemetrySettings } from '../telemetry/settings.js';
import { Capture } from '../wire/capture.js';
import { ServiceRecorder } from '../wire/service-recorder.js';
import { awaitReader, CAPTURE } from './capture.js';
import { checkDatabase, databaseIn } from './check-database.js';
import { checkOption, defineCommand, expectWholeNumber } from './command.js';
import type { Host } from './host.js';
import { awaitInterruption } from './interrupts.js';
import { createLog, LOG_LEVELS, type LogLevel } from './logs.js';
import { WEB_CONSOLE } from './package-files.js';
import { findSecretsKey, SECRETS_KEY_FILE } from './secrets-key.js';
import {
  PORTS,
  parseExpiry,
  parseHostNames,
  parseListenHost,
  parseNetworks,
  parseRetention,
  parseSpaceName,
} from './serve-values.js';
import { givenApiKey } from './target.js';
import { formatAddress, LOCAL_PORT, localPort, OTLP } from './values.js';

interface ServeFlags {
  readonly host: string;
  readonly port: number | undefined;
  readonly udpPort: number | undefined;
  readonly udpRawPort: number | undefined;
  readonly udpDtlsPort: number | undefined;
  readonly db: string | undefined;
  readonly secretsKeyFile: string | undefined;
  readonly apiKey: string | undefined;
  readonly space: string | undefined;
  readonly admin: string | undefined;
  readonly messageBody: 'json' | 'string';
  readonly legacyPaths: boolean;
  readonly 'plain-404': boolean;
  readonly allowPrivate: boolean;
  readonly json: boolean;
  readonly capture: string | undefined;
  readonly otlp: string | undefined;
  readonly logLevel: LogLevel;
  readonly rateLimit: number | undefined;
  readonly trustProxy: readonly string[] | undefined;
  readonly allowedHost: readonly string[] | undefined;
  readonly publicUrl: PublicUrl | undefined;
  readonly retainMessages: number | undefined;
  readonly expireDownlinks: number | undefined;
  readonly strictNames: boolean;
}

export const serve = defineCommand<ServeFlags>(
  (parser) => addOutputOptions(addAccessOptions(addPlaceOptions(parser))),
  execute,
);

/** Options for the addresses of the service and for its data. */
function addPlaceOptions(parser: Argv): Argv {
  return parser
    .option(
      'host',
      checkOption(
        { default: '127.0.0.1', describe: 'address to listen on' },
        'host',
        'an IP address without brackets, or a host name, without a port; 0.0.0.0 means all addresses',
        parseListenHost,
      ),
    )
    .option('port', makePortOption('port', 'port of the API'))
    .option('udp-port', makePortOption('udp-port', 'UDP port for base64 datagrams'))
    .option('udp-raw-port', makePortOption('udp-raw-port', 'UDP port for raw datagrams'))
    .option(
      'udp-dtls-port',
      checkOption(
        {
          describe:
            'UDP port for devices with DTLS (5005 by convention), for tests only; 0 takes a free one (default: none)',
        },
        'udp-dtls-port',
        LOCAL_PORT,
        localPort,
      ),
    )
    .option('db', {
      type: 'string',
      requiresArg: true,
      describe: 'SQLite file, postgres://…, or "memory"; also GHOSTFLEET_DB (default: ghostfleet.db)',
    })
    .option('secrets-key-file', SECRETS_KEY_FILE)
    .option(
      'retain-messages',
      checkOption(
        { describe: 'delete messages after this time, such as 30d (default: never)' },
        'retain-messages',
        'a duration of 2d or more, such as 30d',
        parseRetention,
      ),
    )
    .option(
      'expire-downlinks',
      checkOption(
        { describe: 'expire a downlink that was not delivered within this time, such as 7d (default: 30d)' },
        'expire-downlinks',
        'a duration of 1h or more, such as 7d',
        parseExpiry,
      ),
    );
}

function addAccessOptions(parser: Argv): Argv {
  return parser
    .option('api-key', {
      type: 'string',
      requiresArg: true,
      describe:
        'API key to accept, in place of the one given at earlier starts; also GHOSTFLEET_API_KEY (default: the first start creates one)',
    })
    .option(
      'space',
      checkOption(
        { describe: 'name of the space; the first start creates it' },
        'space',
        'a name of 1 to 64 printable characters',
        parseSpaceName,
      ),
    )
    .option(
      'admin',
      checkOption(
        {
          describe:
            'email address of a user to make an admin; password in GHOSTFLEET_ADMIN_PASSWORD, in place of an earlier one',
        },
        'admin',
        'an email address in ASCII',
        (text) => (isEmail(text) ? text : undefined),
      ),
    )
    .option(
      'rate-limit',
      checkOption(
        { describe: 'requests per minute that one key may make (default: no limit)' },
        'rate-limit',
        'a whole number of 1 or more',
        expectWholeNumber(1, MOST_REQUESTS),
      ),
    )
    .option(
      'trust-proxy',
      checkOption(
        { describe: 'addresses of reverse proxies, whose X-Forwarded-… headers are true, such as 10.0.0.0/8' },
        'trust-proxy',
        'IP addresses or networks, separated by commas',
        parseNetworks,
      ),
    )
    .option(
      'allowed-host',
      checkOption(
        {
          describe:
            'names under which callers reach the service, such as cloud.example.com (default: localhost and --host)',
        },
        'allowed-host',
        'host names without ports, separated by commas',
        parseHostNames,
      ),
    )
    .option(
      'public-url',
      checkOption(
        { describe: 'address of the service behind a reverse proxy, such as https://example.com/iot' },
        'public-url',
        'an http or https address without a query, whose path does not begin with a path of the service such as /v2',
        readPublicUrl,
      ),
    )
    .option('allow-private', {
      type: 'boolean',
      default: false,
      describe: 'let connectors send to private and loopback addresses',
    });
}

/** Options for the form of API responses and for the output of the command. */
function addOutputOptions(parser: Argv): Argv {
  return parser
    .option('message-body', {
      choices: ['json', 'string'] as const,
      default: 'json' as const,
      describe: 'type of message bodies in API responses: a JSON value, or a string of JSON (hio-dotnet)',
    })
    .option('legacy-paths', {
      type: 'boolean',
      default: false,
      describe: 'also serve /v2/devices, /v2/messages and /v2/space/ID/… for older clients',
    })
    .option('plain-404', {
      type: 'boolean',
      default: false,
      describe: 'answer 404 with the plain text "not found" (hio-dotnet)',
    })
    .option('strict-names', {
      type: 'boolean',
      default: false,
      describe: 'reject names with anything but lower-case letters, digits and hyphens',
    })
    .option('json', {
      type: 'boolean',
      default: false,
      describe: 'print addresses and key as one line of JSON',
    })
    .option('capture', CAPTURE)
    .option('otlp', OTLP)
    .option('log-level', { choices: LOG_LEVELS, default: 'warn' as const, describe: 'what to log on stderr' });
}

function makePortOption(name: keyof typeof PORTS, about: string) {
  return checkOption(
    { default: String(PORTS[name]), describe: `${about}; 0 takes a free one` },
    name,
    LOCAL_PORT,
    localPort,
  );
}

async function execute(options: ServeFlags, host: Host): Promise<ExitCode> {
  // The variable exists because the address of a PostgreSQL database contains a password. In a command line, every user of the
  // machine could read it.
  const db =
    options.db === undefined ? (databaseIn(host.env) ?? checkDatabase('ghostfleet.db')) : checkDatabase(options.db);
  const apiKey = givenApiKey(options.apiKey, host.env);
  if (!isLoopback(options.host) && apiKey === undefined) {
    throw new UsageError(
      'open-without-key',
      `--host "${options.host}" is reachable from other machines, so an API key is required`,
      'give --api-key, or set GHOSTFLEET_API_KEY',
    );
  }
  needDifferentPorts([
    { option: '--udp-port', port: options.udpPort },
    { option: '--udp-raw-port', port: options.udpRawPort },
    { option: '--udp-dtls-port', port: options.udpDtlsPort },
  ]);
  const admin = findAdmin(options.admin, host.env.GHOSTFLEET_ADMIN_PASSWORD);
  const secretsKey = findSecretsKey(options.secretsKeyFile, host.env);
  const settings = readTelemetrySettings(options.otlp, host.env);
  // Loaded only when it is used.
  const telemetry = settings && (await import('./cloud-telemetry.js'));
  const source = telemetry && new telemetry.CloudSource();
  const log = createLog(
    host.err,
    options.logLevel,
    [apiKey, admin?.password].filter((secret) => secret !== undefined),
  );
  const clock = new RealClock({ followsSystem: true });
  let service: Service | undefined;
  const isOpen = await awaitReader(options.capture);
  const capture = beginCapture(options.capture, (serial) => service?.nameOf(serial), host);
  isOpen();
  service = await startService({
    db,
    secretsKey,
    host: options.host,
    port: options.port as number,
    udpPort: options.udpPort as number,
    udpRawPort: options.udpRawPort as number,
    udpDtlsPort: options.udpDtlsPort ?? null,
    space: options.space,
    apiKey,
    admin,
    retainMessages: options.retainMessages,
    expireDownlinks: options.expireDownlinks,
    clock,
    random: entropy,
    trace: {
      emit: (event) => {
        capture?.take(event);
        source?.take(event);
      },
    },
    ...(capture && { recorder: new ServiceRecorder(capture, clock) }),
    log,
    operated: true,
    webConsole: WEB_CONSOLE,
    allowPrivateTargets: options.allowPrivate,
    apiOptions: {
      rateLimit: options.rateLimit ?? null,
      trustProxy: options.trustProxy ?? [],
      publicUrl: options.publicUrl ?? null,
      hosts: [...LOCAL_HOSTS, options.host.toLowerCase(), ...(options.allowedHost ?? [])],
      messageBody: options.messageBody,
      legacyPaths: options.legacyPaths,
      plainNotFound: options['plain-404'],
      strictNames: options.strictNames,
    },
  });
  // The one-time link is printed only for loopback addresses. On other addresses, users sign in with an API key or an account.
  const page = isLoopback(options.host) ? (service.consoleLink() ?? service.api) : service.api;
  host.out.write(
    options.json
      ? writeMachineLine(service, page)
      : writeHumanLines(service, { ...options, db }, { page, given: apiKey !== undefined }),
  );
  const complain = (sentence: string) => log.warn({}, sentence);
  const exporting = source && settings && telemetry?.beginCloudTelemetry({ settings, service, source, complain });
  const { happens, forget } = awaitInterruption(host, () => describeKept(db));
  await happens;
  // The collector gets a second: the whole end has to be shorter than the 10 s after which Docker kills the process.
  exporting?.interrupt();
  await exporting?.end();
  await service.close();
  forget();
  return capture?.close() === false ? EXIT.usage : EXIT.fine;
}

/** @throws UsageError if the file cannot be written */
function beginCapture(path: string | undefined, nameOf: Service['nameOf'], host: Host): Capture | undefined {
  if (path === undefined) return undefined;
  const capture = new Capture(path, { about: 'ghostfleet serve', live: true });
  // The service goes on: its devices are more important.
  capture.begin(undefined, nameOf, ({ message }) =>
    host.err.write(`ghostfleet: ${message}; nothing more is captured\n`),
  );
  return capture;
}

function findAdmin(email: string | undefined, given: string | undefined) {
  if (email === undefined) return undefined;
  // A secret that was read from a file usually ends with a line end, which cannot be typed at a login.
  const password = given?.replace(/(?<![\r\n])[\r\n]+$/, '');
  if (password === undefined || password.length < PASSWORD.min || password.length > PASSWORD.max) {
    throw new UsageError(
      'no-admin-password',
      `--admin needs a password of ${PASSWORD.min} to ${PASSWORD.max} characters`,
      'set GHOSTFLEET_ADMIN_PASSWORD',
    );
  }
  return { email, password };
}

function writeMachineLine({ api, udp, udpRaw, udpDtls, spaceId, apiKey, keyFile }: Service, page: string): string {
  const ports = { udp, udpRaw, udpDtls: udpDtls ?? undefined };
  return `${JSON.stringify({ api, ...ports, spaceId, apiKey, keyFile, console: page })}\n`;
}

/**
 * @param page address of the console
 * @param given whether the user chose the key, which is then not shown
 */
function writeHumanLines(
  { api, udp, udpRaw, udpDtls, spaceId, apiKey, keyFile }: Service,
  { host, db, publicUrl }: Pick<ServeFlags, 'host' | 'publicUrl'> & { readonly db: string },
  { page, given }: { readonly page: string; readonly given: boolean },
): string {
  const at = (port: number | null): string => formatAddress({ host, port: port ?? 0 });
  const made = apiKey ? `${apiKey} (shown only once)` : '(shown on the first start; --api-key adds another)';
  return [
    `console  ${page}${page === api ? '' : ' (opens once, within 10 minutes)'}`,
    ...(publicUrl ? [`public   ${publicUrl.origin}${publicUrl.prefix}/`] : []),
    `API      ${api}`,
    `docs     ${api}/v2/documentation`,
    `UDP      ${at(udp)} (base64), ${at(udpRaw)} (raw)${udpDtls === null ? '' : `, ${at(udpDtls)} (DTLS)`}`,
    `space    ${spaceId}`,
    `API key  ${given ? '(as given)' : made}`,
    `data     ${storeName(db)}`,
    ...(keyFile === undefined ? [] : [`key      ${keyFile} (encrypts the secrets in the data: keep a copy elsewhere)`]),
    `Press Ctrl-C to stop the service; ${describeKept(db)}.`,
    '',
  ].join('\n');
}

function describeKept(db: string): string {
  return db === 'memory' ? 'no data is kept' : 'acknowledged data is kept';
}

function isLoopback(host: string): boolean {
  // The prefix counts only in an IP address, because a host name may also begin with "127.".
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
