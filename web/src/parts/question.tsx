/** A question that the user must answer before an action. Escape means No. Then the focus returns to where it was. */
import { useLayoutEffect, useRef } from 'preact/hooks';

interface QuestionProps {
  readonly text: string;
  readonly yes: () => void;
  readonly no: () => void;
}

export function Question({ text, yes, no }: QuestionProps) {
  const refusing = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { activeElement: before } = document;
    refusing.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <span class="question" role="alertdialog" aria-label={text} onKeyDown={({ key }) => key === 'Escape' && no()}>
      {text}{' '}
      <button type="button" class="danger" onClick={yes}>
        Yes
      </button>{' '}
      <button type="button" ref={refusing} onClick={no}>
        No
      </button>
    </span>
  );
}
