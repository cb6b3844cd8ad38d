const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text made safe for HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** The anchor of a heading: lower case, words joined by hyphens. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Inline CommonMark: code, strong and links to `https:`, `/` and `#`. Everything else is text. */
export function inlineHtml(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => {
      if (part.length > 2 && part.startsWith('`') && part.endsWith('`'))
        return `<code>${escapeHtml(part.slice(1, -1))}</code>`;
      return escapeHtml(part)
        .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
        .replace(/\[([^\]]+)\]\(((?:https:\/\/|\/|#)[^)\s]*)\)/g, '<a href="$2">$1</a>');
    })
    .join('');
}

const cellsOf = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => inlineHtml(cell.trim()));

function table(lines: readonly string[]): string {
  const head = cellsOf(lines[0]!).map((cell) => `<th scope="col">${cell}</th>`);
  const rows = lines.slice(2).map(
    (line) =>
      `<tr>${cellsOf(line)
        .map((cell) => `<td>${cell}</td>`)
        .join('')}</tr>`,
  );
  return `<div class="scroll"><table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function list(tag: 'ul' | 'ol', lines: readonly string[]): string {
  const items = lines.map((line) => `<li>${inlineHtml(line.replace(/^(?:-|\d+\.) /, ''))}</li>`);
  return `<${tag}>${items.join('')}</${tag}>`;
}

function block(text: string): string {
  const lines = text.split('\n');
  const heading = /^(#{2,4}) (.+)$/.exec(text);
  if (heading) {
    const level = heading[1]!.length;
    return `<h${level} id="${anchorOf(heading[2]!)}">${inlineHtml(heading[2]!)}</h${level}>`;
  }
  if (text.startsWith('```')) return `<pre><code>${escapeHtml(lines.slice(1, -1).join('\n'))}</code></pre>`;
  if (text.startsWith('|')) return table(lines);
  if (text.startsWith('- ')) return list('ul', lines);
  if (/^\d+\. /.test(text)) return list('ol', lines);
  return `<p>${inlineHtml(lines.join(' '))}</p>`;
}

/**
 * The part of CommonMark (with tables) that this service's own descriptions use, as HTML: headings from the
 * second level, paragraphs, tables, flat lists and fenced code, parted by blank lines. Raw HTML is shown as text.
 */
export function markdownHtml(text: string): string {
  const blocks: string[] = [];
  let fence: string[] | undefined;
  for (const piece of text.trim().split(/\n{2,}/)) {
    const fences = piece.match(/^```/gm)?.length ?? 0;
    if (fence) fence.push(piece);
    else if (fences % 2 === 1) fence = [piece];
    else blocks.push(block(piece));
    if (fence && fences % 2 === 1 && fence.length > 1) {
      blocks.push(block(fence.join('\n\n')));
      fence = undefined;
    }
  }
  if (fence) blocks.push(block(`${fence.join('\n\n')}\n`));
  return blocks.join('\n');
}
