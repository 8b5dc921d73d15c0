/** `ghostfleet profile`: drafts, checks and shows device types, for authors of profiles. */
import { writeFileSync } from 'node:fs';
import { InputError, quote } from '../input/problems.js';
import { readText } from '../input/text-file.js';
import { EXIT, UsageError } from '../kernel/errors.js';
import { cannotWrite } from '../kernel/system-errors.js';
import { shownCommand } from '../kernel/web-address.js';
import { draftProfile } from '../profile/draft.js';
import { readHistory } from '../profile/history.js';
import { loadUserFiles, packagedFiles, packagedProfiles, readPackagedSource } from '../profile/library.js';
import { FAMILIES, type FamilyName } from '../profile/profile.js';
import { readProfile } from '../profile/read.js';
import { resolveText } from '../profile/resolve.js';
import { makeProfileSchema } from '../profile/schema.js';
import { defineCommand } from './command.js';
import type { Host } from './host.js';

interface ProfileFlags {
  readonly action: 'check' | 'show' | 'schema' | 'new';
  readonly profiles: readonly string[];
  readonly resolved: boolean;
  readonly family: FamilyName | undefined;
  readonly from: string | undefined;
}

export const profile = defineCommand<ProfileFlags>(
  (parser) =>
    parser
      .positional('action', {
        choices: ['check', 'show', 'schema', 'new'] as const,
        demandOption: true,
        describe: 'what to do',
      })
      .positional('profiles', {
        type: 'string',
        array: true,
        default: [],
        describe: 'profile files; "show" also takes a name, and "new" writes the file',
      })
      .option('resolved', {
        type: 'boolean',
        default: false,
        describe: 'show it merged with the files that it extends',
      })
      .option('family', {
        choices: FAMILIES,
        describe: `family of the firmware of a new profile (default: ${FAMILIES[0]})`,
      })
      .option('from', {
        type: 'string',
        requiresArg: true,
        describe: 'JSON file with messages of a device, as the API lists them, for a new profile',
      }),
  async ({ action, profiles, resolved, family, from }, host) => {
    const [first] = profiles;
    const tooMuch = profiles[MOST[action]];
    if (tooMuch !== undefined) throw new UsageError('bad-arguments', `unexpected argument ${quote(tooMuch)}`);
    if (resolved && action !== 'show') throw new UsageError('bad-flags', `--resolved cannot be used with ${action}`);
    if (from !== undefined && action !== 'new')
      throw new UsageError('bad-flags', `--from cannot be used with ${action}`);
    if (family !== undefined && action !== 'new')
      throw new UsageError('bad-flags', `--family cannot be used with ${action}`);
    if (action === 'schema') host.out.write(`${JSON.stringify(makeProfileSchema(), undefined, 2)}\n`);
    else if (first === undefined)
      throw new UsageError(
        'no-profile',
        `profile ${action} requires ${action === 'show' ? 'a name or a file' : 'a file'}`,
      );
    else if (action === 'new') await writeDraft(first, family ?? FAMILIES[0], from, host);
    else if (action === 'check') await check(profiles, host);
    else host.out.write(await showProfile(first, resolved));
    return EXIT.fine;
  },
);

/** Maximum number of profiles that an action takes. */
const MOST = { check: Number.POSITIVE_INFINITY, show: 1, schema: 0, new: 1 } as const;

/** @throws UsageError with the problems of all files */
async function check(files: readonly string[], host: Host): Promise<void> {
  const wrong: string[] = [];
  for (const file of files) {
    try {
      readProfile(await readText(file), file, loadUserFiles(file));
      host.out.write(`${file}: valid\n`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      wrong.push(error.message);
    }
  }
  if (wrong.length > 0) throw new UsageError('bad-file', wrong.join('\n'));
}

/** Writes a new profile. @throws UsageError if the file exists or cannot be written, and for a history with problems */
async function writeDraft(file: string, family: FamilyName, from: string | undefined, host: Host): Promise<void> {
  const name = /(?:^|\/)([a-z][a-z0-9-]*)\.yaml$/.exec(file)?.[1];
  if (name === undefined) {
    throw new UsageError('bad-file', `"${file}" is not a name for a profile; expected one such as "coldroom.yaml"`);
  }
  const history = from === undefined ? [] : readHistory(await readText(from), from);
  const text = draftProfile({ name, family, history });
  try {
    readProfile(text, file, loadUserFiles(file));
  } catch (error) {
    if (from === undefined || !(error instanceof InputError)) throw error;
    // The problems have places in the generated profile. Users do not have this file, so line and column are left out.
    throw new InputError(
      error.problems.map(({ message }) => ({
        file: from,
        line: 0,
        column: 0,
        message: `a profile of these messages is not valid: ${message}`,
      })),
    );
  }
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    throw cannotWrite(`"${file}"`, error);
  }
  host.out.write(
    `${file}: written; "${shownCommand(['ghostfleet', 'device', file])}" with --serial and --token runs it\n`,
  );
}

async function showProfile(name: string, resolved: boolean): Promise<string> {
  const packaged = readPackagedSource(name);
  if (packaged) return resolved ? resolveText(packaged.source, packaged.path, packagedFiles) : packaged.source;
  if (!name.endsWith('.yaml')) {
    const names = [...packagedProfiles().keys()].join(', ');
    throw new UsageError('unknown-profile', `unknown profile "${name}"; expected one of ${names}, or a .yaml file`);
  }
  const source = await readText(name);
  return resolved ? resolveText(source, name, loadUserFiles(name)) : source;
}
