import { useEffect, useState } from 'preact/hooks';
import { recoveries } from '../api/answering.js';
import { explain } from '../api/session.js';

export interface Loaded<T> {
  /** Undefined until the first answer. */
  readonly value: T | undefined;
  /** Message of the failure; empty without a failure. */
  readonly failure: string;
  /** Sends the request again. The present value stays until the new one has arrived. */
  readonly reload: () => void;
}

/** The result of a request, which is repeated when one of `inputs` changes, and when the service answers again. */
export function useLoad<T>(request: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ readonly value?: T; readonly failure: string }>({ failure: '' });
  useEffect(() => {
    let isCurrent = true;
    request().then(
      (value) => {
        if (isCurrent) setState({ value, failure: '' });
      },
      (error: unknown) => {
        if (isCurrent) setState(({ value }) => ({ ...(value !== undefined && { value }), failure: explain(error) }));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [...inputs, turn, recoveries.value]);
  return { value: state.value, failure: state.failure, reload: () => setTurn((last) => last + 1) };
}
