/**
 * Waits in real time until the condition holds. If it never does, the test reaches its time limit.
 * @param pause milliseconds between two checks; longer for a check that starts a program
 */
export async function until(condition: () => boolean | Promise<boolean>, pause = 5): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, pause));
}
