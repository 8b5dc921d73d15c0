import { useRef, useState } from 'preact/hooks';
import { explain } from '../api/session.js';

interface Request {
  readonly isBusy: boolean;
  /** Why the last one failed; empty without a failure. */
  readonly failure: string;
  run(work: () => Promise<unknown>): Promise<void>;
}

/** Requests of a form or button, one at a time: a button keeps the focus, and so can be pressed, while its request runs. */
export function useRequest(): Request {
  const [failure, setFailure] = useState('');
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);

  async function run(work: () => Promise<unknown>): Promise<void> {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setFailure('');
    try {
      await work();
    } catch (error) {
      setFailure(explain(error));
    }
    isRunning.current = false;
    setBusy(false);
  }
  return { isBusy, failure, run };
}
