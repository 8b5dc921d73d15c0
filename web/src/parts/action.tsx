/** A button that sends a request, and shows a failure. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { passFocusOn } from './focus.js';
import { Question } from './question.js';
import { useRequest } from './request.js';

interface ActionProps {
  readonly run: () => Promise<unknown>;
  /** A question that the user must confirm first. */
  readonly confirm?: string;
  /** What happens meanwhile, for a request that takes long. */
  readonly meanwhile?: string;
  /** Text for screen readers if the text of the button is not enough. */
  readonly label?: string;
  readonly isDangerous?: boolean;
  /** Whether it is what the page is for. Default: false */
  readonly isMain?: boolean;
  readonly children: ComponentChildren;
}

export function Action(props: ActionProps) {
  const { run, confirm: question, meanwhile = '', label, isDangerous = false, isMain = false, children } = props;
  const [isAsking, setAsking] = useState(false);
  const request = useRequest();
  const asking = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);

  // After the question, the focus moves back to the button.
  useLayoutEffect(() => {
    if (!isAsking && wasAsking.current) asking.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);

  // An action may end what its button belongs to.
  useLayoutEffect(() => () => passFocusOn(asking.current), []);

  function start(): void {
    setAsking(false);
    void request.run(run);
  }

  if (isAsking) return <Question text={question ?? ''} yes={start} no={() => setAsking(false)} />;
  return (
    <>
      <button
        type="button"
        ref={asking}
        // A button that is disabled loses the focus.
        aria-disabled={request.isBusy}
        aria-label={label}
        class={isDangerous ? 'danger' : isMain ? 'primary' : ''}
        onClick={question === undefined ? start : () => setAsking(true)}
      >
        {children}
      </button>
      {meanwhile !== '' && (
        <span class="dim" role="status">
          {request.isBusy && meanwhile}
        </span>
      )}
      {request.failure !== '' && (
        <span class="failed" role="alert">
          {request.failure}
        </span>
      )}
    </>
  );
}
