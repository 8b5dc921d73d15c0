/** Which modules may import which, and words that only certain files may use. docs/ARCHITECTURE.md explains these rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '..', 'src');
const WEB = join(import.meta.dirname, '..', 'web', 'src');

/** What each module may import. From the modules in `types`, it may import types only. */
const MAY_IMPORT: Readonly<Record<string, { readonly values: readonly string[]; readonly types?: readonly string[] }>> =
  {
    kernel: { values: [] },
    input: { values: ['kernel'] },
    protocol: { values: ['kernel'] },
    contract: { values: ['kernel'] },
    profile: { values: ['kernel', 'input', 'protocol'] },
    trace: { values: ['kernel'] },
    explain: { values: ['kernel', 'trace'] },
    device: { values: ['kernel', 'protocol', 'profile'], types: ['trace'] },
    cloud: { values: ['kernel', 'protocol', 'contract'], types: ['trace'] },
    transport: { values: ['kernel', 'protocol'], types: ['trace'] },
    wire: { values: ['kernel', 'protocol'], types: ['trace', 'transport'] },
    telemetry: { values: ['kernel'], types: ['trace'] },
    client: { values: ['kernel'], types: ['contract'] },
    scenario: {
      values: ['kernel', 'input', 'protocol', 'contract', 'profile', 'trace'],
      types: ['device', 'cloud', 'transport', 'client'],
    },
    console: { values: ['kernel', 'input', 'protocol', 'profile', 'scenario'], types: ['trace'] },
    report: { values: ['kernel', 'trace'], types: ['explain'] },
    record: { values: ['kernel', 'input', 'client', 'scenario', 'profile', 'trace', 'explain'] },
    runner: {
      values: [
        ...['kernel', 'input', 'protocol', 'profile', 'trace', 'device', 'cloud', 'transport', 'client', 'scenario'],
        'record',
        'explain',
      ],
      types: ['report', 'console'],
    },
    control: { values: ['kernel', 'input', 'cloud', 'console', 'scenario'], types: ['explain', 'runner', 'client'] },
    library: {
      values: [
        ...['kernel', 'input', 'runner', 'report', 'cloud', 'profile', 'scenario', 'client', 'trace', 'transport'],
        'console',
      ],
      types: ['device', 'explain'],
    },
    cli: {
      values: [
        ...['kernel', 'input', 'runner', 'report', 'cloud', 'profile', 'scenario', 'client', 'trace', 'transport'],
        ...['record', 'console', 'control', 'library', 'explain', 'contract', 'wire', 'protocol', 'telemetry'],
      ],
    },
    main: { values: ['cli'] },
    /** The exports of the package. */
    index: {
      values: ['kernel', 'input', 'profile', 'client', 'library'],
      types: ['report', 'runner', 'scenario', 'explain'],
    },
  };

/**
 * The folders of a module from low to high, relative to `src/`. A file may import values and types only from its own folder and
 * from lower folders, which come earlier in this list. Every folder of the module is listed.
 */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  cloud: [
    'cloud/store',
    'cloud/store/secrets',
    'cloud/store/memory',
    'cloud/store/sql',
    'cloud/store/sqlite',
    'cloud/store/postgres',
    'cloud/firmware',
    'cloud/interfaces',
    'cloud/events',
    'cloud/http',
    'cloud/accounts',
    'cloud/maintenance',
    'cloud/history',
    'cloud/connectors/sandbox',
    'cloud/connectors',
    'cloud/delivery',
    'cloud/gateway',
    'cloud/operator',
    'cloud/api',
    'cloud/web',
    'cloud',
  ],
  device: [
    'device/family',
    'device/config',
    'device/environment/models',
    'device/environment',
    'device/wmbus',
    'device/modem',
    'device/link',
    'device/shell',
    'device/commands',
    'device/type',
    'device/measuring',
    'device/hardware',
    'device/firmware',
    'device',
  ],
  scenario: [
    'scenario',
    'scenario/values',
    'scenario/selector',
    'scenario/source',
    'scenario/steps',
    'scenario/load',
    'scenario/setup',
    'scenario/expect',
    'scenario/faults',
    'scenario/model',
    'scenario/parse',
    'scenario/plan',
    'scenario/shrink',
  ],
};

/** Words that only the files in `home` may use; `instead`: what other files do instead. */
const BANNED: readonly { readonly word: RegExp; readonly instead: string; readonly home: readonly string[] }[] = [
  {
    word: /\bDate\.now\b|\bperformance\.now\b|\bnew Date\(\)|\brealTimers\.(now|wall)\b/,
    instead: 'take a Clock (kernel/clock.ts)',
    // In generator.ts, the machine itself is measured.
    home: ['kernel/real-timers.ts', 'kernel/real-clock.ts', 'cli/process-host.ts', 'runner/world/generator.ts'],
  },
  {
    word: /\bhrtime\b|(?<!\.)\bperformance\b(?! of)|(?<!realTimers\.)\bcpuUsage\b|\beventLoopUtilization\b|\bqueueMicrotask\b/,
    instead: 'use realTimers (kernel/real-timers.ts): simulated timers of test runners replace the others',
    home: ['kernel/real-timers.ts'],
  },
  { word: /\bMath\.random\b|\brandomUUID\b/, instead: 'take a Random and fork it (kernel/random.ts)', home: [] },
  {
    word: /\bsetTimeout\b|\bsetInterval\b/,
    instead: 'use clock.after (kernel/clock.ts)',
    // In stalled-readers.ts, it is the timeout of a socket, which begins anew when the reader has read a part.
    home: ['kernel/real-timers.ts', 'kernel/real-clock.ts', 'kernel/virtual-clock.ts', 'cli/stalled-readers.ts'],
  },
  {
    word: /\bsetImmediate\b|\bendOfTurn\b/,
    instead: 'wait for a promise, or use clock.after',
    home: [
      'kernel/real-timers.ts',
      'kernel/virtual-clock.ts',
      'cloud/store/sqlite/driver.ts',
      'cloud/store/postgres/driver.ts',
      'library/service.ts',
      // Ctrl-C and the display of progress must get their turn while a fleet is registered.
      'runner/targets/embedded.ts',
      // Requests of others must get their turn of the event loop.
      'cloud/store/loop-turns.ts',
      'cloud/http/sockets.ts',
      // This file writes to real sockets, which have no simulated time. A failed request ends in a later turn.
      'runner/load/connection.ts',
      // Joins the questions of one turn, so that one repetition answers them. The answers do not depend on it.
      'runner/shared-worlds.ts',
    ],
  },
  // In denied.ts, it is the user whose rights decide.
  { word: /(?<![.\w'"-])process\./, instead: 'take the Host (cli/host.ts)', home: ['main.ts', 'kernel/denied.ts'] },
  { word: /\bnew BetterSqlite\b/, instead: 'use connect', home: ['cloud/store/sqlite/connect.ts'] },
  { word: /(?<![/.'"])\bconsole\./, instead: 'write to the streams of the Host, or to the trace', home: [] },
  {
    word: /\bMath\.(pow|sin|cos|tan|asin|acos|atan|atan2|exp|expm1|log|log2|log10|log1p|sinh|cosh|tanh|cbrt|hypot)\b|\w\s*\*\*\s*\w/,
    instead: 'use multiplication, a table or a fixed polynomial: results differ between Node versions',
    home: [],
  },
  { word: /from 'seedrandom'/, instead: 'use kernel/random.ts', home: ['kernel/random.ts'] },
  { word: /from 'cbor-x'/, instead: 'use protocol/cbor.ts', home: ['protocol/cbor.ts', 'protocol/cbor-reader.ts'] },
];

/** They describe headers that routes of several families have. */
const HEADERS: readonly string[] = ['cloud/api/condition.ts', 'cloud/api/idempotency.ts'];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  /** Whether it is an `await import()`, which loads the file only when the line is executed. */
  readonly onDemand: boolean;
}

/** The text of each file below a folder, by its path from there. */
function sourcesIn(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** The imports between files. A path that begins with `..` is outside the folder of the sources. */
function importsIn(sources: ReadonlyMap<string, string>): readonly Import[] {
  return [...sources].flatMap(([file, source]) =>
    [
      ...source.matchAll(/^(?:import|export)\s+(type\s+)?([^;]*?)\s*from '(\.[^']+)';/gms),
      ...source.matchAll(/(await import)(\()'(\.[^']+)'\)/g),
    ].map(([, word, names = '', path = '']) => {
      const to = join(dirname(file), path).replace(/\.js$/, '');
      return {
        from: file,
        to: sources.has(`${to}.tsx`) ? `${to}.tsx` : `${to}.ts`,
        typeOnly: word?.trim() === 'type' || onlyTypes(names),
        onDemand: word === 'await import',
      };
    }),
  );
}

const sources = sourcesIn(SRC);
const files = [...sources.keys()];
const imports = importsIn(sources);
const allWebImports = importsIn(sourcesIn(WEB));
const webImports = allWebImports.filter(({ to }) => !to.startsWith('..'));

/** Whether the names of an import are all types, for example `{ type A, type B }`. */
function onlyTypes(names: string): boolean {
  const inner = /^\{([^}]*)\}$/s.exec(names)?.[1];
  if (inner === undefined) return false;
  return inner.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '));
}

function moduleOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : file.replace(/\.ts$/, '');
}

/** Groups of files that import each other directly or indirectly (Tarjan's strongly connected components). */
function circlesOf(edges: readonly Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const found: string[][] = [];
  const number = new Map<string, number>();
  const path: string[] = [];
  const visit = (file: string): number => {
    number.set(file, number.size);
    let low = number.get(file) ?? 0;
    path.push(file);
    for (const target of next.get(file) ?? []) {
      if (!number.has(target)) low = Math.min(low, visit(target));
      else if (path.includes(target)) low = Math.min(low, number.get(target) ?? 0);
    }
    if (low === number.get(file)) {
      const group = path.splice(path.indexOf(file));
      if (group.length > 1) found.push(group.sort());
    }
    return low;
  };
  for (const file of next.keys()) if (!number.has(file)) visit(file);
  return found;
}

describe('the architecture', () => {
  it('is checked on more than 50 files and more than 100 imports', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(100);
  });

  it('has modules that import only what MAY_IMPORT allows', () => {
    const violations = imports.flatMap(({ from, to, typeOnly }) => {
      const [source, target] = [moduleOf(from), moduleOf(to)];
      if (source === target) return [];
      const rule = MAY_IMPORT[source];
      if (rule?.values.includes(target) || (typeOnly && rule?.types?.includes(target))) return [];
      const allowed = rule ? [...rule.values, ...(rule.types ?? []).map((name) => `${name} (types)`)] : ['nothing'];
      return [`${from} imports ${to}: ${source} may import ${allowed.join(', ')}. Move the code, or pass it in.`];
    });
    expect(violations).toEqual([]);
  });

  it('is checked by a function that finds circles of imports', () => {
    const edge = (from: string, to: string): Import => ({ from, to, typeOnly: true, onDemand: false });
    expect(circlesOf([edge('a', 'b'), edge('b', 'c'), edge('c', 'b'), edge('c', 'd')])).toEqual([['b', 'c']]);
  });

  it.each([
    ['src', imports],
    ['web/src', webImports],
  ])('has no circle of imports between files of %s, types included', (_, edges) => {
    const circles = circlesOf(edges);
    expect(circles.map((files) => `${files.join(' ↔ ')}: move the shared part to a file of its own.`)).toEqual([]);
  });

  it.each([
    ['src', imports],
    ['web/src', webImports],
  ])('has no circle of imports between folders of %s, types included', (_, edges) => {
    const folders = edges.flatMap((edge) => {
      const [from, to] = [dirname(edge.from), dirname(edge.to)];
      // The files that start a program are in no folder. In web/src, they also have the address of the page.
      return [from, to, '.'].some((folder, n, all) => all.indexOf(folder) !== n) ? [] : [{ ...edge, from, to }];
    });
    const circles = circlesOf(folders);
    expect(circles.map((knot) => `${knot.join(' ↔ ')}: move the shared part to the lower folder.`)).toEqual([]);
  });

  it('loads no schemas of the API into browsers, only their types', () => {
    const schemas = ({ to }: { to: string }) => to.includes('/src/contract/') && !to.endsWith('/contract/health.ts');
    expect(allWebImports.filter((each) => schemas(each) && !each.typeOnly)).toEqual([]);
  });

  it('describes the resources of the API in contract/ only', () => {
    const others = files.filter((file) => /^(cloud\/api|client)\//.test(file) && !HEADERS.includes(file));
    const found = others.filter((file) => /\bType\.Object\(/.test(sources.get(file) ?? ''));
    expect(found, 'move these schemas to src/contract').toEqual([]);
  });

  it('loads fewer than 30 files at the start, all from cli, input and kernel, so that the program starts fast', () => {
    const loaded = new Set(['main.ts', 'cli/index.ts', 'cli/process-host.ts']);
    for (const file of loaded) {
      const edges = imports.filter(({ from, typeOnly, onDemand }) => from === file && !typeOnly && !onDemand);
      for (const { to } of edges) loaded.add(to);
    }
    const heavy = [...loaded].filter((file) => !/^(main\.ts|(cli|input|kernel)\/.*)$/.test(file));
    expect(heavy, 'main.ts imports these: import them in the file of a command (cli/commands.ts)').toEqual([]);
    expect(loaded.size).toBeLessThan(30);
  });

  describe.each(Object.entries(ORDER))('the folders of %s', (module, order) => {
    it('are all listed in ORDER, once each', () => {
      const folders = new Set(files.filter((file) => file.startsWith(`${module}/`)).map((file) => dirname(file)));
      expect([...order].sort()).toEqual([...folders].sort());
    });

    it('import only from themselves and from lower folders, types included', () => {
      const violations = imports.flatMap(({ from, to }) => {
        if (!from.startsWith(`${module}/`) || !to.startsWith(`${module}/`)) return [];
        if (order.indexOf(dirname(to)) <= order.indexOf(dirname(from))) return [];
        return [`${from} imports ${to}, which is in a higher folder. Move the shared part down, or pass it in.`];
      });
      expect(violations).toEqual([]);
    });
  });

  it('the table of modules in docs/ARCHITECTURE.md has a row for each of them', () => {
    const page = readFileSync('docs/ARCHITECTURE.md', 'utf8');
    const [, table = ''] = /^\| module of `src\/` \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
    const rows = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, module]) => module);
    const modules = Object.keys(MAY_IMPORT).filter((module) => module !== 'main' && module !== 'index');
    expect(rows.sort()).toEqual(modules.sort());
  });

  it.each(BANNED.map((ban) => [ban.word.source.slice(0, 60), ban] as const))(
    'has %s only in the files that may use it',
    (_, ban) => {
      const found = [...sources].flatMap(([file, source]) => {
        if (ban.home.includes(file)) return [];
        return withoutComments(source)
          .split('\n')
          .flatMap((line, i) => (ban.word.test(line) ? [`${file}:${i + 1}: ${ban.instead}`] : []));
      });
      expect(found).toEqual([]);
    },
  );
});

/** Removes comments but keeps their line breaks, so that line numbers stay the same. */
function withoutComments(source: string): string {
  return source.replace(/\/\*.*?\*\//gs, (comment) => comment.replace(/[^\n]/g, ' ')).replace(/(^|\s)\/\/.*$/gm, '$1');
}
