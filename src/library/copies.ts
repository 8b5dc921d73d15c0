/**
 * Recognises objects of another copy of this module in the same process, as after `vi.resetModules()` or with two installations.
 * They look right, but what belongs to them is known only to the copy that made them.
 */
import { UsageError } from '../kernel/errors.js';

/** The same symbol in all copies. */
const MARK = Symbol.for('ghostfleet.made');

/** Marks an object that functions of the package accept only from their own copy. */
export function mark(made: object): void {
  Object.defineProperty(made, MARK, { value: true });
}

/** @throws UsageError `another-copy` for an object with a mark: call it for an object that this copy does not know */
export function rejectOtherCopy(name: string, given: unknown): void {
  if (typeof given !== 'object' || given === null || !(MARK in given)) return;
  throw new UsageError(
    'another-copy',
    `${name}: it was made by another copy of ghostfleet (two installations, or loaded again as by vi.resetModules)`,
    'make and use it with functions of the same import',
  );
}
