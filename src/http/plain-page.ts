import { createHash } from 'node:crypto';

const STYLE =
  ':root{color-scheme:light dark}button{font:inherit;padding:.5rem 1.1rem}body{margin:0 auto;padding:15vh 1.5rem;max-width:34rem;font:16px/1.55 system-ui,sans-serif}a{color:LinkText}code{font-family:ui-monospace,monospace}';

const policy = (forms: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
  ].join('; ');

/** Content security policy of plain pages: allows their style sheet and nothing else. */
export const PLAIN_PAGE_CSP = policy("'none'");
/** Content security policy of plain pages with a form that is sent to this service. */
export const FORM_PAGE_CSP = policy("'self'");

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
