/** The bytes of a message, decoded into their parts. */
import '../../platform/buffer.js';
import { useState } from 'preact/hooks';
import type { Message } from '../../../../src/client/types.js';
import { toHex } from '../../../../src/protocol/hashes.js';
import { encodeDown } from '../../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../../src/protocol/uuid.js';
import { Sections } from '../../parts/sections.js';
import { inspect, type Kind } from '../inspector/inspect.js';

interface Known {
  readonly kind: Kind;
  readonly hex: string;
}

/**
 * Shows the bytes of a message if they are known. The cloud stores the bytes of bodies that it could not decode. The bytes of
 * downlinks with a configuration or shell commands follow from the body.
 */
export function Bytes({ message }: { readonly message: Message }) {
  const [isOpen, setOpen] = useState(false);
  const known = bytesOf(message);
  if (!known) return null;
  const { kind, hex } = known;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Bytes</summary>
      {isOpen && (
        <div class="sections">
          <pre>{hex.replace(/(..) ?/g, '$1 ').trim()}</pre>
          <Sections sections={inspect(hex, { kind, token: '', decoder: '' }).slice(1)} />
        </div>
      )}
    </details>
  );
}

function bytesOf({ id, type, direction, body, raw }: Message): Known | undefined {
  if (raw !== null) return { kind: 'body', hex: raw };
  if (direction !== 'down' || !isLines(body)) return undefined;
  if (type === 'config') return whole(encodeDown({ kind: 'download-config', lines: body }));
  if (type === 'shell') return whole(encodeDown({ kind: 'download-shell', commands: body, messageId: uuidBytes(id) }));
  return undefined;
}

function whole(bytes: Uint8Array): Known {
  return { kind: 'message', hex: toHex(bytes) };
}

function isLines(body: unknown): body is readonly string[] {
  return Array.isArray(body) && body.every((line) => typeof line === 'string');
}
