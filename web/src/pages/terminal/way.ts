/** The path of a line to a device: local shell or downlink. */
import { computed, signal } from '@preact/signals';
import { hasSpacePages, runState } from '../../model/run.js';

/** `local`: the shell of a virtual device, which answers at once. `remote`: a downlink, which waits for the next contact. */
export type Way = 'local' | 'remote';

/** The choice of the user, which applies on all pages. */
export const chosenWay = signal<Way>('local');

/** The ways that there are: only a run offers local shells, and only a cloud with events shows the answers of remote ones. */
export const ways = computed<readonly Way[]>(() => [
  ...(runState.value ? ['local' as const] : []),
  ...(hasSpacePages.value ? ['remote' as const] : []),
]);

/** The path in use. */
export const way = computed<Way>(() =>
  ways.value.includes(chosenWay.value) ? chosenWay.value : (ways.value[0] ?? 'remote'),
);
