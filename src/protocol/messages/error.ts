/** What is wrong with a message of the peer. */

/** `unknown-type`: a device ignores such a message and carries on, the cloud does not acknowledge it. */
type MessageFault = 'malformed' | 'unknown-type' | 'too-long';

/** A message cannot be read, or not be written. */
export class MessageError extends Error {
  readonly fault: MessageFault;

  constructor(fault: MessageFault, message: string) {
    super(message);
    this.name = 'MessageError';
    this.fault = fault;
  }
}
