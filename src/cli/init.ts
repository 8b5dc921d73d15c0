/** `ghostfleet init`: writes the first files of a project from templates. It never changes a file that exists. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathInside, readRegular } from '../input/text-file.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { cannotWrite } from '../kernel/system-errors.js';
import { draftProfile } from '../profile/draft.js';
import { defineCommand } from './command.js';
import type { Host } from './host.js';
import { packagePath } from './package-files.js';
import { readVersion } from './version.js';

interface Template {
  /** The files by their paths. The first one must be new; the others may exist, and then stay as they are. */
  readonly files: Readonly<Record<string, () => string>>;
  /** The command that shows that the files work. */
  readonly next: string;
}

const FLEET = { 'fleet.yaml': () => readTemplate('fleet.yaml') };

const TEMPLATES = {
  scenario: { files: FLEET, next: 'npx ghostfleet run fleet.yaml' },
  vitest: {
    files: { 'fleet.test.ts': () => readTemplate('fleet.test.ts') },
    next: 'npm install --save-dev ghostfleet vitest && npx vitest run fleet.test.ts',
  },
  ci: {
    files: {
      '.github/workflows/ghostfleet.yml': () =>
        readTemplate('ghostfleet.yml').replace('ghostfleet-0.0.0', `ghostfleet-${readVersion()}`),
      ...FLEET,
    },
    next: 'npm install --save-dev ghostfleet && npx ghostfleet run fleet.yaml',
  },
  device: {
    files: {
      'profiles/my-device.yaml': () => draftProfile({ name: 'my-device', family: 'chester', history: [] }),
      'my-device-fleet.yaml': () => readTemplate('my-device-fleet.yaml'),
    },
    next: 'npx ghostfleet run my-device-fleet.yaml',
  },
} as const satisfies Readonly<Record<string, Template>>;

interface InitFlags {
  readonly what: keyof typeof TEMPLATES | undefined;
}

export const init = defineCommand<InitFlags>(
  (parser) =>
    parser.positional('what', {
      type: 'string',
      choices: Object.keys(TEMPLATES),
      describe: 'a scenario (default), a test for vitest, a workflow for GitHub, or a device type with a scenario',
    }),
  async ({ what = 'scenario' }, host) => write(TEMPLATES[what], host),
);

function write({ files, next }: Template, { out }: Host): ExitCode {
  const [main = ''] = Object.keys(files);
  if (existsSync(main)) {
    throw new UsageError('file-exists', `"${main}" exists, and init never changes a file`, 'move it, and repeat');
  }
  // In a folder of another author, a link could lead to a folder elsewhere.
  for (const path of Object.keys(files)) pathInside(resolve('.'), path, 'leads out of this folder');
  for (const [path, make] of Object.entries(files)) {
    const isThere = existsSync(path);
    if (!isThere) writeNew(path, make());
    out.write(isThere ? `${path} exists and stays as it is\n` : `${path} written\n`);
  }
  out.write(`next: ${next}\n`);
  return EXIT.fine;
}

/** @throws UsageError if the file cannot be written */
function writeNew(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    throw cannotWrite(`"${path}"`, error);
  }
}

function readTemplate(name: string): string {
  return readRegular(packagePath(`templates/${name}`));
}
