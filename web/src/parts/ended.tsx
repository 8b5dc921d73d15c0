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
  const { expectations, failure } = verdict;
  const met = expectations.filter(({ passed }) => passed).length;
  const counts = `${met} of ${expectations.length} ${expectations.length === 1 ? 'expectation is' : 'expectations are'} met`;
  return (
    <p class={`verdict ${verdict.look}`} role="alert">
      <VerdictBadge {...verdict} /> {ended}
      {expectations.length > 0 &&
        (route.value.page === 'run' ? (
          ` ${counts}.`
        ) : (
          <>
            {' '}
            <a href={address('run')}>{counts}</a>.
          </>
        ))}
      {failure !== null && ` ${printableLine(failure)}`}
    </p>
  );
}
