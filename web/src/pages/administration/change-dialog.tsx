/** A form for the change of a resource, over the page: the table that it was opened from can be long. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { printableLine } from '../../../../src/kernel/printable.js';
import { Sheet } from '../../parts/form.js';
import type { Change, Surroundings } from './family.js';

interface ChangeDialogProps<T> {
  readonly item: T;
  /** Name of the item. */
  readonly name: string;
  readonly change: Change<T>;
  readonly surroundings: Surroundings;
  readonly saved: () => void;
  readonly closed: () => void;
}

export function ChangeDialog<T>({ item, name, change, surroundings, saved, closed }: ChangeDialogProps<T>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  // The browser keeps the keyboard inside, closes it with Escape, and gives the keyboard back to the button.
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={title} onClose={closed}>
      <h2 id={title}>Change {printableLine(name)}</h2>
      <Sheet
        fields={change.fields(item)}
        tags={surroundings.tags}
        button="Save"
        submit={async (values) => {
          await change.save(item, values, surroundings);
          dialog.current?.close();
          saved();
        }}
        cancel={() => dialog.current?.close()}
      />
    </dialog>
  );
}
