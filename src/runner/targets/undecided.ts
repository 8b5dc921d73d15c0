/** Recognises responses that leave open whether the cloud has processed the request. */
import { ApiError, ConnectionError } from '../../client/client.js';

/** @param status HTTP status of the response; 0 if there was none */
export function isUndecided(status: number): boolean {
  // After status 503, the question is not open: the cloud has not processed the request.
  return status === 0 || (status >= 500 && status !== 503);
}

/** Whether the cloud may have processed a failed request: its answer was lost, or is not usable despite a status 2xx. */
export function isUndecidedError(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (isUndecided(error.status) || error.status < 300);
}
