/** `ghostfleet serve`: the Device Cloud Service on its own. */
import { type Service, startService } from '../cloud/service.js';
import { EXIT, UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { checked, command, wholeNumber } from './command.js';
import { entropy } from './entropy.js';
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
  readonly json: boolean;
  readonly logLevel: LogLevel;
}

export const serve = command<ServeFlags>(
  'serve',
  'Run the Device Cloud Service: REST API and UDP gateway',
  (parser) =>
    parser
      .option('host', { type: 'string', default: '127.0.0.1', describe: 'address to bind' })
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
      .option('db', { type: 'string', default: 'ghostfleet.db', describe: 'SQLite file, or "memory"' })
      .option('api-key', { type: 'string', describe: 'API key to accept; without it, a first start makes one' })
      .option('space', { type: 'string', describe: 'name of the space; a first start creates it' })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'first line on stdout is JSON with addresses and key',
      })
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
    const service = await startService({
      db: options.db,
      host: options.host,
      // Because a coerced option with a default always has a value.
      port: options.port as number,
      udpPort: options.udpPort as number,
      udpRawPort: options.udpRawPort as number,
      ...(options.space !== undefined && { space: options.space }),
      ...(apiKey !== undefined && { apiKey }),
      clock: new RealClock(),
      random: entropy,
      trace: { emit: () => {} },
      log: createLog(host.err, options.logLevel),
    });
    host.out.write(options.json ? machineLine(service) : humanLines(service, options.host, options.db));
    await new Promise<void>((resolve) => {
      const forget = host.onInterrupt(() => {
        forget();
        resolve();
      });
    });
    await service.close();
    return EXIT.fine;
  },
);

function machineLine({ api, udp, udpRaw, spaceId, apiKey }: Service): string {
  return `${JSON.stringify({ api, udp, udpRaw, spaceId, ...(apiKey !== undefined && { apiKey }) })}\n`;
}

function humanLines({ api, udp, udpRaw, spaceId, apiKey }: Service, host: string, db: string): string {
  const key = apiKey === undefined ? '(as shown on the first start)' : `${apiKey} (shown only this once)`;
  return [
    `API      ${api}/v2`,
    `UDP      ${host}:${udp} (base64), ${host}:${udpRaw} (raw)`,
    `space    ${spaceId}`,
    `API key  ${key}`,
    `data     ${db}`,
    'Ctrl-C stops the service; what it has acknowledged is kept.',
    '',
  ].join('\n');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
