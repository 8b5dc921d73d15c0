/** Options and formats of values that several commands share. */
import { ENVIRONMENT } from '../scenario/values/environment.js';
import { LAST_SEED } from '../scenario/values/seeds.js';
import { WrongValue } from './check-arguments.js';
import { checkOption, expectWholeNumber, readEach } from './command.js';
import type { Host } from './host.js';

/** The option `--otlp`, which {@link readTelemetrySettings} reads. */
export const OTLP = {
  type: 'string',
  requiresArg: true,
  describe:
    'OpenTelemetry collector to send metrics and traces to, such as http://localhost:4318; also OTEL_EXPORTER_OTLP_ENDPOINT',
} as const;

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** For messages: what {@link localPort} expects. */
export const LOCAL_PORT = 'a port number from 0 to 65535';

/** A port of this machine; 0 takes a free one. */
export const localPort = expectWholeNumber(0, 65_535);

/** For messages: what {@link remotePort} expects. */
export const REMOTE_PORT = 'a port number from 1 to 65535';

/** A port of another machine. */
export const remotePort = expectWholeNumber(1, 65_535);

/** For messages: what {@link parseHostAndPort} expects. */
export const HOST_AND_PORT = 'HOST:PORT, such as 127.0.0.1:5003 or [::1]:5003, with a port from 1 to 65535';

/**
 * Reads `127.0.0.1:5003` or `[::1]:5003`; undefined for a text of another form.
 * @param readPort default: a port of another machine
 */
export function parseHostAndPort(text: string, readPort = remotePort): HostAndPort | undefined {
  const [, bracketed, plain, digits] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = readPort(digits ?? '');
  return host !== undefined && port !== undefined ? { host, port } : undefined;
}

/** The form that {@link parseHostAndPort} reads. */
export function formatAddress({ host, port }: HostAndPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** For messages: what {@link parsePositiveNumber} expects. */
export const POSITIVE_FORM = 'a number above 0';

export function parsePositiveNumber(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

export const SPEED = checkOption(
  { describe: 'simulated seconds per real second (default: 1)' },
  'speed',
  POSITIVE_FORM,
  parsePositiveNumber,
);

export const SEED = checkOption(
  { describe: 'seed (default: that of the file)' },
  'seed',
  `a whole number from 0 to ${LAST_SEED}`,
  expectWholeNumber(0, LAST_SEED),
);

/** `--firmware 3.5.5`, with or without the `v` that devices report. */
export const FIRMWARE = checkOption(
  { describe: 'firmware version for groups that name none, such as 3.5.5 (default: the newest)' },
  'firmware',
  'a firmware version such as 3.5.5',
  (text) => /^v?(\d+\.\d+\.\d+\S*)$/.exec(text)?.[1],
);

/** An option that may be repeated, each time with one value. */
export const REPEATED = {
  type: 'string',
  array: true,
  nargs: 1,
  requiresArg: true,
  default: [] as readonly string[],
} as const;

/** `--show-secrets` of commands that show what devices print and send. */
export const SHOW_SECRETS = {
  type: 'boolean',
  default: false,
  describe: 'do not mask claim tokens, keys and passwords',
} as const;

/** `--allow-file path`; may be repeated. */
export const ALLOW_FILE = {
  ...REPEATED,
  describe: 'file outside the folder of the scenario that it may read; may be repeated',
};

/** `--markdown file`. */
export const MARKDOWN = {
  type: 'string',
  requiresArg: true,
  describe: 'file for a summary as Markdown, for a build server or a pull request',
} as const;

/** `--var name=value`; may be repeated. */
export const VARIABLES = {
  ...REPEATED,
  describe: 'variable of the scenario as name=value; may be repeated; for secrets, set GHOSTFLEET_VAR_<name> instead',
  coerce: readEach(parseVariable, (pairs): ReadonlyMap<string, string> => new Map(pairs)),
};

/** The variables of the environment, `GHOSTFLEET_VAR_<name>`, and those of the command line, which take precedence. */
export function collectVariables(typed: ReadonlyMap<string, string>, env: Host['env']): ReadonlyMap<string, string> {
  const fromEnvironment = Object.entries(env).flatMap(([key, value]) =>
    key.startsWith(ENVIRONMENT) && value !== undefined ? [[key.slice(ENVIRONMENT.length), value] as const] : [],
  );
  return new Map([...fromEnvironment, ...typed]);
}

/** The values of variables; those of secrets are masked. */
export function shownVariables(
  given: ReadonlyMap<string, string>,
  secrets: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  return new Map([...given].map(([name, value]) => [name, secrets.has(name) ? '***' : value]));
}

/** The environment that {@link collectVariables} reads. */
export function makeEnvironment(variables: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...variables].map(([name, value]) => [`${ENVIRONMENT}${name}`, value]));
}

/** Reads `name=value`. */
function parseVariable(text: string): readonly [name: string, value: string] | WrongValue {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) return new WrongValue([`--var "${text}" is not name=value`]);
  return [name, value];
}
