/** Shows a family of resources: the table, the form for a new one, and the details of the opened one. */
import { useState } from 'preact/hooks';
import { printableLine } from '../../../../src/kernel/printable.js';
import { MOST_ITEMS } from '../../api/lists.js';
import { Action } from '../../parts/action.js';
import { Failure } from '../../parts/failure.js';
import { Form } from '../../parts/form.js';
import { useLoad } from '../../parts/load.js';
import { textInAddress } from '../../route.js';
import { ChangeDialog } from './change-dialog.js';
import type { Family, Surroundings } from './family.js';

interface RecordsProps<T extends { readonly id: string }> {
  readonly family: Family<T>;
  readonly surroundings: Surroundings;
}

export function Records<T extends { readonly id: string }>({ family, surroundings }: RecordsProps<T>) {
  const { load, nameOf, form, change, detail: Detail, empty } = family;
  const { value: items, failure, reload } = useLoad(() => load(surroundings), []);
  const [note, setNote] = useState('');
  const [openId, setOpenId] = textInAddress('open');
  const [changing, setChanging] = useState<T>();
  const opened = items?.find(({ id }) => id === openId);
  const done = (text = '') => {
    setNote(text);
    reload();
  };
  // Reads the table again after a failure as well: another user may have deleted or locked the item, and a roll-out may have
  // scheduled a part of its updates.
  const act = async (action: () => Promise<string | undefined>) => {
    try {
      done(await action());
    } catch (error) {
      reload();
      throw error;
    }
  };
  return (
    <>
      <Failure text={failure} />
      {surroundings.isAdmin && form && (
        <Form
          title={form.title}
          fields={form.fields}
          tags={surroundings.tags}
          button="Create"
          submit={(values) => act(() => form.create(values, surroundings))}
        />
      )}
      {note !== '' && (
        <output class="secret">
          {note}{' '}
          <button type="button" onClick={() => setNote('')}>
            Hide
          </button>
        </output>
      )}
      {items?.length === 0 && <p class="dim">{empty}</p>}
      {items && items.length > 0 && (
        <Table {...{ family, surroundings, items, openId, setOpenId, act }} change={setChanging} />
      )}
      {items && items.length >= MOST_ITEMS && (
        <p class="dim">There are more: only {items.length.toLocaleString('en')} are shown.</p>
      )}
      {opened && Detail && <Detail key={opened.id} item={opened} surroundings={surroundings} reload={reload} />}
      {changing && change && (
        <ChangeDialog
          {...{ change, surroundings }}
          item={changing}
          name={nameOf(changing)}
          saved={done}
          refused={reload}
          closed={() => setChanging(undefined)}
        />
      )}
    </>
  );
}

interface TableProps<T extends { readonly id: string }> extends RecordsProps<T> {
  readonly items: readonly T[];
  /** Id of the item whose detail is shown; empty if none is shown. */
  readonly openId: string;
  readonly setOpenId: (id: string) => void;
  readonly change: (item: T) => void;
  /** Executes an action, and reads the table again. @param action returns a text that is shown once */
  readonly act: (action: () => Promise<string | undefined>) => Promise<void>;
}

function Table<T extends { readonly id: string }>(props: TableProps<T>) {
  const { family, surroundings, items } = props;
  const { columns, actions = [], change, detail } = family;
  const hasActions = detail !== undefined || (surroundings.isAdmin && (actions.length > 0 || change !== undefined));
  return (
    <div class="scroll">
      <table class="records">
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            {hasActions && <th scope="col">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              {columns.map(({ title, cell }) => {
                const shown = cell(item);
                return (
                  <td key={title} data-title={title}>
                    {typeof shown === 'string' ? printableLine(shown) : shown}
                  </td>
                );
              })}
              {hasActions && (
                <td class="actions">
                  <Actions {...props} item={item} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The buttons of an item. */
function Actions<T extends { readonly id: string }>(props: TableProps<T> & { readonly item: T }) {
  const { item, family, surroundings, openId, setOpenId, change, act } = props;
  const name = family.nameOf(item);
  const isOpen = openId === item.id;
  const actions = surroundings.isAdmin ? (family.actions ?? []) : [];
  const canChange = surroundings.isAdmin && family.change && (family.change.fits?.(item) ?? true);
  return (
    <>
      {family.detail && (
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`Open ${name}`}
          onClick={() => setOpenId(isOpen ? '' : item.id)}
        >
          Open
        </button>
      )}
      {canChange && (
        <button type="button" aria-label={`Change ${name}`} onClick={() => change(item)}>
          Change
        </button>
      )}
      {actions
        .filter(({ fits }) => fits?.(item) ?? true)
        .map(({ title, run, confirm: question }) => (
          <Action
            key={title}
            label={`${title} ${name}`}
            isDangerous={question !== undefined}
            {...(question && { confirm: question(item) })}
            run={() => act(() => run(item, surroundings))}
          >
            {title}
          </Action>
        ))}
    </>
  );
}
