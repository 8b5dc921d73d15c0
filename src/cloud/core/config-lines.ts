/**
 * Does a reported configuration contain what a config downlink asked for? That is the only evidence that a config downlink
 * was carried out (wire protocol, 9.3).
 */

/**
 * True when every `… config <name> <value>` line of `wanted` is among the reported lines. Values are compared as the device
 * understands them: quotes do not matter, and 25 is 25.00. Lines that set no parameter are not judged.
 */
export function containsConfig(reported: readonly string[], wanted: readonly string[]): boolean {
  const present = new Map<string, string>();
  for (const line of reported) {
    const setting = readSetting(line);
    if (setting) present.set(setting.key, setting.value);
  }
  return wanted.every((line) => {
    const setting = readSetting(line);
    if (setting === undefined) return true;
    const value = present.get(setting.key);
    return value !== undefined && sameValue(value, setting.value);
  });
}

function readSetting(line: string): { readonly key: string; readonly value: string } | undefined {
  const match = /^\s*(\S+)\s+config\s+(\S+)\s+(.+?)\s*$/.exec(line);
  if (!match) return undefined;
  return { key: `${match[1]} ${match[2]}`, value: (match[3] ?? '').replace(/^(["'])(.*)\1$/, '$2') };
}

function sameValue(a: string, b: string): boolean {
  return a === b || (a !== '' && b !== '' && Number(a) === Number(b));
}
