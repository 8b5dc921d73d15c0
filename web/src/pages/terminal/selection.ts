/** Reads from a run the number of devices of a selector and the control commands for them. */
import { useEffect, useState } from 'preact/hooks';
import type { Selection } from '../../../../src/control/run-state.js';
import { model } from '../../model/space.js';
import { type Loaded, useLoad } from '../../parts/load.js';
import { way } from './way.js';

/**
 * Time after the last key press before the request, in ms. It saves work of the run, which checks every device for each
 * request.
 */
const TYPING = 250;

/** @param on selector of the run; empty for no device */
export function useSelection(on: string): Loaded<Selection | undefined> {
  const [settled, settle] = useState(on);
  useEffect(() => {
    const timer = setTimeout(() => settle(on), TYPING);
    return () => clearTimeout(timer);
  }, [on]);
  const isAsked = way.value === 'local' && settled !== '';
  return useLoad(async () => (isAsked ? model().run.selection(settled) : undefined), [settled, isAsked]);
}
