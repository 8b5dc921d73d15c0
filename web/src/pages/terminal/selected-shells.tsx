/** A terminal for the devices that a search finds. */
import { useMemo } from 'preact/hooks';
import { counted } from '../../model/count.js';
import { runSelector, searchFor } from '../../model/search.js';
import { model } from '../../model/space.js';
import { useKept } from '../../parts/kept.js';
import { useOfRun } from '../../parts/of-run.js';
import { SearchField } from '../../parts/search-field.js';
import { useSelection } from './selection.js';
import { Shells } from './shells.js';
import { way } from './way.js';

export function SelectedShells() {
  const [text, setText] = useKept('devices', '');
  const isEmpty = text.trim() === '';
  const on = isEmpty ? '' : runSelector(text);
  const selection = useSelection(on);
  const remote = useTargets(text);
  const local = { count: selection.value?.devices, failure: selection.failure };
  const { count, failure } = way.value === 'local' ? local : { count: remote.targets.length, failure: remote.failure };
  return (
    <>
      <div class="bar">
        <SearchField
          id="targets"
          label="Devices: a part of a name, or a selector"
          placeholder="devices: all, tag/cold, cellar/1..20"
          text={text}
          change={setText}
          status={isEmpty ? 'Select devices first: a name, a part of it, or "all".' : countText(count)}
          failure={failure}
        />
      </div>
      <Shells
        targets={remote.targets}
        on={on}
        selected={selection.value?.devices ?? 0}
        controls={selection.value?.controls ?? []}
      />
    </>
  );
}

function countText(count: number | undefined): string {
  if (count === undefined) return '';
  return `${counted(count, 'device')} ${count === 1 ? 'is' : 'are'} selected`;
}

/** The devices of the space that a text selects. */
function useTargets(text: string) {
  const { rows, listVersion } = model().fleet;
  const version = listVersion.value;
  const ofRun = useOfRun(text);
  return useMemo(() => {
    if (text.trim() === '') return { targets: [], failure: '' };
    const search = searchFor(text, [...new Set(rows.flatMap(({ tags }) => tags))], rows, ofRun);
    return { targets: search.failure === '' ? rows.filter(search.matches) : [], failure: search.failure };
  }, [text, version, ofRun]);
}
