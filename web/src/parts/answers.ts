/** The answer of a shell as a terminal would show it; undefined for other bodies. */
export function answersIn(body: unknown): string | undefined {
  // Because the service describes the body of a shell answer so.
  const { responses } = ((typeof body === 'object' ? body : null) as { responses?: unknown }) ?? {};
  if (!Array.isArray(responses)) return undefined;
  return responses
    .map(({ command, result, outputs }: { command?: unknown; result?: unknown; outputs?: unknown }) => {
      const lines = Array.isArray(outputs) ? outputs.map(String) : [];
      return [`> ${String(command)}`, ...lines, ...(result === 0 ? [] : [`result ${String(result)}`])].join('\n');
    })
    .join('\n');
}
