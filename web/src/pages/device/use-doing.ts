import type { DeviceDoing } from '../../../../src/control/run-state.js';
import { isShown } from '../../api/shown.js';
import { runState } from '../../model/run.js';
import { model } from '../../model/space.js';
import { useLoad } from '../../parts/load.js';

/** What a device does, read again with each state of the run; undefined without a run, and for a device outside of it. */
export function useDoing(serial: string | undefined): DeviceDoing | undefined {
  const moment = isShown.value ? runState.value?.now_ms : undefined;
  const { value, failure } = useLoad(async () => {
    if (moment === undefined || serial === undefined) return undefined;
    return model().run.doing(serial);
  }, [serial, moment]);
  return failure === '' ? value : undefined;
}
