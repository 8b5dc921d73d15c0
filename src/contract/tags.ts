/** Tags (cloud C-24). */
import Type from 'typebox';
import { COLOUR, COLOUR_FORM } from '../kernel/colour.js';
import { Answer, Body, CreatedAt, EXAMPLE, Field, ItemParams, NewName, OwnId, OwnName } from './values.js';

const color = (schema: ReturnType<typeof Type.String>) => Field('Colour in which applications show the tag.', schema);
const accessType = (form: { readonly description?: string } = {}) =>
  Field(
    'Whether keys with the tag may change its devices and send to them. Default: `write`.',
    Type.Enum(['write', 'read'], form),
  );

/** A colour as returned by the API. */
const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'a colour such as "#1f77b4"' });

export const TAG_EXAMPLE = {
  id: EXAMPLE.tag,
  name: 'cold',
  color: '#1f77b4',
  access_type: 'write' as const,
  created_at: EXAMPLE.created,
};

export const Tag = Answer(
  'Tag',
  { id: OwnId, name: OwnName, color: color(Colour), access_type: accessType(), created_at: CreatedAt },
  TAG_EXAMPLE,
);

const Fields = {
  name: NewName,
  color: color(Type.String({ pattern: COLOUR, description: COLOUR_FORM })),
  access_type: Type.Optional(accessType({ description: '"write" or "read"' })),
};
export const NewTag = Body(Fields, { name: 'cold', color: '#1f77b4' });
export const TagUpdate = Type.Partial(NewTag, { example: { color: '#ff7f0e' } });

/** A reference to a tag. Further fields are ignored, so that whole tags are accepted as well. */
export const TagRef = Type.Object({ id: OwnId }, { description: 'an object with the id of a tag' });
/** References to tags, in bodies of other resources. */
export const TagRefs = Type.Array(TagRef, {
  maxItems: 100,
  description: 'a list of at most 100 objects, each with the id of a tag',
});
export const TAG_REFS_EXAMPLE = [{ id: EXAMPLE.tag }];

export const TagParams = ItemParams('Id of the tag.', EXAMPLE.tag);
