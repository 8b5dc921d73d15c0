/** Spaces (cloud C-21). */
import Type from 'typebox';
import { Answer, Body, CreatedAt, EXAMPLE, Field, NewName, Nullable, OwnId, OwnName, Uuid } from './values.js';

const SPACE_TYPES = ['personal', 'team', 'default', 'premium'] as const;

const ownerId = Field('Account that owns the space; null if there is none.', Nullable(Uuid));

export const Space = Answer(
  'Space',
  {
    id: OwnId,
    name: OwnName,
    type: Type.String({ description: '`personal`, `team`, `default` or `premium`' }),
    owner_id: ownerId,
    user_role: Type.String({ description: 'role of the caller: `admin` (read and write) or `user` (read)' }),
    created_at: CreatedAt,
  },
  {
    id: EXAMPLE.space,
    name: 'lab',
    type: 'team',
    owner_id: EXAMPLE.account,
    user_role: 'admin',
    created_at: EXAMPLE.created,
  },
);

const SpaceType = Type.Enum([...SPACE_TYPES], {
  description: `one of ${SPACE_TYPES.map((type) => `"${type}"`).join(', ')}`,
});
export const NewSpace = Body({ name: NewName, type: Type.Optional(SpaceType) }, { name: 'lab', type: 'team' });
export const SpaceUpdate = Body(
  { name: Type.Optional(NewName), type: Type.Optional(SpaceType), owner_id: Type.Optional(ownerId) },
  { name: 'laboratory' },
);
