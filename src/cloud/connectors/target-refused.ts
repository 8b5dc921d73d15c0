/** Why a connector was not allowed to reach its target. */

/** An address that connectors may not send to. */
export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED';

  constructor(message: string) {
    super(message);
    this.name = 'TargetRefused';
  }
}
