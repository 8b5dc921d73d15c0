/** Recognises responses that leave open whether the cloud has processed the request. */

/** @param status HTTP status of the response; 0 if there was none */
export function isUndecided(status: number): boolean {
  // After status 503, the question is not open: the cloud has not processed the request.
  return status === 0 || (status >= 500 && status !== 503);
}
