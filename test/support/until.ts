/**
 * Waits for what happens outside of any clock of ours; when it never does, the test runs into its time limit.
 * @param pause milliseconds between two looks: more where a look is a whole program
 */
export async function until(condition: () => boolean | Promise<boolean>, pause = 5): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, pause));
}
