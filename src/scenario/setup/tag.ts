import { optional, record, text } from '../../input/checks.js';
import type { SetupKind } from './kind.js';

type TagOptions = {
  readonly name: string;
  /** `#RRGGBB`; left out: one of a few that differ. */
  readonly color: string | undefined;
};

/** A tag that the space has already is used as it is. */
export const tag: SetupKind<TagOptions> = {
  about: 'a tag, with its colour; one that the space has already is used as it is, and stays',
  example: 'tag: { name: cold-store, color: "#1f77b4" }',
  check: record('tag', {
    name: text(),
    color: optional(text(/^#[0-9a-f]{6}$/i, 'a colour such as "#1f77b4"')),
  }),
  describe: ({ name }) => `"${name}"`,
  run: async (world, { name, color }) => {
    await world.tagId(name, color);
  },
};
