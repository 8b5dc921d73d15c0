/** The order of firmware versions, as in SemVer: 3.9 < 3.10-rc1 < 3.10 = v3.10.0 = 3.10.0+build7. */

interface Version {
  readonly numbers: readonly number[];
  /** Identifiers of a pre-release, `rc` and `1` in `-rc.1`; undefined for a release. */
  readonly before: readonly string[] | undefined;
}

/** Reads `3.1`, `v3.5.1`, `v3.6.0-rc1` or `3.6.0+build7`; undefined for a text that is not a version. */
export function parseVersion(text: string): Version | undefined {
  const [, numbers, before] = /^v?(\d+(?:\.\d+)*)(?:-([\w.-]+))?(?:\+[\w.-]+)?$/.exec(text) ?? [];
  return numbers === undefined ? undefined : { numbers: numbers.split('.').map(Number), before: before?.split('.') };
}

/** Negative if `a` is older than `b`, 0 if they are equal, positive if `a` is newer. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.before === undefined || b.before === undefined) return Number(!a.before) - Number(!b.before);
  for (const [i, one] of a.before.entries()) {
    const other = b.before[i];
    if (other === undefined) return 1;
    if (one !== other) return compareIdentifiers(one, other);
  }
  return a.before.length - b.before.length;
}

/** Numbers by value and before texts; so rc10 comes before rc2, but rc.2 before rc.10. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : 1;
}
