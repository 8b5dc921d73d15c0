/** The schema that the first line of a file names to editors, as an address; undefined when it names none. */
export function schemaNamedIn(text: string, file: URL): string | undefined {
  const path = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1];
  return path === undefined ? undefined : new URL(path, file).href;
}
