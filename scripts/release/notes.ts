/** What CHANGELOG.md says about a version: the text of its release. */

/**
 * The section of a version, without its heading.
 * @throws Error if the changelog has no section for the version, an empty one, or lines for no version yet
 */
export function notesOf(changelog: string, version: string): string {
  const sections = new Map(
    changelog.split(/^## /m).flatMap((part): [string, string][] => {
      const [, name, text = ''] = /^\[([^\]]+)\].*\n([\s\S]*)$/.exec(part) ?? [];
      return name === undefined ? [] : [[name, text.trim()]];
    }),
  );
  if ((sections.get('Unreleased') ?? '') !== '') {
    throw new Error(`CHANGELOG.md has lines below [Unreleased]: move them below [${version}]`);
  }
  const notes = sections.get(version);
  if (notes === undefined) throw new Error(`CHANGELOG.md has no section [${version}], the version of package.json`);
  if (notes === '') throw new Error(`CHANGELOG.md says nothing about version ${version}`);
  return `${notes}\n`;
}

/** @throws Error if a tag is not that of the version */
export function checkTag(tag: string, version: string): void {
  if (tag !== `v${version}`) throw new Error(`the tag "${tag}" is not "v${version}", the version of package.json`);
}
