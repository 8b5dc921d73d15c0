/** The error for a target that connectors may not reach. */

/** A connector may not send to its target; the message says why. */
export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED';

  constructor(message: string) {
    super(message);
    this.name = 'TargetRefused';
  }
}
