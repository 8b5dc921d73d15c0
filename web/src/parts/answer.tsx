/** The answer of a device to a downlink: the output of its commands, or its new configuration. */
import type { TimelineEntry } from '../../../src/client/types.js';
import { current } from '../api/session.js';
import { Body } from './body.js';
import { Failure } from './failure.js';
import { useLoad } from './load.js';

/** @param entries the timeline of the downlink; the entry `answered` has the id of the answer */
export function Answer({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  const id = entries.find(({ what }) => what === 'answered')?.detail ?? undefined;
  return id === undefined ? null : <Answered id={id} />;
}

function Answered({ id }: { readonly id: string }) {
  const { value, failure } = useLoad(() => current().client.message(id), [id]);
  if (failure !== '') return <Failure text={failure} />;
  if (!value) return null;
  if (value.type === 'shell') return <Body message={value} />;
  // A configuration has some hundred lines, the changed ones among them.
  return (
    <details class="answer">
      <summary>The device has answered with its new configuration</summary>
      <Body message={value} />
    </details>
  );
}
