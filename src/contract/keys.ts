/** API keys (cloud C-39). */
import Type from 'typebox';
import { TAG_EXAMPLE, TAG_REFS_EXAMPLE, Tag, TagRefs } from './tags.js';
import {
  Answer,
  Body,
  CreatedAt,
  EXAMPLE,
  Field,
  ItemParams,
  NewName,
  Nullable,
  OwnId,
  OwnName,
  Time,
  Timestamp,
  Uuid,
} from './values.js';

const TAGS = 'The key sees only devices with one of these tags. Default: none, and the key sees the whole space.';
const ACCESS_TYPE = 'Whether the key may write or only read. Default: `write`.';
const EXPIRES_AT = 'Time from which the key is not valid. Default: null, and the key does not expire.';

const Scope = Type.Enum(['space', 'tags'], {
  description: '`space`: the key sees the whole space; `tags`: only the devices with its tags',
});

const KeyFields = {
  id: OwnId,
  name: OwnName,
  prefix: Type.String({ description: 'first characters of the secret' }),
  scope: Scope,
  tags: Field(TAGS, Type.Array(Tag, { description: 'deleted tags are left out' })),
  access_type: Field(ACCESS_TYPE, Type.Enum(['write', 'read'], { description: '`read`: the key may only read' })),
  created_at: CreatedAt,
  expires_at: Field(EXPIRES_AT, Nullable(Time)),
  last_used_at: Field('Time of its latest use, to the minute; null if there was none.', Nullable(Time)),
  parent_id: Field('Key with which the key was created; null if a login or the service created it.', Nullable(Uuid)),
};
const KEY_EXAMPLE = {
  id: EXAMPLE.key,
  name: 'dashboard',
  prefix: '5f0c1d2e',
  scope: 'tags' as const,
  tags: [TAG_EXAMPLE],
  access_type: 'read' as const,
  created_at: EXAMPLE.created,
  expires_at: null,
  last_used_at: EXAMPLE.later,
  parent_id: null,
};
export const Key = Answer('Key', KeyFields, KEY_EXAMPLE);

export const KeyWithSecret = Answer(
  'KeyWithSecret',
  { ...KeyFields, key: Type.String({ description: 'the secret; shown only now' }) },
  { ...KEY_EXAMPLE, key: '5f0c1d2e-7a61-4a0f-9b35-0f9d7c1e2a44' },
);

export const NewKey = Body(
  {
    name: NewName,
    tags: Type.Optional(Field(TAGS, TagRefs)),
    scope: Type.Optional(
      Field('Default: as `tags` says. With `tags` and without a tag, the key sees no device.', Scope),
    ),
    access_type: Type.Optional(Field(ACCESS_TYPE, Type.Enum(['write', 'read'], { description: '"write" or "read"' }))),
    expires_at: Type.Optional(Field(EXPIRES_AT, Nullable(Timestamp))),
  },
  { name: 'dashboard', tags: TAG_REFS_EXAMPLE, access_type: 'read' },
);
export const KeyUpdate = Type.Partial(NewKey, {
  description: 'a JSON object',
  example: { expires_at: '2026-12-31T23:59:59.000Z' },
});

export const KeyParams = ItemParams('Id of the API key.', EXAMPLE.key);
export const KeyDeletion = Type.Object({
  children: Type.Optional(
    Field(
      'Whether to delete also all keys that were created with this key, directly or through other keys.',
      Type.Enum(['true', 'false'], { default: 'false', description: '"true" or "false"' }),
    ),
  ),
});
