/**
 * Whether this tab is shown. A browser has only six connections to an origin for all tabs together (HTTP/1.1), and a stream
 * occupies one of them. So a hidden tab closes its stream of events, and resumes it when the user returns.
 */
import { signal } from '@preact/signals';

export const isShown = signal(true);

/** Time for which a hidden tab keeps its stream, in ms: users often return soon. */
export const GRACE = 3_000;

/** The members of `Document` that say whether the user can see the page. */
export interface Showable {
  readonly visibilityState: string;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
}

/** Keeps {@link isShown} up to date. A tab that is opened in the background is hidden from the beginning. */
export function followVisibility(page: Showable): void {
  let grace: ReturnType<typeof setTimeout> | undefined;
  const isVisible = () => page.visibilityState !== 'hidden';
  const hide = () => {
    isShown.value = false;
  };
  isShown.value = isVisible();
  page.addEventListener('visibilitychange', () => {
    clearTimeout(grace);
    if (isVisible()) isShown.value = true;
    else grace = setTimeout(hide, GRACE);
  });
}

/**
 * Calls `work` while the tab is shown. The signal that `work` receives is aborted when the tab is hidden, and `work` is called
 * again when the tab is shown again. Returns when `ended` is aborted, or when `work` ends by itself.
 */
export async function whileShown(ended: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  for (;;) {
    await untilShown(ended);
    if (ended.aborted) return;
    const hidden = new AbortController();
    const unsubscribe = isShown.subscribe((value) => value || hidden.abort());
    const turn = AbortSignal.any([hidden.signal, ended]);
    try {
      await work(turn);
    } finally {
      unsubscribe();
    }
    if (!turn.aborted) return;
  }
}

async function untilShown(ended: AbortSignal): Promise<void> {
  let done = () => {};
  const isDone = new Promise<void>((resolve) => {
    done = resolve;
  });
  const unsubscribe = isShown.subscribe((value) => value && done());
  ended.addEventListener('abort', done);
  if (ended.aborted) done();
  await isDone;
  unsubscribe();
  ended.removeEventListener('abort', done);
}
