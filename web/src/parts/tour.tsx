/** The guided tour: a bar below the header that explains what the page shows, and leads from page to page. */
import { useEffect, useRef } from 'preact/hooks';
import { runState } from '../model/run.js';
import { model } from '../model/space.js';
import { tourSteps } from '../model/tour.js';
import { go } from '../route.js';
import { showTourStep } from '../tour.js';

/** @param at the step, from 0 */
export function Tour({ at }: { readonly at: number }) {
  const { value: state } = runState;
  const next = useRef<HTMLButtonElement>(null);
  const { fleet } = model();
  // Reading the signal makes the tour render again when devices are listed.
  void fleet.listVersion.value;
  useEffect(() => {
    document.documentElement.dataset.tour = String(at);
    return () => delete document.documentElement.dataset.tour;
  }, [at]);
  // The button that has opened the tour is gone.
  useEffect(() => {
    if (document.activeElement === document.body) next.current?.focus();
  }, []);
  if (!state) return null;
  const steps = tourSteps(state, fleet.rows);
  const step = steps[at] ?? steps[0];
  if (!step) return null;
  const show = (n: number) => {
    showTourStep(n);
    go(...(steps[n]?.path ?? []));
    next.current?.focus();
  };
  const close = () => {
    showTourStep(undefined);
    document.getElementById('content')?.focus();
  };
  return (
    <aside class="tour" aria-label="Guided tour" onKeyDown={({ key }) => key === 'Escape' && close()}>
      <p>
        <strong aria-live="polite">{step.title}.</strong> {step.text}
      </p>
      <div class="bar">
        <span class="dim">
          {at + 1} of {steps.length}
        </span>
        {at > 0 && (
          <button type="button" onClick={() => show(at - 1)}>
            Back
          </button>
        )}
        <button type="button" ref={next} onClick={() => (at + 1 < steps.length ? show(at + 1) : close())}>
          {at + 1 < steps.length ? 'Next' : 'End the tour'}
        </button>
        {at + 1 < steps.length && (
          <button type="button" onClick={close}>
            Close the tour
          </button>
        )}
      </div>
    </aside>
  );
}
