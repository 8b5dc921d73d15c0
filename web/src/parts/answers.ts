import { errorText } from '../../../src/protocol/errno.js';

/** The answer of a shell as a terminal would show it; undefined for other bodies. */
export function answersIn(body: unknown): string | undefined {
  // The cast is safe because every field is checked before it is used.
  const { responses } = ((typeof body === 'object' ? body : null) as { responses?: unknown }) ?? {};
  if (!Array.isArray(responses)) return undefined;
  return responses
    .map(({ command, result, outputs }: { command?: unknown; result?: unknown; outputs?: unknown }) => {
      const lines = Array.isArray(outputs) ? outputs.map(String) : [];
      return [`> ${String(command)}`, ...lines, ...resultOf(result)].join('\n');
    })
    .join('\n');
}

/** A line for the result of a command, or none for a success. The result comes from the device, so it can be any value. */
function resultOf(result: unknown): readonly string[] {
  if (result === 0) return [];
  return [typeof result === 'number' && result < 0 ? errorText(result) : `result ${String(result)}`];
}
