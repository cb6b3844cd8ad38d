import { createHash } from 'node:crypto';
import { escapeHtml } from '../reference/html.ts';

const STYLE =
  ':root{color-scheme:light dark}body{margin:0 auto;padding:15vh 1.5rem;max-width:34rem;font:16px/1.55 system-ui,sans-serif}a{color:LinkText}';

/** Allows the page's style sheet and nothing else. */
export const REFUSAL_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Page that says why a sign-in failed. @param console address of the console */
export function refusalPage(message: string, console: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Groundwatch: not signed in</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Not signed in</h1>
<p>${escapeHtml(message)}</p>
<p><a href="${escapeHtml(console)}">To the console</a></p>
</body>
</html>
`;
}
