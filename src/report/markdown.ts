/** Parts of Markdown that summaries for pull requests share. */
import { printableLine } from '../kernel/printable.js';
import type { Column } from '../kernel/table.js';

/**
 * Names of scenarios, paths and errors are texts of users: none of their characters makes markup, an address, a mention or a
 * reference, or ends a cell, and none changes the terminal that shows the file. GitHub and GitLab look for the last three in the finished page, where a backslash is gone: a comment
 * divides the word.
 */
export function plainMarkdown(text: string): string {
  return escapeHtml(printableLine(text.replaceAll(/[\r\n]+/g, ' ')))
    .replaceAll(/[\\`*_~[\]|#@]/g, (sign) => `\\${sign}`)
    .replaceAll(/[@#!~](?=\w)|:(?=\/\/)|\bwww(?=\.)/gi, (sign) => `${sign}<!-- -->`);
}

/** A table; an empty list without rows. The texts are escaped. */
export function writeMarkdownTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.map(plainMarkdown).join(' | ')} |`;
  const rule = columns.map(({ align }) => (align === 'right' ? ' ---: |' : ' --- |')).join('');
  return [line(columns.map(({ title }) => title)), `|${rule}`, ...rows.map(line), ''];
}

/** Lines that readers can unfold; an empty list without lines. The last one is empty. */
export function foldLines(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`<details><summary>${title}</summary>`, '', ...lines, '</details>', ''];
}

/** A text for terminals that readers can unfold. */
export function foldText(title: string, text: string): readonly string[] {
  return foldLines(title, [`<pre>${escapeHtml(text.trimEnd())}</pre>`, '']);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
