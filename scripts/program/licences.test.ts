import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { licencesOf } from './licences.ts';

const root = mkdtempSync(join(tmpdir(), 'groundwatch-licences-'));
after(() => rmSync(root, { recursive: true }));

function moduleOf(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(root, 'node_modules', name);
  mkdirSync(join(folder, 'lib'), { recursive: true });
  const about = JSON.stringify({ name, version: '1.2.3', license: 'MIT' });
  for (const [file, text] of Object.entries({ 'package.json': about, ...files }))
    writeFileSync(join(folder, file), text);
  return join(folder, 'lib/index.js');
}

test('each bundled package is there once, with its licence and notices', () => {
  const modules = [
    moduleOf('@some/one', { LICENSE: 'Copyright One', 'NOTICE.txt': 'Notice of One' }),
    moduleOf('two', { 'README.md': '# Two\nIt counts.\n## License\nCopyright Two' }),
    join(root, 'src/main.ts'),
  ];
  const text = licencesOf([...modules, ...modules]);
  assert.equal(text.split('Licence: MIT').length - 1, 2);
  assert.match(text, /^@some\/one 1\.2\.3\nLicence: MIT\n\nCopyright One\n\nNotice of One\n/);
  assert.match(text, /\ntwo 1\.2\.3\nLicence: MIT\n\n## License\nCopyright Two\n/);
  assert.doesNotMatch(text, /It counts/);
});

test('a package without the text of its licence is refused', () => {
  const module = moduleOf('three', { 'README.md': '# Three\nIt counts.' });
  assert.throws(() => licencesOf([module]), /three 1\.2\.3 has no text of its licence/);
});
