/** The error for messages between device and cloud that cannot be read or written. */

/** `unknown-type`: a device ignores such a message; the cloud does not acknowledge it. */
type MessageFault = 'malformed' | 'unknown-type' | 'too-long';

/** A message cannot be read or written. */
export class MessageError extends Error {
  readonly fault: MessageFault;

  constructor(fault: MessageFault, message: string) {
    super(message);
    this.name = 'MessageError';
    this.fault = fault;
  }
}
