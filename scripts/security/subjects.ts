/** What `npm run security` checks, in the order of docs/SECURITY.md. Each subject is a set of test files. */
export interface Subject {
  readonly name: string;
  readonly about: string;
  /** Test files below `test/`. */
  readonly files: readonly string[];
}

export const SUBJECTS: readonly Subject[] = [
  {
    name: 'authorization',
    about: 'every operation of the OpenAPI document with keys that read, are limited or foreign, and without one',
    files: ['cloud/api/access', 'cloud/api/masking', 'cloud/api/keys', 'cloud/api/accounts'],
  },
  {
    name: 'ssrf',
    about: 'targets of connectors: private addresses, names that change, hosts of a run',
    files: ['cloud/connectors/sender'],
  },
  { name: 'sandbox', about: 'scripts of connectors', files: ['cloud/connectors/sandbox', 'cloud/connectors/sharing'] },
  { name: 'replay', about: 'recorded datagrams, and limits of answers', files: ['cloud/gateway/replay'] },
  { name: 'codecs', about: 'memory of uploaded codecs', files: ['cloud/delivery/codec-cache'] },
  { name: 'run', about: 'the cloud of a run', files: ['runner/targets/embedded-cloud'] },
  {
    name: 'files',
    about: 'files, hosts and growth of scenarios',
    files: ['input/sandbox', 'cli/trust', 'scenario/source/bombs', 'scenario/source/fuzzed'],
  },
  { name: 'terminals', about: 'control characters and formulas in output', files: ['cli/terminals'] },
  { name: 'packages', about: 'dependencies, licences and install scripts', files: ['docs/supply-chain'] },
];
