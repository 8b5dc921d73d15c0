/** Where the numbers of a page come from, in a run against another cloud than the embedded one. */
import { printableLine } from '../../../src/kernel/printable.js';
import { runState } from '../model/run.js';

interface SourcesProps {
  /** What the API of the cloud shows: `Downlinks and their states`. */
  readonly cloud: string;
  /** What the run knows from its events. */
  readonly run: string;
}

export function Sources({ cloud, run }: SourcesProps) {
  const { target = null } = runState.value ?? {};
  if (target === null) return null;
  return (
    <p class="dim note">
      {cloud}: from the API of {printableLine(target)}. {run}: from the events of this run.
    </p>
  );
}
