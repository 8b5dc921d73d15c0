import type { RunVerdict } from '../../../src/control/run-state.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { runEnd } from '../model/run.js';
import { address, route } from '../route.js';
import { Failure } from './failure.js';
import { VerdictBadge } from './verdict.js';

/** What a page shows first when the run has ended: the verdict, or why there is none. */
export function Ended() {
  const { value: end } = runEnd;
  if (!end) return null;
  const { ended, verdict } = end;
  if (!verdict) return <Failure text={ended} />;
  const { expectations, failure, look } = verdict;
  const why = failure === null || look === 'open' ? ended : `${ended.replace(/\.$/, '')}: ${printableLine(failure)}.`;
  return (
    <p class={`verdict ${look}`} role="alert">
      <VerdictBadge {...verdict} /> {why} {expectations.length > 0 && <Met expectations={expectations} />}
    </p>
  );
}

/** How many expectations are met, with a link to them from other pages. */
function Met({ expectations }: Pick<RunVerdict, 'expectations'>) {
  const all = expectations.length === 1 ? '1 expectation is' : `${expectations.length} expectations are`;
  const met = expectations.filter(({ passed }) => passed).length;
  const isOpen = expectations.every(({ undecided = false }) => undecided);
  const text = isOpen ? `${all} undecided` : `${met} of ${all} met`;
  return <>{route.value.page === 'run' ? text : <a href={address('run')}>{text}</a>}.</>;
}
