/** Variables: named values of a space or of one of its devices (cloud C-36). */
import Type from 'typebox';
import { LONGEST_VALUE } from './limits.js';
import {
  Answer,
  Body,
  Comment,
  CreatedAt,
  EXAMPLE,
  Field,
  ItemParams,
  Name,
  NewComment,
  NewName,
  Nullable,
  OwnId,
  OwnName,
  PageFields,
  SpaceId,
  Text,
  Uuid,
} from './values.js';

const ENVIRONMENT = 'Environment of the variable; scripts read variables without one. Default: null.';
const SECURE = 'Whether the value is never returned. Default: false.';

export const Variable = Answer(
  'Variable',
  {
    id: OwnId,
    space_id: SpaceId,
    device_id: Field('Device to which it belongs.', Nullable(Uuid)),
    name: OwnName,
    value: Field('Value that scripts read.', Nullable(Type.String({ description: 'null if the variable is secure' }))),
    environment: Field(ENVIRONMENT, Nullable(Type.String())),
    comment: Comment,
    secure: Field(SECURE, Type.Boolean()),
    locked: Field('Whether the variable can neither be changed nor deleted.', Type.Boolean()),
    created_at: CreatedAt,
  },
  {
    id: EXAMPLE.variable,
    space_id: EXAMPLE.space,
    device_id: EXAMPLE.device,
    name: 'threshold',
    value: '8',
    environment: null,
    comment: 'degrees above the set point',
    secure: false,
    locked: false,
    created_at: EXAMPLE.created,
  },
);

const Value = Field(
  'Value that scripts read.',
  Type.String({
    maxLength: LONGEST_VALUE,
    description: `a text of at most ${LONGEST_VALUE} characters`,
    writeOnly: true,
  }),
);
const NullableName = Type.Union([Name, Type.Null()], {
  description: 'a name of 1 to 64 printable characters, or null',
});
const Changeable = {
  environment: Type.Optional(Field(ENVIRONMENT, NullableName)),
  comment: Type.Optional(NewComment),
  secure: Type.Optional(Field(SECURE, Type.Boolean({ description: 'true or false' }))),
};
export const NewVariable = Body(
  {
    name: NewName,
    value: Value,
    device_id: Type.Optional(
      Field(
        'Device to which the variable belongs. Default: null, which is the space.',
        Type.Union([Uuid, Type.Null()], { description: 'a UUID, or null' }),
      ),
    ),
    ...Changeable,
  },
  { name: 'threshold', value: '8', device_id: EXAMPLE.device },
);
const NewValue = Field(
  'Value that scripts read. Null, as a secure variable is read, changes nothing.',
  Type.Union([Type.String({ maxLength: LONGEST_VALUE }), Type.Null()], {
    description: `a text of at most ${LONGEST_VALUE} characters, or null`,
    writeOnly: true,
  }),
);
export const VariableUpdate = Body(
  { name: Type.Optional(NewName), value: Type.Optional(NewValue), ...Changeable },
  { value: '6' },
);

export const VariableParams = ItemParams('Id of the variable.', EXAMPLE.variable);
export const VariableQuery = Type.Object({
  ...PageFields,
  device_id: Type.Optional(Field('Only variables of this device. Default: all.', Uuid, EXAMPLE.device)),
  name: Type.Optional(Field('Only variables with exactly this name. Default: all.', Text, 'freezer')),
  environment: Type.Optional(Field('Only variables of this environment. Default: all.', Text, 'test')),
  secure: Type.Optional(
    Field(
      'Only secure variables (`true`), or only the others (`false`). Default: all.',
      Type.Enum(['true', 'false'], { description: '"true" or "false"' }),
    ),
  ),
});
