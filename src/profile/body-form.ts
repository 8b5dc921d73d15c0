/** Form of the entries in the section `body` of a profile: the patterns for reading them, and the schema for editors. */
import type { Form } from '../input/checks.js';

/** `last thermometer.temperature * 1000`, `events backup if any`: kind of source, its name, factor, condition. */
export const SOURCE = /^(\S+) (\S+?)(?: \* (\d+))?( if any)?$/;
/** `frames if cloud-decode` */
export const FRAMES = /^frames (if|unless) (\S+)$/;

/** Kinds of sources: the first word of an entry. `frames` has a form of its own. */
export const SOURCE_WORDS = [
  'fact',
  'label',
  'last',
  'windows',
  'log',
  'samples',
  'total',
  'delta',
  'calibration',
  'state',
  'events',
  'scan',
] as const;
export type SourceWord = (typeof SOURCE_WORDS)[number];

/** Entries nest, so their form is defined once, by name (profile/schema.ts). A `~` removes an inherited entry. */
export const BODY_ENTRY: Form = {
  anyOf: [
    { type: 'null' },
    { type: 'string', pattern: `^(${SOURCE_WORDS.join('|')}) \\S+( \\* \\d+)?( if any)?$|${FRAMES.source}` },
    {
      type: 'object',
      properties: { $if: { type: 'string' } },
      additionalProperties: { $ref: '#/definitions/bodyEntry' },
    },
    {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        required: ['$each'],
        properties: {
          $each: { anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: { type: 'string' } }] },
          $sparse: { type: 'boolean' },
        },
        additionalProperties: { $ref: '#/definitions/bodyEntry' },
      },
    },
  ],
};
