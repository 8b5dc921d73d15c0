/** A window: the period in which a fault is active. */
import { describeKey, duration, optional, valueAt } from '../../input/checks.js';
import type { MapNode, Problems } from '../../input/document.js';
import type { Instant } from '../../kernel/time.js';
import type { FaultWindow } from '../model/plan.js';

/** The keys of a window, as a part of the shape of a fault. */
export const WINDOW = {
  from: optional(describeKey('When it begins. Default: at the start.', '2h', duration), 0),
  until: optional(describeKey('When it ends. Default: at the end of the run.', '2h20m', duration), null),
};

/** Adds a problem for a window that is empty, or that begins at or after `end`. */
export function checkWindow({ from, until }: FaultWindow, node: MapNode, problems: Problems, end: Instant): void {
  if (until !== null && until <= from) problems.add(valueAt(node, 'until'), 'the fault would end before it begins');
  if (from >= end) problems.add(valueAt(node, 'from'), 'the fault would begin after the end of the scenario');
}
