/** The delivery of a downlink: its timeline, and an explanation in words of the time that it took. */

import { useEffect, useState } from 'preact/hooks';
import type { Message, TimelineEntry } from '../../../../src/client/types.js';
import type { Explanation } from '../../../../src/explain/explanation.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import { now } from '../../model/now.js';
import { runState } from '../../model/run.js';
import { model } from '../../model/space.js';
import { type Contacts, storyOf } from '../../model/story.js';
import { Answer } from '../../parts/answer.js';
import { Failure } from '../../parts/failure.js';
import { useLoad } from '../../parts/load.js';
import { Timeline, useTimeline } from '../../parts/timeline.js';
import { WhatIf } from '../../parts/what-if.js';

interface WayProps {
  readonly message: Message;
  /** The latest station since the page was opened. */
  readonly station: string | undefined;
  /** Contacts of the device. */
  readonly contacts: Contacts;
}

export function Way({ message, station, contacts }: WayProps) {
  const { value: entries = [], failure } = useTimeline(message, station);
  const isUsers = message.type !== 'session' && message.type !== 'timestamp';
  return (
    <>
      <Timeline entries={entries} />
      <Failure text={failure} />
      {entries.length > 0 &&
        (isUsers && runState.value !== undefined ? (
          <Explained contacts={contacts} message={message} entries={entries} />
        ) : (
          <Story contacts={contacts} message={message} entries={entries} />
        ))}
      <Answer entries={entries} />
    </>
  );
}

interface StoryProps extends Pick<WayProps, 'message' | 'contacts'> {
  readonly entries: readonly TimelineEntry[];
}

/** The description without a run, from the data of the cloud alone. */
function Story({ contacts, message, entries }: StoryProps) {
  return <p class="story">{storyOf(message, entries, contacts, now.value).map(printableLine).join(' ')}</p>;
}

/** Time from an explanation of a pending downlink to the next request, in ms of real time. */
const PAUSE = 10_000;

/** The explanation by the run, which knows its faults and every exchange of the device. */
function Explained({ contacts, message, entries }: StoryProps) {
  const { id, down_state, down_attempt, device_serial_number: serial } = message;
  const [turn, setTurn] = useState(0);
  // The latest entry of the timeline is an input as well, because the answer of the device changes neither state nor attempt.
  const latest = entries.at(-1)?.id;
  const { value, failure } = useLoad(
    () => model().run.explain(id, serial),
    [id, serial, down_state, down_attempt, latest, turn],
  );
  // An explanation may take longer than the pause, because the run repeats the device: the pause begins with the answer.
  useEffect(() => {
    if (down_state !== 'pending' || !value) return;
    const timer = setTimeout(() => setTurn((last) => last + 1), PAUSE);
    return () => clearTimeout(timer);
  }, [value, down_state]);
  // The request fails if the run has forgotten the downlink, or has ended.
  if (failure !== '') return <Story contacts={contacts} message={message} entries={entries} />;
  if (!value) return <p class="dim">The explanation is not computed yet.</p>;
  return (
    <div class="explained">
      <p class="story">{printableLine(value.text)}</p>
      <WhatIf id={id} serial={serial} />
      <details>
        <summary>Everything that happened meanwhile ({value.timeline.length})</summary>
        <Course explanation={value} />
      </details>
    </div>
  );
}

const MARKS = { stage: '', contact: '', failure: '✗', fault: '!', rule: '!' } as const;

function Course({ explanation: { timeline } }: { readonly explanation: Explanation }) {
  return (
    <ol class="course">
      {timeline.map(({ at, kind, what }, i) => (
        <li key={`${at} ${i}`} class={kind}>
          <span class="dim">+{humanDuration(at)}</span> <span aria-hidden="true">{MARKS[kind]}</span>{' '}
          {printableLine(what)}
        </li>
      ))}
    </ol>
  );
}
