/** Time travel: repeats the run up to a moment, in a separate console, and compares the ends of both runs. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PastRun, RunComparison, RunEnd } from '../../../../src/control/travel.js';
import { printable, printableLine } from '../../../../src/kernel/printable.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import { counted } from '../../model/count.js';
import { model } from '../../model/space.js';
import { Action } from '../../parts/action.js';
import type { Field } from '../../parts/fields.js';
import { Form } from '../../parts/form.js';
import { useLoad } from '../../parts/load.js';

const FIELDS: readonly Field[] = [
  { name: 'at', label: 'Moment, since the start of the run', kind: 'text', isRequired: true, hint: '40m' },
];

export function Past() {
  const { run } = model();
  const { value: pasts = [], reload } = useLoad(() => run.pastRuns(), []);
  const [comparison, setComparison] = useState<RunComparison>();
  const [enteredAgain, setEnteredAgain] = useState('');
  const enter = async (at: number) => {
    setEnteredAgain((await run.goBack(`${Math.floor(at)}ms`)).id);
    reload();
  };
  return (
    <section>
      <h2>Time travel</h2>
      <p class="dim">
        The run is repeated from its seed up to a moment, and pauses there. Look around, inject another fault or enter a
        line. Then continue the run, and compare both ends. At most two such runs are open: a third one ends the oldest.
      </p>
      <ul class="messages spaced">
        {pasts.map((past) => (
          <li key={past.id}>
            <Entry past={past} isNew={past.id === enteredAgain} compared={setComparison} enter={enter} />
          </li>
        ))}
      </ul>
      <Form
        title="Go back to a moment"
        button="Go back"
        fields={FIELDS}
        tags={[]}
        submit={async (values) => {
          await run.goBack(values.needed('at'));
          reload();
        }}
      />
      {comparison && <Ends comparison={comparison} />}
    </section>
  );
}

interface EntryProps {
  readonly past: PastRun;
  /** Whether this run replaces an ended run whose button had the focus. */
  readonly isNew: boolean;
  readonly compared: (comparison: RunComparison) => void;
  /** Repeats the run up to a moment again. @param at in ms of the run */
  readonly enter: (at: number) => Promise<void>;
}

function Entry({ past: { id, at_ms, link }, isNew, compared, enter }: EntryProps) {
  const name = humanDuration(at_ms);
  const open = useRef<HTMLAnchorElement>(null);
  // Sets the focus only if the user has not moved it meanwhile.
  useEffect(() => {
    if (isNew && document.activeElement === document.body) open.current?.focus();
  }, [isNew]);
  if (link === null) {
    return (
      <>
        <span class="badge dim">ended</span> The run at {name} has ended, because another run was opened.{' '}
        <Action label={`Enter it again: the run at ${name}`} run={() => enter(at_ms)}>
          Enter it again
        </Action>
      </>
    );
  }
  return (
    <>
      <a ref={open} href={link} target="_blank" rel="noopener">
        Open the run at {name}
      </a>{' '}
      <Action
        label={`Run it to its end and compare, from ${name} on`}
        run={async () => compared(await model().run.compare(id))}
      >
        Run it to its end and compare
      </Action>
    </>
  );
}

function Ends({ comparison: { original, fork, same, difference } }: { readonly comparison: RunComparison }) {
  return (
    <div aria-live="polite">
      <End title="Original" end={original} />
      <End title="Fork" end={fork} />
      {difference === null ? (
        <p>Both runs have the same {same.toLocaleString('en')} events.</p>
      ) : (
        <>
          <p>
            The first {counted(same, 'event')} are the same. The first difference, after{' '}
            {humanDuration(difference.at_ms)}:
          </p>
          <pre>
            {`original  ${printable(difference.original ?? 'no more events')}\nfork      ${printable(difference.fork ?? 'no more events')}`}
          </pre>
        </>
      )}
    </div>
  );
}

function End({
  title,
  end: { passed, failure, digest, events, expectations },
}: {
  readonly title: string;
  readonly end: RunEnd;
}) {
  return (
    <>
      <p>
        <strong>{title}</strong> <span class={`badge ${passed ? 'good' : 'bad'}`}>{passed ? 'passed' : 'failed'}</span>{' '}
        <span class="dim">
          {counted(events, 'event')}, digest {digest}
        </span>
        {failure !== null && ` ${printableLine(failure)}`}
      </p>
      <ul class="messages spaced">
        {expectations.map(({ line, passed: holds, undecided, sentence }) => (
          <li key={line}>
            <span class={`badge ${undecided ? 'late' : holds ? 'good' : 'bad'}`}>
              {undecided ? 'undecided' : holds ? 'holds' : 'fails'}
            </span>{' '}
            <span class="dim">{printableLine(sentence)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
