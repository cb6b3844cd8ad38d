import { plainPage } from '../plain-page.ts';
import { escapeHtml } from '../reference/html.ts';

/** Page that says why a sign-in failed. @param console address of the console */
export function refusalPage(message: string, console: string): string {
  return plainPage({
    title: 'Groundwatch: not signed in',
    body: `<h1>Not signed in</h1>
<p>${escapeHtml(message)}</p>
<p><a href="${escapeHtml(console)}">To the console</a></p>`,
  });
}
