/** Answers that do not show whether a cloud has carried a request out. */

/** @param status HTTP status of the answer; 0: there was none */
export function isUndecided(status: number): boolean {
  // With 503, the cloud says that it has not.
  return status === 0 || (status >= 500 && status !== 503);
}
