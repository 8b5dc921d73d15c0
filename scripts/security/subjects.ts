/** What `npm run security` checks, in the order of docs/SECURITY.md. Each subject is a set of test files. */
export interface Subject {
  readonly name: string;
  readonly about: string;
  /** Test files below `test/`; those with the same name that end in `.long.test.ts` belong to them. */
  readonly files: readonly string[];
}

export const SUBJECTS: readonly Subject[] = [
  {
    name: 'authorization',
    about: 'secrets in answers, ids in bodies, keys, accounts, logins',
    files: [
      ...['authorization', 'masking', 'keys', 'accounts', 'sessions', 'audit'].map((name) => `cloud/api/${name}`),
      ...['bootstrap', 'logins'].map((name) => `cloud/accounts/${name}`),
      'cloud/web/console',
    ],
  },
  {
    name: 'limits',
    about: 'limits of requests, bodies, answers, connections, time and open files',
    files: [
      'cloud/operator/limits',
      'cloud/operator/time-limit',
      'cloud/operator/unknown-bodies',
      'cloud/api/request-share',
      'cloud/http/sockets',
      'cloud/http/malformed-request',
      'cloud/http/unsent',
      'cloud/api/pages',
      'cloud/api/tags',
      'cloud/api/unread',
      'cloud/http/validation',
      'kernel/json-text',
      'cloud/store/query-turns',
      'cloud/store/scans',
      'cloud/store/scans.postgres',
      'cloud/store/turns.postgres',
      'cloud/store/postgres',
      'cli/open-files',
    ],
  },
  {
    name: 'ssrf',
    about: 'targets of connectors: private addresses, names that change, hosts of a run',
    files: ['cloud/connectors/sender'],
  },
  {
    name: 'sandbox',
    about: 'scripts of connectors',
    files: ['cloud/connectors/sandbox', 'cloud/connectors/sharing', 'cloud/connectors/dispatcher'],
  },
  {
    name: 'replay',
    about: 'recorded datagrams, limits of answers, and bytes sent for bytes received',
    files: ['cloud/gateway/replay', 'cloud/gateway/amplification'],
  },
  {
    name: 'codecs',
    about: 'memory of uploaded codecs, and their number',
    files: ['cloud/delivery/codec-cache', 'cloud/delivery/codecs'],
  },
  {
    name: 'run',
    about: 'the cloud of a run, its port for the web console, its claim tokens, and names of services',
    files: [
      'runner/claim-tokens',
      'runner/targets/embedded-cloud',
      'cli/serve',
      'cli/open-browser',
      'control/proxy',
      'control/run-server',
      'control/authorization',
    ],
  },
  {
    name: 'streams',
    about:
      'streams of events: who gets which, their number, their share of time and memory, and their end with the credential',
    files: ['cloud/api/events', 'cloud/api/readers', 'cloud/store/loop-turns', 'cloud/events/open-streams'],
  },
  {
    name: 'queue',
    about: 'forged, moved, copied and removed tasks and messages of divided runs',
    files: ['runner/divided/sealed', 'runner/divided/queue-channel.postgres', 'runner/divided/queue.postgres'],
  },
  {
    name: 'targets',
    about: 'answers of targets: endless, of wrong types, with secrets, or that ask to wait',
    files: [
      'client/errors',
      'transport/http',
      'runner/load/response-reader',
      'record/collect',
      'runner/targets/paced',
      'cli/hostile',
      'cli/clean',
      'cli/run-secrets',
    ],
  },
  {
    name: 'folders',
    about: 'folders of runs, recordings and databases that were damaged or changed',
    files: [
      'trace/diverge',
      'record/file',
      'record/script',
      'report/capacity',
      'runner/capacity/find',
      'kernel/write-files',
      'kernel/appended-file',
      'cli/foreign-files',
      'kernel/private-file',
      'cloud/store/backup',
      'cloud/store/doctor',
      'cloud/store/secrets',
    ],
  },
  {
    name: 'files',
    about: 'files, hosts, variables and growth of scenarios; files that clients of mcp name',
    files: [
      'input/sandbox',
      'cli/process-host',
      'cli/mcp',
      'console/server',
      'cli/trust',
      'library/trust',
      'runner/connectors',
      'scenario/source/bombs',
      'scenario/source/fuzzed',
    ],
  },
  {
    name: 'terminals',
    about: 'control characters and formulas in output',
    files: ['cli/terminals', 'kernel/printable', 'report/files', 'scenario/load/found-value'],
  },
  { name: 'packages', about: 'dependencies, licences and install scripts', files: ['docs/supply-chain'] },
];
