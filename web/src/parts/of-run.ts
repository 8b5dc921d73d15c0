/** The devices that a selector selects by what only the run knows: the battery and the state. */
import { useEffect, useState } from 'preact/hooks';
import { isOver as isRunOver } from '../api/answering.js';
import { explain } from '../api/session.js';
import { runState } from '../model/run.js';
import { needsRun, runSelector } from '../model/search.js';
import { model } from '../model/space.js';

/** Pause between two requests, in ms: the devices change all the time. */
const EVERY = 2_000;
/** Time after the last key press before the first request, in ms. */
const TYPING = 250;

interface OfRun {
  readonly serials: ReadonlySet<string>;
  /** The error in the text, if it is not a selector; otherwise empty. */
  readonly failure: string;
}

const NOTHING_YET: OfRun = { serials: new Set(), failure: '' };

/** @returns until the answer arrives, that for the text before; undefined without a run, or if the text needs none */
export function useOfRun(text: string): OfRun | undefined {
  const { run } = model();
  const [found, setFound] = useState<OfRun>();
  const isAsked = runState.value !== undefined && needsRun(text);
  useEffect(() => {
    if (!isAsked) return setFound(undefined);
    let timer = setTimeout(() => void ask(), TYPING);
    let isOver = false;
    const ask = async () => {
      const answer = await run.devices(runSelector(text)).then(
        (devices) => ({ serials: new Set(devices.map(({ serial }) => String(serial))), failure: '' }),
        (error: unknown) => ({ serials: new Set<string>(), failure: explain(error) }),
      );
      // The answer before the end of the run stays.
      if (isOver || isRunOver.peek()) return;
      setFound(answer);
      timer = setTimeout(() => void ask(), EVERY);
    };
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text, isAsked]);
  return isAsked ? (found ?? NOTHING_YET) : undefined;
}
