/** A family of resources: the table, the form for a new one, and what was opened. */
import { useState } from 'preact/hooks';
import { printableLine } from '../../../../src/kernel/printable.js';
import { Action } from '../../parts/action.js';
import { Failure } from '../../parts/failure.js';
import { Form } from '../../parts/form.js';
import { useLoad } from '../../parts/load.js';
import type { Family, Surroundings } from './family.js';

interface RecordsProps<T extends { readonly id: string }> {
  readonly family: Family<T>;
  readonly surroundings: Surroundings;
}

export function Records<T extends { readonly id: string }>({ family, surroundings }: RecordsProps<T>) {
  const { load, nameOf, columns, form, actions = [], detail: Detail, empty } = family;
  const { value: items, failure, reload } = useLoad(() => load(surroundings), []);
  const [note, setNote] = useState('');
  const [openId, setOpenId] = useState('');
  const opened = items?.find(({ id }) => id === openId);
  const hasActions = surroundings.isAdmin && actions.length > 0;
  return (
    <>
      <Failure text={failure} />
      {surroundings.isAdmin && form && (
        <Form
          title={form.title}
          fields={form.fields}
          tags={surroundings.tags}
          button="Create"
          submit={async (values) => {
            setNote((await form.create(values, surroundings)) ?? '');
            reload();
          }}
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
        <div class="scroll">
          <table class="records">
            <thead>
              <tr>
                {columns.map(({ title }) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
                {(hasActions || Detail) && <th scope="col">Actions</th>}
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
                  {(hasActions || Detail) && (
                    <td class="actions">
                      {Detail && (
                        <button
                          type="button"
                          aria-expanded={openId === item.id}
                          aria-label={`Open ${nameOf(item)}`}
                          onClick={() => setOpenId(openId === item.id ? '' : item.id)}
                        >
                          Open
                        </button>
                      )}
                      {hasActions &&
                        actions
                          .filter(({ fits }) => fits?.(item) ?? true)
                          .map(({ title, run, confirm: question }) => (
                            <Action
                              key={title}
                              label={`${title} ${nameOf(item)}`}
                              isDangerous={question !== undefined}
                              {...(question && { confirm: question(item) })}
                              run={async () => {
                                setNote((await run(item, surroundings)) ?? '');
                                reload();
                              }}
                            >
                              {title}
                            </Action>
                          ))}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {opened && Detail && <Detail key={opened.id} item={opened} surroundings={surroundings} reload={reload} />}
    </>
  );
}
