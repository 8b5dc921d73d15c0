/** Where telemetry goes and how: the option `--otlp` and the variables `OTEL_…` of the OpenTelemetry specification. */
import { UsageError } from '../kernel/errors.js';
import { type Millis, seconds } from '../kernel/time.js';
import { readCredentials } from '../kernel/web-address.js';

export const SIGNALS = ['traces', 'metrics'] as const;
export type Signal = (typeof SIGNALS)[number];

export interface TelemetrySettings {
  /** A signal without a destination is not sent. */
  readonly destinations: Readonly<Partial<Record<Signal, Destination>>>;
  /** Time between two exports. */
  readonly every: Millis;
  readonly sampler: Sampler;
  /** Attributes of the resource that the user has set, such as `service.name`. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Which traces are sent. */
export interface Sampler {
  /** Share of the traces, 0 to 1. */
  readonly ratio: number;
  /** Whether the decision of a caller goes before the share. */
  readonly asksCaller: boolean;
}

export interface Destination {
  /** Without user name and password. A query may contain secrets. */
  readonly url: string;
  /** May contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly encoding: 'protobuf' | 'json';
  readonly gzip: boolean;
  readonly timeout: Millis;
}

type Environment = Readonly<Record<string, string | undefined>>;

const FORM = 'the address of an OpenTelemetry collector, such as http://localhost:4318';
/** The usual interval of Prometheus; OpenTelemetry's own default of a minute is longer than many runs. */
const EVERY: Millis = seconds(15);
/** The default of the specification. */
const TIMEOUT: Millis = seconds(10);

/**
 * Reads the option `--otlp`, which goes before the variables for addresses.
 * @returns undefined if telemetry is not wanted
 * @throws UsageError with all problems
 */
export function readTelemetrySettings(given: string | undefined, env: Environment): TelemetrySettings | undefined {
  const reader = new Reader(env);
  if (reader.find('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const found = SIGNALS.flatMap((signal) => {
    if (reader.readChoice(`OTEL_${signal.toUpperCase()}_EXPORTER`, ['otlp', 'none']) === 'none') return [];
    const name = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
    const own = given === undefined ? reader.find(name) : undefined;
    if (own !== undefined) return [[signal, own, name] as const];
    const base = given ?? reader.find('OTEL_EXPORTER_OTLP_ENDPOINT');
    const source = given === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : '--otlp';
    return base === undefined ? [] : [[signal, base, source] as const];
  });
  if (found.length === 0) return undefined;
  if (found.some(([signal]) => signal === 'metrics')) {
    reader.readChoice('OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', ['cumulative']);
    reader.readChoice('OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION', ['explicit_bucket_histogram']);
  }
  const destinations = Object.fromEntries(
    found.map(([signal, text, source]) => [signal, reader.readDestination(signal, text, source)]),
  );
  const every = reader.readMillis('OTEL_METRIC_EXPORT_INTERVAL') ?? EVERY;
  const sampler = reader.readSampler();
  const attributes = reader.readPairs('OTEL_RESOURCE_ATTRIBUTES');
  const service = reader.find('OTEL_SERVICE_NAME');
  reader.end();
  return { destinations, every, sampler, attributes: { ...attributes, ...(service && { 'service.name': service }) } };
}

class Reader {
  readonly #env: Environment;
  /** A set, because both signals may have the same problem. */
  readonly #problems = new Set<string>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** An empty variable counts as missing, as the specification says. */
  find(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined;
  }

  /** @throws UsageError if there were problems */
  end(): void {
    if (this.#problems.size > 0) throw new UsageError('bad-otlp', [...this.#problems].join('; '));
  }

  readDestination(signal: Signal, text: string, source: string): Destination {
    const address = this.#readAddress(signal, text, source);
    this.#refuseCertificates(signal);
    const of = (name: string) => {
      const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`;
      return this.find(own) === undefined ? `OTEL_EXPORTER_OTLP_${name}` : own;
    };
    return {
      url: address?.url ?? '',
      headers: { ...address?.headers, ...this.readPairs(of('HEADERS'), true) },
      encoding: this.#readEncoding(of('PROTOCOL')),
      gzip: this.readChoice(of('COMPRESSION'), ['none', 'gzip']) === 'gzip',
      timeout: this.readMillis(of('TIMEOUT')) ?? TIMEOUT,
    };
  }

  /** Node reads certificates of authorities itself. */
  #refuseCertificates(signal: Signal): void {
    for (const start of ['OTEL_EXPORTER_OTLP', `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}`]) {
      if (this.find(`${start}_CERTIFICATE`) !== undefined && this.find('NODE_EXTRA_CA_CERTS') === undefined)
        this.#problems.add(`${start}_CERTIFICATE is not supported: set NODE_EXTRA_CA_CERTS to the file`);
      if (this.find(`${start}_CLIENT_CERTIFICATE`) !== undefined)
        this.#problems.add(`${start}_CLIENT_CERTIFICATE is not supported: ghostfleet has no client certificate`);
    }
  }

  /** The address of one signal is complete; to the others, the path of the signal is added. */
  #readAddress(signal: Signal, text: string, source: string): Pick<Destination, 'url' | 'headers'> | undefined {
    const isOwn = source.endsWith(`${signal.toUpperCase()}_ENDPOINT`);
    const address = splitAddress(text);
    // An address that is not valid may have a password anywhere.
    const shown = /[@?]/.test(text) ? '(hidden)' : `"${text}"`;
    if (address === undefined || (!isOwn && address.hasQuery)) {
      this.#problems.add(`${source} ${shown} is not ${FORM}`);
      return undefined;
    }
    const { url, headers } = address;
    const base = url.replace(/(?<!\/)\/+$/, '');
    const [path, named] = /\/v1\/(traces|metrics|logs|profiles)$/.exec(base) ?? [];
    if (isOwn && named !== undefined && named !== signal) {
      this.#problems.add(`${source} ${shown} is the address for ${named}, not for ${signal}`);
    }
    if (isOwn) return { url, headers };
    if (path !== undefined) this.#problems.add(`${source} ${shown} is the address of one signal: leave out ${path}`);
    return { url: `${base}/v1/${signal}`, headers };
  }

  #readEncoding(name: string): Destination['encoding'] {
    const protocol = this.readChoice(name, ['http/protobuf', 'http/json'], (text) =>
      text === 'grpc' ? '; collectors usually receive http/protobuf at port 4318' : '',
    );
    return protocol === 'http/json' ? 'json' : 'protobuf';
  }

  readChoice(name: string, choices: readonly string[], hint: (text: string) => string = () => ''): string | undefined {
    const text = this.find(name)?.toLowerCase();
    if (text !== undefined && !choices.includes(text)) {
      this.#problems.add(`${name} "${text}" is not ${choices.join(' or ')}${hint(text)}`);
    }
    return text;
  }

  readMillis(name: string): Millis | undefined {
    const text = this.find(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < 1 || value > 2_147_483_647) {
      this.#problems.add(`${name} "${text}" is not a number of milliseconds from 1 to 2147483647`);
    }
    return value;
  }

  readSampler(): Sampler {
    const names = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [`parentbased_${name}`, name]);
    const name = this.readChoice('OTEL_TRACES_SAMPLER', names) ?? 'parentbased_always_on';
    const asksCaller = name.startsWith('parentbased_');
    if (!name.endsWith('traceidratio')) return { ratio: name.endsWith('_on') ? 1 : 0, asksCaller };
    const text = this.find('OTEL_TRACES_SAMPLER_ARG') ?? '1';
    const ratio = Number(text);
    if (!(ratio >= 0 && ratio <= 1))
      this.#problems.add(`OTEL_TRACES_SAMPLER_ARG "${text}" is not a number from 0 to 1`);
    return { ratio, asksCaller };
  }

  /** Reads `a=1,b=2`, where values may contain percent escapes. @param secret whether a message must not show the text */
  readPairs(name: string, secret = false): Readonly<Record<string, string>> {
    const text = this.find(name);
    const pairs = (text?.split(',') ?? []).filter((pair) => pair.trim() !== '').map(readPair);
    const read = pairs.filter((pair) => pair !== undefined);
    if (read.length < pairs.length || (secret && !read.every(isHeader))) {
      this.#problems.add(`${name} ${secret ? '(hidden)' : `"${text}"`} is not a list such as name=value,name=value`);
    }
    return Object.fromEntries(read.map(([key, value]) => [secret ? key.toLowerCase() : key, value]));
  }
}

function readPair(pair: string): readonly [string, string] | undefined {
  const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? [];
  if (key === '') return undefined;
  try {
    return [decodeURIComponent(key), decodeURIComponent(value.trim())];
  } catch {
    return undefined;
  }
}

function isHeader([key, value]: readonly [string, string]): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(key) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** Takes user name and password out of an address. */
function splitAddress(text: string) {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol)) return undefined;
  const headers = readCredentials({ username, password });
  return headers && { url: `${origin}${pathname}${search}`, hasQuery: search !== '' || hash !== '', headers };
}
