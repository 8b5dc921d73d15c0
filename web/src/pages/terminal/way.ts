/** The way that a line takes to a device. */
import { computed, signal } from '@preact/signals';
import { runState } from '../../model/run.js';

/** `local`: the shell of a virtual device, which answers at once. `remote`: a downlink, which waits for the next contact. */
export type Way = 'local' | 'remote';

/** What the user has chosen; it stays for the other pages. */
export const chosenWay = signal<Way>('local');

/** Without the control of a run, there is no local shell. */
export const way = computed<Way>(() => (runState.value ? chosenWay.value : 'remote'));
