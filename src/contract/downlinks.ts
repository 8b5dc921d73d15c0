/** The bodies that queue downlinks (cloud C-28). */
import Type, { type TProperties } from 'typebox';
import { EXAMPLE, Field, Uuid } from './values.js';

/** Size of a device's command buffer without the final NUL (cloud C-16). */
const LINE_BYTES = 255;

const CommandLine = Type.Refine(
  Type.String({
    description: `a line of 1 to ${LINE_BYTES} bytes, without line breaks and the character U+0000`,
    // JSON Schema counts characters. A character of UTF-8 has up to four bytes.
    documented: {
      type: 'string',
      anyOf: [
        {
          maxLength: LINE_BYTES,
          pattern: '^[\\x01-\\x09\\x0b\\x0c\\x0e-\\x7f]*[\\x21-\\x7e][\\x01-\\x09\\x0b\\x0c\\x0e-\\x7f]*$',
        },
        { maxLength: Math.floor(LINE_BYTES / 4), pattern: '^[^\\x00\\r\\n]*[^\\s\\x00][^\\x00\\r\\n]*$' },
      ],
    },
  }),
  (line) => line.trim() !== '' && Buffer.byteLength(line) <= LINE_BYTES && !/[\0\r\n]/.test(line),
);
export const CommandLines = Type.Array(CommandLine, {
  minItems: 1,
  maxItems: 100,
  description: 'a list of 1 to 100 lines',
});
export const DataBody = Type.Record(Type.String(), Type.Unknown(), { description: 'a JSON object' });

export const NewConfig = Type.With(CommandLines, { example: ['app config interval-report 900'] });
export const NewCommands = Type.With(CommandLines, { example: ['info show'] });
export const NewData = Type.With(DataBody, { example: { led: true } });

const Raw = Type.String({ pattern: '^(?:[0-9a-fA-F]{2})+$', description: 'at least one byte in hex digits' });

function DownlinkOf<Name extends string, P extends TProperties>(type: Name, content: P) {
  const name = Type.Unsafe<Name>({ const: type, description: `"${type}"` });
  return Type.Object({ device_id: Uuid, type: name, ...content });
}

/** What the routes accept as a {@link NewMessage}: the content depends on the type. */
export const DownlinkOfType = Type.Union([
  DownlinkOf('data', { body: DataBody }),
  DownlinkOf('data', { raw: Raw }),
  DownlinkOf('config', { body: CommandLines }),
  DownlinkOf('shell', { body: CommandLines }),
]);

export const NewMessage = Type.Object(
  {
    device_id: Field('Device that gets the downlink.', Uuid),
    type: Field(
      'What the downlink is for.',
      Type.Enum(['data', 'config', 'shell'], { description: '"data", "config" or "shell"' }),
    ),
    body: Type.Optional(
      Field(
        'Content of the message.',
        Type.Unknown({ description: 'as for the routes of a device, or the same as JSON text' }),
      ),
    ),
    raw: Type.Optional(Raw),
  },
  {
    description: 'a JSON object',
    example: { device_id: EXAMPLE.device, type: 'shell', body: ['info show'] },
    documented: { type: 'object', oneOf: DownlinkOfType.anyOf },
  },
);
