/** The error for a target that connectors may not reach. A file of its own, because the guard loads the HTTP client. */

/** The connector may not send to the target. The message says why; users see it in the log of the delivery. */
export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED';

  constructor(message: string) {
    super(message);
    this.name = 'TargetRefused';
  }
}
