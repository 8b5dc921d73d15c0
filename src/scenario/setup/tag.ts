import { describeKey, optional, record, text } from '../../input/checks.js';
import { COLOUR, COLOUR_FORM, sixDigits } from '../../kernel/colour.js';
import { cloudName } from '../values/cloud-name.js';
import type { SetupKind } from './kind.js';

type TagOptions = {
  readonly name: string;
  /** `#RRGGBB` or `#RGB`; undefined: the runner chooses one from a short list. */
  readonly color: string | undefined;
};

/** An existing tag is used unchanged. */
export const tag: SetupKind<TagOptions> = {
  about: 'a tag, with its colour; an existing tag is used unchanged, and not deleted',
  example: 'tag: { name: cold-store, color: "#1f77b4" }',
  check: record('tag', {
    name: describeKey('Name of the tag.', 'cold-store', cloudName),
    color: optional(
      describeKey('Colour. Default: one of a short list.', '#1f77b4', text(new RegExp(COLOUR), COLOUR_FORM)),
    ),
  }),
  describe: ({ name }) => `"${name}"`,
  run: async (world, { name, color }) => {
    await world.tagId(name, color && sixDigits(color));
  },
};
