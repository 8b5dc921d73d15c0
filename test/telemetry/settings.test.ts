/** The option `--otlp` and the variables of OpenTelemetry. */
import { describe, expect, it } from 'vitest';
import { readTelemetrySettings } from '../../src/telemetry/settings.js';

const read = (given: string | undefined, env: Readonly<Record<string, string>> = {}) =>
  readTelemetrySettings(given, env);

function errorOf(given: string | undefined, env: Readonly<Record<string, string>> = {}): string {
  try {
    read(given, env);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('the settings of telemetry', () => {
  it('are missing without an address, so that nothing is sent', () => {
    expect(read(undefined, { OTEL_SERVICE_NAME: 'fleet', OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
  });

  it('add the paths of the signals to the address', () => {
    expect(read('http://localhost:4318/')?.destinations).toMatchObject({
      traces: { url: 'http://localhost:4318/v1/traces', encoding: 'protobuf', gzip: false, timeout: 10_000 },
      metrics: { url: 'http://localhost:4318/v1/metrics' },
    });
    expect(read('https://otlp.example/tenant/7')?.destinations.traces?.url).toBe(
      'https://otlp.example/tenant/7/v1/traces',
    );
  });

  it('come from the variables as well, and --otlp goes before their addresses', () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b:9999/own?x=1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_METRIC_EXPORT_INTERVAL: '3000',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=lab,team=a%20b,service.name=other',
      OTEL_SERVICE_NAME: 'fleet',
    };
    expect(read(undefined, env)).toMatchObject({
      destinations: {
        traces: { url: 'http://b:9999/own?x=1', encoding: 'json', gzip: true, timeout: 500 },
        metrics: { url: 'http://a:4318/v1/metrics', encoding: 'protobuf' },
      },
      every: 3000,
      attributes: { 'deployment.environment.name': 'lab', team: 'a b', 'service.name': 'fleet' },
    });
    expect(read('http://c:4318', env)?.destinations.traces?.url).toBe('http://c:4318/v1/traces');
  });

  it('send the headers of the variables, and the user and password of the address', () => {
    const env = { OTEL_EXPORTER_OTLP_HEADERS: 'X-Tenant=7, api-key=a%2Cb%3D' };
    const basic = `Basic ${Buffer.from('me:s@crets').toString('base64')}`;
    const { traces } = read('http://me:s%40crets@host:4318', env)?.destinations ?? {};
    expect(traces?.headers).toEqual({ 'x-tenant': '7', 'api-key': 'a,b=', authorization: basic });
    expect(traces?.url).toBe('http://host:4318/v1/traces');
  });

  it('are missing if OTEL_SDK_DISABLED is true, whatever the other values are', () => {
    expect(read('http://localhost:4318', { OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
    expect(read('nonsense', { OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(read('http://localhost:4318', { OTEL_SDK_DISABLED: 'yes' })).toBeDefined();
  });

  it('leave out a signal whose exporter is none', () => {
    const { destinations } = read('http://localhost:4318', { OTEL_TRACES_EXPORTER: 'none' }) ?? {};
    expect(Object.keys(destinations ?? {})).toEqual(['metrics']);
  });

  it.each(['localhost:4318', 'collector', 'ftp://collector', 'http://collector:4318/#x', '4318'])(
    'reject %s',
    (text) => {
      const wanted = 'is not the address of an OpenTelemetry collector, such as http://localhost:4318';
      expect(errorOf(text)).toBe(`--otlp "${text}" ${wanted}`);
    },
  );

  it.each(['http://me:s3crets%@host', 'http://host:4318/?token=s3crets', 'me:s3crets@host:4318'])(
    'reject %s without its secrets',
    (text) => {
      expect(errorOf(text)).toMatch(/^--otlp \(hidden\) is not the address/);
    },
  );

  it.each([
    ['http://localhost:4318/v1/traces', '/v1/traces'],
    ['http://localhost:4318/v1/metrics', '/v1/metrics'],
    ['http://localhost:4318/otlp/v1/logs/', '/v1/logs'],
    ['https://example.com/v1/profiles//', '/v1/profiles'],
  ])('reject the address of one signal: %s', (address, path) => {
    expect(errorOf(address)).toBe(`--otlp "${address}" is the address of one signal: leave out ${path}`);
  });

  it('reject the address of one signal for another one', () => {
    const address = 'http://localhost:4318/v1/traces';
    expect(errorOf(undefined, { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: address })).toBe(
      `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT "${address}" is the address for traces, not for metrics`,
    );
  });

  it('refuse what ghostfleet does not send, instead of sending something else', () => {
    const message = errorOf('http://localhost:4318', {
      OTEL_TRACES_EXPORTER: 'console,otlp',
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta',
      OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION: 'base2_exponential_bucket_histogram',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
      OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE: '/client.pem',
    });
    expect(message.split('; ')).toEqual([
      'OTEL_TRACES_EXPORTER "console,otlp" is not otlp or none',
      'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE "delta" is not cumulative',
      'OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION "base2_exponential_bucket_histogram" is not explicit_bucket_histogram',
      'OTEL_EXPORTER_OTLP_CERTIFICATE is not supported: set NODE_EXTRA_CA_CERTS to the file',
      'OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE is not supported: ghostfleet has no client certificate',
    ]);
  });

  it('accept the file of an authority that Node reads, and the forms that are sent', () => {
    const env = {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'Cumulative',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
    };
    expect(() => readTelemetrySettings('https://collector', env)).not.toThrow();
  });

  it('name all problems of the variables at once, without the headers', () => {
    const message = errorOf(undefined, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization: s3crets',
      OTEL_EXPORTER_OTLP_TIMEOUT: '10s',
      OTEL_TRACES_SAMPLER: 'TraceIdRatio',
      OTEL_TRACES_SAMPLER_ARG: '10%',
      OTEL_RESOURCE_ATTRIBUTES: 'lab',
    });
    expect(message.split('; ')).toEqual([
      'OTEL_EXPORTER_OTLP_HEADERS (hidden) is not a list such as name=value,name=value',
      'OTEL_EXPORTER_OTLP_PROTOCOL "grpc" is not http/protobuf or http/json',
      'collectors usually receive http/protobuf at port 4318',
      'OTEL_EXPORTER_OTLP_TIMEOUT "10s" is not a number of milliseconds from 1 to 2147483647',
      'OTEL_TRACES_SAMPLER_ARG "10%" is not a number from 0 to 1',
      'OTEL_RESOURCE_ATTRIBUTES "lab" is not a list such as name=value,name=value',
    ]);
  });
});
