import type { MailContent, MailPicture, Tone } from './mail-content.ts';

/** What stands below every mail. */
export interface MailFooter {
  /** Why the recipient gets it. */
  readonly reason: string;
  /** What the link that ends the mails is called. */
  readonly stopLabel: string;
  readonly stopUrl: string;
}

/** Colour of the strip and of the kicker. Each has a contrast of at least 4.5 on white. */
const TONES: Readonly<Record<Tone, string>> = {
  plain: '#1f6f5c',
  low: '#3b6ea5',
  medium: '#8a6100',
  high: '#b3470f',
  critical: '#a8201a',
};

/**
 * Styles that mail programs without support for them may leave out: narrow screens and dark mode. Everything that the
 * layout needs stands in `style` attributes.
 */
const STYLE = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:520px){.half{display:block!important;width:100%!important;padding:0 0 12px!important}}
@media (prefers-color-scheme:dark){
.page{background:#14181a!important}.card{background:#1e2427!important}
.ink{color:#eef2f3!important}.soft{color:#a9b5ba!important}.rule{border-color:#353d41!important}
.tone{color:#9fd8c8!important}.link{color:#9cc9f5!important}
}`;

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** The plain part of a mail. */
export function plainMail(
  content: MailContent,
  pictures: readonly MailPicture[],
  { reason, stopLabel, stopUrl }: MailFooter,
): string {
  const width = Math.max(0, ...content.facts.map(([name]) => name.length));
  const blocks = [
    `${content.kicker.toUpperCase()}\n${content.title}`,
    ...content.paragraphs,
    content.facts.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${value}`).join('\n'),
    ...content.items.map(({ title, note, href }) => `- ${title}\n  ${note}\n  ${href}`),
    pictures.map(({ alt }) => `[Picture: ${alt}]`).join('\n'),
    content.action === undefined ? '' : `${content.action.label}: ${content.action.href}`,
    `-- \n${reason}\n${stopLabel}: ${stopUrl}`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** The HTML part of a mail: one column of at most 600 pixels, tables for programs that lay out nothing else. */
export function htmlMail(content: MailContent, pictures: readonly MailPicture[], footer: MailFooter): string {
  const { kicker, title, tone, paragraphs, facts, items, action } = content;
  const colour = TONES[tone];
  const rows = [
    `<p class="tone" style="margin:0 0 6px;font-size:13px;font-weight:600;letter-spacing:.04em;text-transform:uppercase;color:${colour}">${escaped(kicker)}</p>`,
    `<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600;color:#14181a">${escaped(title)}</h1>`,
    ...paragraphs.map(
      (text) =>
        `<p class="ink" style="margin:0 0 12px;font-size:15px;line-height:1.5;color:#14181a">${escaped(text)}</p>`,
    ),
    picturesHtml(pictures),
    factsHtml(facts),
    ...items.map(
      ({ title: name, note, href }) =>
        `<p class="rule" style="margin:0;padding:12px 0;border-top:1px solid #dfe5e7;font-size:15px;line-height:1.4"><a class="link" href="${escaped(href)}" style="color:#0b5cad;text-decoration:none;font-weight:600">${escaped(name)}</a><br><span class="soft" style="font-size:13px;color:#57636a">${escaped(note)}</span></p>`,
    ),
    action === undefined
      ? ''
      : `<p style="margin:20px 0 0"><a href="${escaped(action.href)}" style="display:inline-block;padding:11px 20px;border-radius:6px;background:#1f6f5c;color:#ffffff;font-size:15px;font-weight:600;text-decoration:none">${escaped(action.label)}</a></p>`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#eef2f3;${FONT}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#eef2f3">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="width:100%;max-width:600px">
<tr><td style="padding:0 4px 12px"><span class="soft" style="font-size:14px;font-weight:600;color:#57636a">Groundwatch</span></td></tr>
<tr><td class="card" style="background:#ffffff;border-radius:8px;border-top:4px solid ${colour};padding:24px">
${rows.filter((row) => row !== '').join('\n')}
</td></tr>
<tr><td style="padding:16px 4px 0"><p class="soft" style="margin:0;font-size:12px;line-height:1.5;color:#57636a">${escaped(footer.reason)} <a class="link" href="${escaped(footer.stopUrl)}" style="color:#0b5cad">${escaped(footer.stopLabel)}</a></p></td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

function picturesHtml(pictures: readonly MailPicture[]): string {
  if (pictures.length === 0) return '';
  const width = Math.floor(100 / pictures.length);
  const cells = pictures.map(
    ({ cid, alt, caption }, i) =>
      `<td class="half" width="${width}%" valign="top" style="width:${width}%;padding:0 ${i < pictures.length - 1 ? 4 : 0}px 0 ${i > 0 ? 4 : 0}px"><img src="cid:${cid}" alt="${escaped(alt)}" width="${Math.floor(552 / pictures.length) - (pictures.length > 1 ? 4 : 0)}" style="display:block;width:100%;height:auto;border-radius:4px"><span class="soft" style="display:block;padding-top:6px;font-size:13px;color:#57636a">${escaped(caption)}</span></td>`,
  );
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px"><tr>${cells.join('')}</tr></table>`;
}

function factsHtml(facts: MailContent['facts']): string {
  if (facts.length === 0) return '';
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th class="soft rule" scope="row" align="left" valign="top" style="padding:8px 12px 8px 0;border-top:1px solid #dfe5e7;font-size:14px;font-weight:400;color:#57636a;white-space:nowrap">${escaped(name)}</th><td class="ink rule" width="100%" style="padding:8px 0;border-top:1px solid #dfe5e7;font-size:14px;color:#14181a">${escaped(value)}</td></tr>`,
  );
  return `<table width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 4px;border-collapse:collapse">${rows.join('')}</table>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
