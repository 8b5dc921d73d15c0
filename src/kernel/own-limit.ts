/** A limit of ghostfleet that an answer of a target exceeds: the target did nothing wrong. */
export class OwnLimit extends Error {
  /** For {@link codeOf}: one for each limit. */
  readonly code: string;

  /** @param message what exceeds the limit, as a short fixed text */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
