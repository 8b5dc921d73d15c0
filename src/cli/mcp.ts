/** `ghostfleet mcp`: an MCP server, with which programs that use a language model work with devices, scenarios and runs. */
import { randomBytes } from 'node:crypto';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { isDirectory } from '../kernel/write-files.js';
import { checkOption, defineCommand } from './command.js';
import type { Host } from './host.js';
import { awaitInterruption } from './interrupts.js';
import { Desk } from './mcp-desk.js';
import { makeServer } from './mcp-server.js';
import { serveHttp, serveStreams } from './mcp-transports.js';
import { SecretFile } from './secret-file.js';
import { API_OPTIONS, connectTo, findApiKey } from './target.js';
import { localPort } from './values.js';

interface McpFlags {
  readonly folder: string;
  readonly 'allow-write': boolean;
  readonly http: number | undefined;
  readonly target: string | undefined;
  readonly 'api-key': string | undefined;
  readonly space: string | undefined;
}

export const mcp = defineCommand<McpFlags>(
  (parser) =>
    parser
      .option('folder', {
        type: 'string',
        requiresArg: true,
        default: '.',
        describe: 'folder with scenarios and runs; files elsewhere are out of reach',
      })
      .option('allow-write', {
        type: 'boolean',
        default: false,
        describe: 'offer the tools that type at devices, queue downlinks and keep results in the folder',
      })
      .option(
        'http',
        checkOption(
          {
            describe:
              'serve on this port of 127.0.0.1 instead of the standard streams (0: a free one); clients need the token in GHOSTFLEET_MCP_TOKEN, or else in a file',
          },
          'http',
          'a port number',
          localPort,
        ),
      )
      .option('target', {
        type: 'string',
        requiresArg: true,
        describe: 'address of a cloud API, for the tools of clouds',
      })
      .options(API_OPTIONS),
  execute,
);

const LEAST_TOKEN = 16;

async function execute(flags: McpFlags, host: Host): Promise<ExitCode> {
  const { folder, 'allow-write': mayWrite, http, target, space } = flags;
  if (!isDirectory(folder)) throw new UsageError('bad-flags', `--folder "${folder}" is not a directory`);
  const connection = target === undefined ? undefined : { target, space, apiKey: findApiKey(flags, host) };
  const desk = new Desk({ host, folder, mayWrite, connect: connection && (() => connectTo(connection)) });
  try {
    if (http === undefined) await serveStreams(host, () => makeServer(desk));
    else await serveWithToken(http, desk, host);
    return EXIT.fine;
  } finally {
    await desk.close();
  }
}

async function serveWithToken(port: number, desk: Desk, host: Host): Promise<void> {
  const given = host.env.GHOSTFLEET_MCP_TOKEN;
  if (given !== undefined && (given.length < LEAST_TOKEN || !/^[!-~]+$/.test(given))) {
    throw new UsageError(
      'bad-token',
      `GHOSTFLEET_MCP_TOKEN must have at least ${LEAST_TOKEN} visible ASCII characters`,
    );
  }
  const token = given ?? randomBytes(32).toString('base64url');
  const file = given === undefined ? new SecretFile('token', token) : undefined;
  const { happens, forget } = awaitInterruption(host);
  try {
    const server = await serveHttp(port, token, host, () => makeServer(desk));
    host.err.write(`MCP at ${server.url}, its token in ${file?.path ?? 'GHOSTFLEET_MCP_TOKEN'}\n`);
    await happens;
    await server.close();
  } finally {
    forget();
    file?.close();
  }
}
