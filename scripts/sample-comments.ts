// Prints comments drawn at random from the code, each with the lines of code after it, for a reader who judges whether
// they are clear at the first reading: node scripts/sample-comments.ts [COUNT] [SEED]
import { readModules } from './house/modules.ts';

const [count = 100, seed = Date.now() % 1e6] = process.argv.slice(2).map(Number);
if (!(count > 0) || Number.isNaN(seed)) throw new RangeError('expected two numbers: COUNT and SEED');
/** Number of lines of code shown after a comment. */
const AFTER = 4;

interface Comment {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

const comments = readModules(['src', 'web', 'bench', 'scripts', 'test']).flatMap(({ path, lines }) => {
  const found: Comment[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!.trim();
    if (line.startsWith('/**') || line.startsWith('/* ')) {
      let to = at;
      while (!lines[to]!.includes('*/')) to++;
      found.push({ path, from: at, to });
      at = to;
    } else if (line.startsWith('//')) {
      let to = at;
      while (lines[to + 1]?.trim().startsWith('//')) to++;
      found.push({ path, from: at, to });
      at = to;
    } else if (/[;,{)] \/\/ /.test(line)) found.push({ path, from: at, to: at });
  }
  return found.map((comment) => ({ ...comment, lines }));
});

// A linear congruential generator, so that the same seed gives the same sample (Numerical Recipes, 1992, section 7.1).
let state = seed >>> 0;
const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;

console.log(`${count} of ${comments.length} comments, seed ${seed}\n`);
for (let drawn = 1; drawn <= count; drawn++) {
  const [{ path, from, to, lines }] = comments.splice(Math.floor(random() * comments.length), 1) as [
    (typeof comments)[number],
  ];
  console.log(`== ${drawn}. ${path}:${from + 1}`);
  console.log(`${lines.slice(from, to + 1 + AFTER).join('\n')}\n`);
}
