/** `ghostfleet image`: makes a firmware image for virtual devices, as the body of the request that uploads it. */
import { EXIT } from '../kernel/errors.js';
import { imageFor } from '../runner/image.js';
import { checked, command, wholeNumber } from './command.js';
import { profileNamed } from './read-files.js';

/** Room for every header. */
const SMALLEST = 512;
/** What fits into a request of 1 MiB as base64. */
const LARGEST = 786_000;

interface ImageFlags {
  readonly profile: string;
  readonly fwVersion: string | undefined;
  readonly size: number | undefined;
}

export const image = command<ImageFlags>(
  'image <profile>',
  'Print a firmware image for virtual devices, ready to be posted to …/firmware/images',
  (parser) =>
    parser
      .positional('profile', { type: 'string', demandOption: true, describe: 'device type, see "list profiles"' })
      .option('fw-version', {
        ...checked(
          { describe: 'version that it brings, such as v3.6.0' },
          'fw-version',
          'a version of 1 to 47 characters',
          versionOf,
        ),
        demandOption: true,
      })
      .option(
        'size',
        checked(
          { default: '65536', describe: 'size in bytes' },
          'size',
          `a whole number from ${SMALLEST} to ${LARGEST}`,
          wholeNumber(SMALLEST, LARGEST),
        ),
      ),
  async ({ profile, fwVersion, size }, host) => {
    // Because the version is demanded, and the size has a default.
    const content = imageFor(profileNamed(profile), fwVersion as string, size as number);
    host.out.write(`${JSON.stringify({ data: Buffer.from(content).toString('base64') })}\n`);
    return EXIT.fine;
  },
);

/** As long as a session has room for (wire protocol, 7.1). */
function versionOf(text: string): string | undefined {
  return /^[\x21-\x7e]{1,47}$/.test(text) ? text : undefined;
}
