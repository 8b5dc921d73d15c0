/** A terminal for several devices at once. */
import { useMemo, useState } from 'preact/hooks';
import { searchFor } from '../../model/search.js';
import { model } from '../../model/space.js';
import { SearchField } from '../../parts/search-field.js';
import { address } from '../../route.js';
import { RemoteTerminal } from './remote-terminal.js';

export function TerminalPage() {
  const { fleet } = model();
  const [text, setText] = useState('');
  const isComplete = fleet.isComplete.value;
  const { rows } = fleet;
  const { targets, failure } = useMemo(() => {
    if (text.trim() === '') return { targets: [], failure: '' };
    const search = searchFor(text, [...new Set(rows.flatMap(({ tags }) => tags))], rows);
    return { targets: search.failure === '' ? rows.filter(search.matches) : [], failure: search.failure };
  }, [text, isComplete, rows.length]);
  return (
    <div class="page">
      <h1>Terminal</h1>
      <div class="bar">
        <SearchField
          id="targets"
          label="Devices: a part of a name, or a selector"
          placeholder="devices: tag/cold, cellar/1..20, 10% of cellar"
          text={text}
          change={setText}
          status={targets.length === 1 ? '1 device is selected' : `${targets.length} devices are selected`}
          failure={failure}
        />
      </div>
      <p class="dim">
        A line becomes a command downlink for each selected device. Equal answers that arrive together are shown
        together.
      </p>
      <RemoteTerminal targets={targets} localShell={address('run', 'all')} />
    </div>
  );
}
