import { plainPage } from '../plain-page.ts';

/**
 * Page shown at `/` while the console is not built. It reloads every five seconds, because a service that runs from a
 * checkout builds the console at startup.
 */
export const CONSOLE_ABSENT_PAGE = plainPage({
  title: 'Groundwatch',
  head: '<meta http-equiv="refresh" content="5">\n',
  body: `<h1>Groundwatch</h1>
<p>The service runs. Its console is not built yet: a service started from a checkout builds it in the background, in half a minute or so, and this page then gives way to it.</p>
<p>If it does not, <code>npm ci &amp;&amp; npm run build</code> builds it and says what is wrong.</p>
<p>Everything the console does can be done through the interface: <a href="docs">its reference</a>.</p>`,
});
