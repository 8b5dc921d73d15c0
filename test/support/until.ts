/** Waits for what happens outside of any clock of ours; when it never does, the test runs into its time limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
