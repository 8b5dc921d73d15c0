/** A terminal whose lines become command downlinks. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { current } from '../../api/session.js';
import { lengthText } from '../../model/length.js';
import { now } from '../../model/now.js';
import { runState } from '../../model/run.js';
import { model } from '../../model/space.js';
import type { Screen } from './line-editor.js';
import { Remote, type Target } from './remote.js';
import { TerminalBox } from './terminal-box.js';

interface RemoteTerminalProps {
  /** The devices that the next line goes to. */
  readonly targets: readonly Target[];
  /** The address of the local shells of the devices in a run. */
  readonly localShell: string;
}

export function RemoteTerminal({ targets, localShell }: RemoteTerminalProps) {
  const latest = useRef(targets);
  latest.current = targets;
  const [screen, setScreen] = useState<Screen>();
  const remote = useMemo(() => {
    if (!screen) return undefined;
    return new Remote({ client: current().client, feed: model().feed, targets: () => latest.current, screen });
  }, [screen]);
  useEffect(() => () => remote?.close(), [remote]);
  return (
    <>
      {runState.value && (
        <p>
          Virtual devices of this run also have a <a href={localShell}>local shell</a>, which answers at once.
        </p>
      )}
      <p role="status">{remote ? waitText(remote.waiting.value) : ''}</p>
      <TerminalBox
        prompt="remote> "
        opened={(created) => setScreen(() => created)}
        enter={(line) => void remote?.enter(line)}
      />
    </>
  );
}

function waitText(waiting: Remote['waiting']['value']): string {
  const [oldest] = waiting;
  if (!oldest) return 'No answer is outstanding.';
  const answers = waiting.length === 1 ? 'an answer' : `${waiting.length} answers`;
  const since = lengthText(Math.max(0, now.value - oldest.at));
  return `Waiting for ${answers} for ${since}: a device fetches the line at its next contact, and answers then.`;
}
