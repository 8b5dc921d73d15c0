/** A self-contained HTML page. Its content security policy allows only its own style and script, by their hashes. */
import { createHash } from 'node:crypto';
import { Markup, markup } from './markup.js';
import { SCRIPT } from './readout.js';
import { STYLE } from './style.js';

interface Page {
  readonly title: string;
  readonly body: Markup;
}

export function writePage({ title, body }: Page): string {
  const whole = markup`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${STYLE_SHEET}
</head>
<body><main>
${body}
</main>${OWN_SCRIPT}</body>
</html>`;
  return `<!doctype html>\n${whole.html}\n`;
}

/** Not escaped, which would change their hashes in the policy; safe, because they are constants. */
const STYLE_SHEET = new Markup(`<style>${STYLE}</style>`);
const OWN_SCRIPT = new Markup(`<script>${SCRIPT}</script>`);
const POLICY = `default-src 'none'; style-src '${computeHash(STYLE)}'; script-src '${computeHash(SCRIPT)}'; base-uri 'none'; form-action 'none'`;

function computeHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
