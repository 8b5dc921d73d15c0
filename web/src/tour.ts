/** Whether the guided tour is open, and its step. An address with `?tour` begins it; a reload of the page continues it. */
import { signal } from '@preact/signals';
import { ofTab } from './platform/storage.js';

const STEP = 'ghostfleet.tour';
const isAsked = new URLSearchParams(location.search).has('tour');

/** The step, from 0; undefined if the tour is closed. */
export const tourStep = signal<number | undefined>(isAsked ? Number(ofTab.get(STEP) ?? 0) : undefined);

/** @param step undefined closes the tour */
export function showTourStep(step: number | undefined): void {
  tourStep.value = step;
  ofTab.set(STEP, step === undefined ? undefined : String(step));
  history.replaceState(history.state, '', `${location.pathname}${step === undefined ? '' : '?tour'}${location.hash}`);
}
