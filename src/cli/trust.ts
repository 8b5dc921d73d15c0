/** The options that permit a scenario to access more than its own folder and the cloud of its run. */
import type { Argv } from 'yargs';
import { UsageError } from '../kernel/errors.js';
import type { Plan } from '../scenario/model/plan.js';
import { ALLOW_FILE } from './values.js';

export interface TrustFlags {
  readonly allowFile: readonly string[];
  readonly allowHost: readonly string[];
  readonly allowPrivate: boolean;
}

export function addTrustOptions(parser: Argv): Argv {
  return parser
    .option('allow-file', ALLOW_FILE)
    .option('allow-host', {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      default: [] as readonly string[],
      describe: 'host to which the connectors of the scenario may send; may be repeated (default: none)',
    })
    .option('allow-private', {
      type: 'boolean',
      default: false,
      describe: 'let the scenario use allow-private: connectors that send to this machine and to private networks',
    });
}

/** The words of a command line with these options. */
export function listTrustWords({ allowFile, allowHost, allowPrivate }: TrustFlags): readonly string[] {
  return [
    ...allowFile.flatMap((path) => ['--allow-file', path]),
    ...allowHost.flatMap((host) => ['--allow-host', host]),
    ...(allowPrivate ? ['--allow-private'] : []),
  ];
}

/** @throws UsageError for `allow-private` without permission. A run with --target ignores this setting, so it needs none */
export function checkTrust(
  { cloud }: Plan,
  { allowPrivate, target }: TrustFlags & { readonly target?: unknown },
): void {
  if (!cloud?.allowPrivate || allowPrivate || target !== undefined) return;
  throw new UsageError(
    'untrusted',
    'the scenario has "allow-private": its connectors could send to this machine and to private networks',
    'if you trust the scenario, run it with --allow-private',
  );
}
