/** The path of a line to a device: local shell or downlink. */
import { computed, signal } from '@preact/signals';
import { runState } from '../../model/run.js';

/** `local`: the shell of a virtual device, which answers at once. `remote`: a downlink, which waits for the next contact. */
export type Way = 'local' | 'remote';

/** The choice of the user, which applies on all pages. */
export const chosenWay = signal<Way>('local');

/** The path in use. Without control of a run it is always `remote`, because only a run offers local shells. */
export const way = computed<Way>(() => (runState.value ? chosenWay.value : 'remote'));
