/**
 * A self-contained HTML page that can be mailed and opened anywhere. It loads nothing; its content security policy allows only
 * its own style sheet and its own script, by their hashes.
 */
import { createHash } from 'node:crypto';
import { Markup, markup } from './markup.js';
import { SCRIPT } from './readout.js';
import { STYLE } from './style.js';

interface Page {
  readonly title: string;
  readonly body: Markup;
}

export function page({ title, body }: Page): string {
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

/**
 * Style sheet and script are not escaped, because that would change their hashes in the policy. They are constants, so this is
 * safe.
 */
const STYLE_SHEET = new Markup(`<style>${STYLE}</style>`);
const OWN_SCRIPT = new Markup(`<script>${SCRIPT}</script>`);
const POLICY = `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; base-uri 'none'; form-action 'none'`;

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
