/** Firmware updates of a device. */
import { printableLine } from '../../../../src/kernel/printable.js';
import { readAll } from '../../api/lists.js';
import { current } from '../../api/session.js';
import { Ago } from '../../parts/ago.js';
import { Failure } from '../../parts/failure.js';
import { useLoad } from '../../parts/load.js';
import type { TabProps } from './tab.js';

export function Updates({ device: { id, messages } }: TabProps) {
  // The updates are read again after every message, because it may have changed an update.
  const latest = messages.value[0]?.id;
  const { value, failure } = useLoad(
    () => readAll((page) => current().client.firmwareUpdates({ device_id: id, ...page })),
    [id, latest],
  );
  return (
    <section>
      <h2>Firmware updates</h2>
      <Failure text={failure} />
      {value?.length === 0 && <p class="dim">No update of this device has been scheduled.</p>}
      {value !== undefined && value.length > 0 && (
        <div class="scroll">
          <table class="records">
            <thead>
              <tr>
                {['Version', 'State', 'Progress', 'Error', 'Changed'].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.map(({ id: update, version, state, offset, size, error, updated_at }) => (
                <tr key={update}>
                  <td data-title="Version">{printableLine(version)}</td>
                  <td data-title="State" class={state === 'succeeded' ? 'good' : state === 'failed' ? 'bad' : ''}>
                    {state}
                  </td>
                  <td data-title="Progress">
                    <progress
                      class={state === 'failed' ? 'bad' : ''}
                      value={offset}
                      max={size}
                      aria-label={`Progress of ${printableLine(version)}`}
                    />
                  </td>
                  <td data-title="Error">{printableLine(error ?? '–')}</td>
                  <td data-title="Changed">
                    <Ago at={Date.parse(updated_at)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
