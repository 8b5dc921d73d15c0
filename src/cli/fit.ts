/** `ghostfleet fit`: writes a scenario whose groups behave like the devices of a recording. */
import { basename } from 'node:path';
import { readText } from '../input/text-file.js';
import { EXIT, UsageError } from '../kernel/errors.js';
import { humanDuration } from '../kernel/time.js';
import { KINDS, reserve, writeWhole } from '../kernel/write-files.js';
import { packagedProfiles } from '../profile/library.js';
import { fitGroups, measureDuration } from '../record/fit.js';
import { describeLeftOut, writeScenario } from '../record/fit-yaml.js';
import { convertToDeviceTime } from '../record/pace.js';
import { readRecording } from '../record/read.js';
import { describeDeviceTypes } from '../runner/known-types.js';
import { LONGEST_DURATION } from '../scenario/parse/scenario.js';
import { defineCommand } from './command.js';

export const fit = defineCommand<{ readonly recording: string; readonly out: string | undefined }>(
  (parser) =>
    parser
      .positional('recording', { type: 'string', demandOption: true, describe: 'file from "ghostfleet record"' })
      .option('out', { type: 'string', requiresArg: true, describe: 'file to write (default: standard output)' }),
  async ({ recording: file, out }, host) => {
    if (out !== undefined) reserve(out, KINDS.fitted);
    const recording = convertToDeviceTime(readRecording(await readText(file), file));
    const profiles = packagedProfiles();
    const groups = fitGroups(recording, profiles);
    if (groups.length === 0) {
      throw new UsageError('bad-file', `"${file}" has no device with two reports, so nothing can be fitted`);
    }
    const duration = measureDuration(recording, groups);
    if (duration > LONGEST_DURATION) {
      throw new UsageError(
        'bad-file',
        `"${file}" covers ${humanDuration(duration)} in the time of the devices, and a scenario lasts at most a year`,
        'record a shorter window: --after of "ghostfleet record"',
      );
    }
    const types = describeDeviceTypes(profiles);
    const yaml = writeScenario(nameFor(out ?? file), recording, groups, ({ profile, firmware }, line) =>
      types.get(profile)?.version(firmware).flashRefusal(line),
    );
    if (out === undefined) {
      host.out.write(yaml);
      return EXIT.fine;
    }
    writeWhole(out, yaml);
    const shown = groups.map(({ name, count }) => `${count} × ${name}`).join(', ');
    const missing = describeLeftOut(recording, groups);
    host.out.write(`${out}: ${shown}${missing === undefined ? '' : `; ${missing}: record a longer window`}\n`);
    return EXIT.fine;
  },
);

/** A valid scenario name made from the file name. */
function nameFor(path: string): string {
  const name = basename(path)
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return /^[a-z][a-z0-9-]*[a-z0-9]$/.test(name) ? name.slice(0, 40).replace(/-$/, '') : 'fitted';
}
