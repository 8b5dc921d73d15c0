/** Parts of Markdown that summaries for pull requests share. */

/** Names of scenarios, paths and errors are texts of users: none of their characters makes markup or ends a cell. */
export function plainMarkdown(text: string): string {
  return escapeHtml(text.replaceAll(/[\r\n]+/g, ' ')).replaceAll(/[\\`*_[\]|#@]/g, (sign) => `\\${sign}`);
}

/** A table; an empty list without rows. The texts are escaped. */
export function writeMarkdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(plainMarkdown).join(' | ')} |`;
  return rows.length === 0 ? [] : [line(titles), `|${titles.map(() => ' --- |').join('')}`, ...rows.map(line), ''];
}

/** A text for terminals that readers can unfold. */
export function foldText(title: string, text: string): readonly string[] {
  return [`<details><summary>${title}</summary>`, '', `<pre>${escapeHtml(text.trimEnd())}</pre>`, '', '</details>', ''];
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
