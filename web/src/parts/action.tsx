/** A button that sends a request, and shows a failure. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../api/session.js';

interface ActionProps {
  readonly run: () => Promise<unknown>;
  /** A question that the user must confirm first. */
  readonly confirm?: string;
  /** Text for screen readers if the text of the button is not enough. */
  readonly label?: string;
  readonly isDangerous?: boolean;
  readonly children: ComponentChildren;
}

export function Action({ run, confirm: question, label, isDangerous = false, children }: ActionProps) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const asking = useRef<HTMLButtonElement>(null);
  const refusing = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);

  // The focus moves to the question and, after it, back to the button.
  useLayoutEffect(() => {
    if (isAsking) refusing.current?.focus();
    else if (wasAsking.current) asking.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);

  async function start(): Promise<void> {
    setAsking(false);
    setBusy(true);
    setFailure('');
    try {
      await run();
    } catch (error) {
      setFailure(explain(error));
    }
    setBusy(false);
  }

  if (isAsking) {
    return (
      <span
        class="question"
        role="alertdialog"
        aria-label={question}
        onKeyDown={(event) => event.key === 'Escape' && setAsking(false)}
      >
        {question}{' '}
        <button type="button" class="danger" onClick={start}>
          Yes
        </button>{' '}
        <button type="button" ref={refusing} onClick={() => setAsking(false)}>
          No
        </button>
      </span>
    );
  }
  return (
    <>
      <button
        type="button"
        ref={asking}
        disabled={isBusy}
        aria-label={label}
        class={isDangerous ? 'danger' : ''}
        onClick={question === undefined ? start : () => setAsking(true)}
      >
        {children}
      </button>
      {failure !== '' && (
        <span class="failed" role="alert">
          {failure}
        </span>
      )}
    </>
  );
}
