/** `ghostfleet image`: prints a firmware image for virtual devices as the body of its upload request. */
import { EXIT } from '../kernel/errors.js';
import { profileNamed } from '../profile/library.js';
import { makeImage } from '../runner/world/image.js';
import { IMAGE_SIZE, IMAGE_VERSION } from '../scenario/setup/firmware.js';
import { checkOption, defineCommand, expectWholeNumber } from './command.js';

interface ImageFlags {
  readonly profile: string;
  readonly fwVersion: string | undefined;
  readonly size: number | undefined;
}

export const image = defineCommand<ImageFlags>(
  (parser) =>
    parser
      .positional('profile', { type: 'string', demandOption: true, describe: 'device type, see "list profiles"' })
      .option('fw-version', {
        ...checkOption(
          { describe: 'firmware version of the image, such as v3.6.0' },
          'fw-version',
          'a version of 1 to 47 characters',
          parseVersion,
        ),
        demandOption: true,
      })
      .option(
        'size',
        checkOption(
          { default: String(IMAGE_SIZE.usual), describe: 'size in bytes' },
          'size',
          `a whole number from ${IMAGE_SIZE.smallest} to ${IMAGE_SIZE.largest}`,
          expectWholeNumber(IMAGE_SIZE.smallest, IMAGE_SIZE.largest),
        ),
      ),
  async ({ profile, fwVersion, size }, host) => {
    const content = makeImage(profileNamed(profile), fwVersion as string, size as number);
    host.out.write(`${JSON.stringify({ data: Buffer.from(content).toString('base64') })}\n`);
    return EXIT.fine;
  },
);

function parseVersion(text: string): string | undefined {
  return IMAGE_VERSION.test(text) ? text : undefined;
}
