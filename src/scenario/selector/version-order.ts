/** The order of firmware versions: 3.9 < 3.10-rc1 < 3.10 = v3.10.0. */

interface Version {
  readonly numbers: readonly number[];
  /** Label of a pre-release, `rc1`; empty for a release. */
  readonly before: string;
}

/** Reads `3.1`, `v3.5.1` or `v3.6.0-rc1`; undefined for a text that is not a version. */
export function parseVersion(text: string): Version | undefined {
  const [, numbers, before = ''] = /^v?(\d+(?:\.\d+)*)(?:-([\w.]+))?$/.exec(text) ?? [];
  return numbers === undefined ? undefined : { numbers: numbers.split('.').map(Number), before };
}

/** Negative if `a` is older than `b`, 0 if they are equal, positive if `a` is newer. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.before === b.before) return 0;
  if (a.before === '' || b.before === '') return a.before === '' ? 1 : -1;
  return a.before < b.before ? -1 : 1;
}
