/** `ghostfleet profile`: checks and shows device types, for authors of profiles. */
import { quote } from '../input/problems.js';
import { readText } from '../input/text-file.js';
import { EXIT, UsageError } from '../kernel/errors.js';
import { packagedFiles, packagedProfiles, packagedSource, userFiles } from '../profile/library.js';
import { readProfile } from '../profile/read.js';
import { resolvedText } from '../profile/resolve.js';
import { profileSchema } from '../profile/schema.js';
import { command } from './command.js';
import type { Host } from './host.js';

interface ProfileFlags {
  readonly action: 'check' | 'show' | 'schema';
  readonly profiles: readonly string[];
  readonly resolved: boolean;
}

export const profile = command<ProfileFlags>(
  (parser) =>
    parser
      .positional('action', {
        choices: ['check', 'show', 'schema'] as const,
        demandOption: true,
        describe: 'what to do',
      })
      .positional('profiles', {
        type: 'string',
        array: true,
        default: [],
        describe: 'profile files; "show" also takes a name',
      })
      .option('resolved', {
        type: 'boolean',
        default: false,
        describe: 'show it merged with the files that it extends',
      }),
  async ({ action, profiles, resolved }, host) => {
    const [first] = profiles;
    const tooMuch = profiles[MOST[action]];
    if (tooMuch !== undefined) throw new UsageError('bad-arguments', `unexpected argument ${quote(tooMuch)}`);
    if (resolved && action !== 'show') throw new UsageError('bad-flags', `--resolved cannot be used with ${action}`);
    if (action === 'schema') host.out.write(`${JSON.stringify(profileSchema(), undefined, 2)}\n`);
    else if (first === undefined) throw new UsageError('no-profile', `profile ${action} requires a file`);
    else if (action === 'check') check(profiles, host);
    else host.out.write(shown(first, resolved));
    return EXIT.fine;
  },
);

/** Most profiles that an action takes. */
const MOST = { check: Number.POSITIVE_INFINITY, show: 1, schema: 0 } as const;

/** @throws UsageError with the problems of all files */
function check(files: readonly string[], host: Host): void {
  const wrong: string[] = [];
  for (const file of files) {
    try {
      readProfile(readText(file), file, userFiles(file));
      host.out.write(`${file}: valid\n`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      wrong.push(error.message);
    }
  }
  if (wrong.length > 0) throw new UsageError('bad-file', wrong.join('\n'));
}

function shown(name: string, resolved: boolean): string {
  const packaged = packagedSource(name);
  if (packaged) return resolved ? resolvedText(packaged.source, packaged.path, packagedFiles) : packaged.source;
  if (!name.endsWith('.yaml')) {
    const names = [...packagedProfiles().keys()].join(', ');
    throw new UsageError('unknown-profile', `unknown profile "${name}"; expected one of ${names}, or a .yaml file`);
  }
  const source = readText(name);
  return resolved ? resolvedText(source, name, userFiles(name)) : source;
}
