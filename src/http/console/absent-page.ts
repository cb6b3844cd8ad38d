import { createHash } from 'node:crypto';

const STYLE =
  ':root{color-scheme:light dark}body{margin:0 auto;padding:15vh 1.5rem;max-width:34rem;font:16px/1.55 system-ui,sans-serif}code{font-family:ui-monospace,monospace}';

/** Allows the page's style sheet and nothing else. */
export const CONSOLE_ABSENT_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Page shown at `/` while the console is not built. It reloads every five seconds, because a service that runs from a
 * checkout builds the console at startup.
 */
export const CONSOLE_ABSENT_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Groundwatch</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Groundwatch</h1>
<p>The service runs. Its console is not built yet: a service started from a checkout builds it in the background, in half a minute or so, and this page then gives way to it.</p>
<p>If it does not, <code>npm ci &amp;&amp; npm run build</code> builds it and says what is wrong.</p>
<p>Everything the console does can be done through the interface: <a href="docs">its reference</a>.</p>
</body>
</html>
`;
