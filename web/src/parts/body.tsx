/** The body of a message: decoded, or its bytes. */
import type { Message } from '../../../src/client/types.js';
import { printable } from '../../../src/kernel/printable.js';
import { address } from '../route.js';
import { answersIn } from './answers.js';

export function Body({ message: { body, raw, codec_hash } }: { readonly message: Message }) {
  if (raw !== null) {
    return (
      <>
        <p class="dim">
          Not decoded{codec_hash === null ? '' : ` (codec ${codec_hash})`}: {raw.length / 2} bytes.{' '}
          <a href={address('inspector', raw)}>Open in the inspector</a>
        </p>
        <pre>{raw.replace(/(..)/g, '$1 ')}</pre>
      </>
    );
  }
  const answers = answersIn(body);
  if (answers) return <pre>{printable(answers)}</pre>;
  return <pre>{printable(typeof body === 'string' ? body : JSON.stringify(body, null, 2))}</pre>;
}
