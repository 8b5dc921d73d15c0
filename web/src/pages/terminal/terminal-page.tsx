/** A terminal for several devices at once. */
import { useMemo, useState } from 'preact/hooks';
import { searchFor } from '../../model/search.js';
import { model } from '../../model/space.js';
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
        <search class="search">
          <label class="hidden" for="targets">
            Devices: a part of a name, or a selector
          </label>
          <input
            id="targets"
            type="search"
            placeholder="devices: tag/cold, cellar/1..20, 10% of cellar"
            value={text}
            spellcheck={false}
            autoComplete="off"
            aria-describedby="selected"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </search>
        <p id="selected" class={failure ? 'failed' : 'dim'} role="status">
          {failure || (targets.length === 1 ? '1 device is selected' : `${targets.length} devices are selected`)}
        </p>
      </div>
      <p class="dim">
        A line becomes a command downlink for each selected device. Equal answers that arrive together are shown
        together.
      </p>
      <RemoteTerminal targets={targets} />
    </div>
  );
}
