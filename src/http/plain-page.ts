import { createHash } from 'node:crypto';

const STYLE =
  ':root{color-scheme:light dark}body{margin:0 auto;padding:15vh 1.5rem;max-width:34rem;font:16px/1.55 system-ui,sans-serif}a{color:LinkText}code{font-family:ui-monospace,monospace}';

/** Content security policy of plain pages: allows their style sheet and nothing else. */
export const PLAIN_PAGE_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns a page that needs no console. The parts are HTML; `head` goes into its head. */
export function plainPage(parts: {
  readonly title: string;
  readonly body: string;
  readonly head?: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${parts.head ?? ''}<title>${parts.title}</title>
<style>${STYLE}</style>
</head>
<body>
${parts.body}
</body>
</html>
`;
}
