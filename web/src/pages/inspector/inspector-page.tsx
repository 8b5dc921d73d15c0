/** Decodes bytes that the user has pasted. Nothing is sent to the service. */
import { useMemo, useState } from 'preact/hooks';
import { Failure } from '../../parts/failure.js';
import { useKept } from '../../parts/kept.js';
import { type Section, Sections } from '../../parts/sections.js';
import { route } from '../../route.js';
import { inspect, type Kind, type Options } from './inspect.js';

const KINDS: Readonly<Record<Kind, string>> = {
  datagram: 'datagram (with envelope)',
  message: 'message (type and value)',
  body: 'body (CBOR)',
};

export function InspectorPage() {
  const [given] = route.value.rest;
  const [text, setText] = useKept('bytes', given ?? '');
  const [kind, setKind] = useKept<Kind>('kind', given === undefined ? 'datagram' : 'body');
  const [token, setToken] = useState('');
  const [decoder, setDecoder] = useKept('decoder', '');
  const { sections, failure } = useMemo(() => result(text, { kind, token, decoder }), [text, kind, token, decoder]);
  return (
    <div class="page">
      <h1>Inspector</h1>
      <div class="columns">
        <form class="stack" onSubmit={(event) => event.preventDefault()}>
          <label>
            Bytes in hex or base64
            <textarea
              rows={8}
              spellcheck={false}
              value={text}
              placeholder="paste a datagram, a message or a body"
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
          <label>
            Kind{' '}
            <select
              value={kind}
              // The cast is safe because the options are the keys of KINDS.
              onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
            >
              {Object.entries(KINDS).map(([key, title]) => (
                <option key={key} value={key}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          {kind === 'datagram' && (
            <label>
              Claim token, to check the tag (stays in this page)
              <input
                class="mono long"
                type="password"
                autoComplete="off"
                value={token}
                placeholder="32 hex digits"
                onInput={({ currentTarget }) => setToken(currentTarget.value)}
              />
            </label>
          )}
          <label>
            Decoder in CBOR, to decode data
            <textarea
              rows={3}
              spellcheck={false}
              value={decoder}
              placeholder="the document that the device uploads, in hex or base64"
              onInput={({ currentTarget }) => setDecoder(currentTarget.value)}
            />
          </label>
        </form>
        <div class="sections" aria-live="polite">
          <Failure text={failure} />
          <Sections sections={sections} />
        </div>
      </div>
    </div>
  );
}

function result(text: string, options: Options): { readonly sections: readonly Section[]; readonly failure: string } {
  if (text.trim() === '') return { sections: [], failure: '' };
  try {
    return { sections: inspect(text, options), failure: '' };
  } catch (error) {
    return { sections: [], failure: error instanceof Error ? error.message : String(error) };
  }
}
