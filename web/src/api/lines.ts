/** Long answers of a run that have one JSON value on each line. */
import { ApiError } from '../../../src/client/client.js';

/** Yields the JSON values of such a response. @throws ApiError if the service rejects the request */
export async function* linesOf(path: string, request: RequestInit): AsyncGenerator<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { ...request, ...(request.body !== undefined && { headers }) });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ''), 'GET', path);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) return;
    const lines = (rest + piece.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}
