/**
 * A dialog with a form to change a resource. It is a dialog over the page because the table from which it is opened can be
 * long.
 */
import { useEffect, useId, useRef } from 'preact/hooks';
import { printableLine } from '../../../../src/kernel/printable.js';
import { Sheet } from '../../parts/form.js';
import type { Change, Surroundings } from './family.js';

interface ChangeDialogProps<T extends { readonly id: string }> {
  readonly item: T;
  /** Name of the item. */
  readonly name: string;
  readonly change: Change<T>;
  readonly surroundings: Surroundings;
  readonly saved: () => void;
  /** Called after a failure: another user may have deleted or locked the item. */
  readonly refused: () => void;
  readonly closed: () => void;
}

export function ChangeDialog<T extends { readonly id: string }>({
  item,
  name,
  change,
  surroundings,
  saved,
  refused,
  closed,
}: ChangeDialogProps<T>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  // With `showModal`, the browser keeps the focus inside the dialog, closes it with Escape, and returns the focus to the
  // button.
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={title} onClose={closed}>
      <h2 id={title}>Change {printableLine(name)}</h2>
      <Sheet
        name={`change ${item.id}`}
        fields={change.fields(item)}
        tags={surroundings.tags}
        button="Save"
        submit={async (values) => {
          try {
            await change.save(item, values, surroundings);
          } catch (error) {
            refused();
            throw error;
          }
          dialog.current?.close();
          saved();
        }}
        cancel={() => dialog.current?.close()}
      />
    </dialog>
  );
}
