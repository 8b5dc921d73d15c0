/** The dashboards of `deploy/grafana`: their queries name metrics and labels that ghostfleet has, and the files fit together. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Metrics } from '../../src/cloud/operator/metrics.js';
import { MemoryStore } from '../../src/cloud/store/memory/memory-store.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { openCollector } from '../support/collector.js';
import { ghostfleet } from '../support/host.js';

const FOLDER = 'deploy/grafana';
/** Labels that Prometheus adds. */
const OF_PROMETHEUS = ['le', 'job', 'instance'];

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

function panelsOf(dashboard: string): readonly Panel[] {
  return JSON.parse(readFileSync(join(FOLDER, 'dashboards', dashboard), 'utf8')).panels;
}

/** Whether each node of a database reports its own value, or all report the value of the database. */
const GAUGES: Readonly<Record<string, 'node' | 'database'>> = {
  ghostfleet_commits_waiting: 'node',
  ghostfleet_devices: 'database',
  ghostfleet_downlinks_pending: 'database',
  ghostfleet_dtls_sessions: 'node',
  ghostfleet_store_damaged: 'node',
};

type Series = ReadonlyMap<string, ReadonlySet<string>>;

/** The metrics and labels of all queries that are not among the series: their names with the labels they have. */
function findUnknown(dashboard: string, series: Series): readonly string[] {
  return panelsOf(dashboard).flatMap(({ title, targets }) =>
    targets.flatMap(({ expr, legendFormat }) => {
      const names = expr.match(/\b(ghostfleet|process|nodejs)_[a-z0-9_]+/g) ?? [];
      const lists = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
      const selected = [...expr.matchAll(/([a-z_]+)=~?"/g)].map(([, label = '']) => label);
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      const has = new Set(names.flatMap((name) => [...(series.get(name) ?? [])]).concat(OF_PROMETHEUS));
      const labels = [...lists, ...selected, ...shown].filter((label) => !has.has(label));
      const missing = names.filter((name) => !series.has(name));
      return [
        ...(names.length === 0 ? [`${title}: no metric in ${expr}`] : []),
        ...missing.map((name) => `${title}: no metric ${name}`),
        ...labels.map((label) => `${title}: no label ${label} in ${expr}`),
      ];
    }),
  );
}

/** The metrics of a service that has received and sent everything once, as `/metrics` shows them. */
async function readCloud(): Promise<string> {
  const metrics = new Metrics(new VirtualClock());
  metrics.watchProcess();
  metrics.watchStore(new MemoryStore(), { waiting: 0, refused: 0 });
  // The cast is safe because the metrics only list the counters.
  metrics.watchGateway({ received: 1 } as Parameters<Metrics['watchGateway']>[0], []);
  metrics.watchDtls(() => undefined);
  metrics.request({ method: 'GET', route: '/v2', status: 200, took: 1 });
  metrics.commit(1);
  const trace = metrics.listening({ emit: () => {} });
  const [at, serial, downlink] = [0, 1, '019cad34-1e80-706e-8e3e-a5367db2efcd'];
  trace.emit({ kind: 'cloud.stored', at, serial, type: 'data', message: downlink, copy: false });
  trace.emit({ kind: 'downlink.delivered', at, serial, downlink, evidence: 'final-ack' });
  return metrics.text();
}

async function seriesOfCloud(): Promise<Series> {
  const series = new Map<string, ReadonlySet<string>>();
  for (const line of (await readCloud()).split('\n')) {
    const [, name = '', labels = ''] = /^([a-z]\w*)(?:\{(.*)\})? /.exec(line) ?? [];
    const own = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    if (name !== '') series.set(name, new Set([...(series.get(name) ?? []), ...own]));
  }
  return series;
}

const directory = mkdtempSync(join(tmpdir(), 'gf-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** The series of a run with `--otlp`, with the names that Prometheus gives to metrics of OpenTelemetry. */
async function seriesOfRun(): Promise<Series> {
  const scenario = join(directory, 'tiny.yaml');
  writeFileSync(scenario, 'name: tiny\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n');
  const collector = await openCollector();
  await ghostfleet(['run', scenario, '--otlp', collector.url]);
  collector.close();
  return new Map(
    collector.points.flatMap(({ name, unit, kind, attributes }) => {
      const base = name.replaceAll(/[^a-z0-9]/g, '_') + (unit === 's' ? '_seconds' : '');
      const names = kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => base + part) : [base];
      return names.map((each) => [each, new Set(Object.keys(attributes))] as const);
    }),
  );
}

describe('the dashboard', () => {
  it('of the cloud has only metrics and labels of /metrics', async () => {
    expect(panelsOf('cloud.json').length).toBeGreaterThan(5);
    expect(findUnknown('cloud.json', await seriesOfCloud())).toEqual([]);
  });

  it('of the cloud adds up gauges of nodes, but never gauges of their database, which each node reports', async () => {
    const text = await readCloud();
    const gauges = [...text.matchAll(/^# TYPE (ghostfleet_\w+) gauge$/gm)].map(([, name = '']) => name);
    expect(gauges.sort()).toEqual(Object.keys(GAUGES).sort());
    for (const [name, of] of Object.entries(GAUGES)) {
      const help = new RegExp(`^# HELP ${name} .*in the whole database`, 'm');
      expect(help.test(text), name).toBe(of === 'database');
      const expressions = panelsOf('cloud.json')
        .flatMap(({ targets }) => targets.map(({ expr }) => expr))
        .filter((expr) => new RegExp(`\\b${name}\\b`).test(expr));
      const form = of === 'database' ? /^max( by \(\w+\) )?\(/ : /^sum( by \(\w+\) )?\(/;
      expect(expressions.filter((expr) => !form.test(expr))).toEqual([]);
    }
  });

  it('of a run has only metrics and labels that a run sends', async () => {
    expect(panelsOf('run.json').length).toBeGreaterThan(5);
    expect(findUnknown('run.json', await seriesOfRun())).toEqual([]);
  });

  it('is checked by a function that finds unknown metrics and labels', () => {
    const known = new Map([['ghostfleet_run_simulated_seconds', new Set(['scenario'])]]);
    const found = findUnknown('run.json', known);
    expect(found).toContain(
      'Simulated time: no label seed in ghostfleet_run_simulated_seconds{scenario=~"$scenario", seed=~"$seed"}',
    );
    expect(found).toContain('Uplinks stored: no metric ghostfleet_run_uplink_stored');
  });
});

describe('the compose file', () => {
  const read = (file: string) => parse(readFileSync(join(FOLDER, file), 'utf8'));
  interface Container {
    readonly image?: string;
    readonly command?: readonly string[];
    readonly volumes?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  }
  const services: Readonly<Record<string, Container>> = read('compose.yaml').services;

  it('mounts files that exist, and pins the versions of the images', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    const missing = mounted.filter((path) => path.startsWith('.') && !existsSync(join(FOLDER, path)));
    expect(missing).toEqual([]);
    const images = Object.values(services).flatMap(({ image }) => image ?? []);
    expect(images.filter((image) => !/:v?\d/.test(image))).toEqual([]);
  });

  it('starts the cloud with options that it has', async () => {
    const [command = '', ...options] = services.cloud?.command ?? [];
    const { out } = await ghostfleet([command, '--help']);
    for (const option of options.filter((word) => word.startsWith('--'))) expect(out).toContain(option);
  });

  it('sends telemetry to services that it starts', () => {
    const addresses = [
      services.cloud?.environment?.OTEL_EXPORTER_OTLP_ENDPOINT ?? '',
      ...Object.values<{ readonly endpoint: string }>(read('collector.yaml').exporters).map(({ endpoint }) => endpoint),
      ...read('provisioning/datasources/ghostfleet.yaml').datasources.map(({ url }: { readonly url: string }) => url),
    ];
    expect(addresses.map((address) => new URL(address).hostname).sort()).toEqual([
      'collector',
      'jaeger',
      'jaeger',
      'prometheus',
      'prometheus',
    ]);
    for (const address of addresses) expect(Object.keys(services)).toContain(new URL(address).hostname);
  });

  it('shows the dashboards from the folder that it mounts', () => {
    const [provider] = read('provisioning/dashboards/ghostfleet.yaml').providers;
    expect(services.grafana?.volumes).toContain(`./dashboards:${provider.options.path}:ro`);
  });
});
