/** The audit log. */
import type { AuditEntry } from '../../../../src/client/client.js';
import { readAll } from '../../api/lists.js';
import { Ago } from '../../parts/ago.js';
import { DeviceLink } from '../../parts/device-link.js';
import type { Family } from './family.js';

export const AUDIT: Family<AuditEntry> = {
  load: ({ client }) => readAll((page) => client.audit(page)),
  nameOf: ({ action }) => action,
  columns: [
    { title: 'When', cell: ({ at }) => <Ago at={Date.parse(at)} /> },
    { title: 'Action', cell: ({ action }) => <code>{action}</code> },
    {
      title: 'By',
      cell: ({ actor_type, actor_id }) => (
        <>
          {actor_type ?? 'unknown'} <code class="dim">{actor_id?.slice(-12)}</code>
        </>
      ),
    },
    { title: 'On', cell: ({ target_id }) => (target_id === null ? '–' : <DeviceLink id={target_id} />) },
    { title: 'From', cell: ({ from }) => from },
  ],
  empty: 'The log is empty. The cloud of a run records no changes.',
};
