/** Numbers that readers often handle wrongly, as 32 bits. */
const ODD_WORDS = [
  0, 1, 2, 7, 8, 255, 256, 65_535, 65_536, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 0x0100_0000,
];

/** Pieces of text that readers often handle wrongly. */
const ODD_PIECES = [
  '\0',
  '"',
  '""',
  ',',
  '\n',
  '\r',
  '-',
  'NaN',
  '1e999',
  '-1e-999',
  '9'.repeat(400),
  ',,,,,,,,',
  '\u202e',
  '\ufeff',
  '[',
  '{',
  '}',
  ']',
  '[[[[[[[[',
  '<Item ',
  '<Item sample="0" role="scale">',
  '+proj=',
  'null',
  '2020-02-30',
  '0000-00-00',
];

/**
 * Changes a file in one to four ways: single bits and bytes, numbers of two or four bytes in both orders, and removed,
 * repeated, moved and inserted pieces.
 */
export function mutateFile(file: Buffer, random: () => number): Buffer {
  let changed: Buffer = file;
  for (let times = 1 + Math.floor(random() * 4); times > 0; times--) changed = mutateOnce(changed, random);
  return changed;
}

function mutateOnce(given: Buffer, random: () => number): Buffer {
  const file = Buffer.from(given);
  if (file.length < 8) return Buffer.from('II*\0\b\0\0\0');
  const at = Math.floor(random() * file.length);
  // Half of the changes fall on the first or the last part, where most formats have their numbers.
  const near = random() < 0.5 ? Math.floor(random() * Math.min(512, file.length)) : at;
  const far = file.length - 1 - Math.floor(random() * Math.min(768, file.length));
  const place = random() < 0.5 ? near : far;
  const how = random();
  if (how < 0.3) file[place] = file[place]! ^ (1 << Math.floor(random() * 8));
  else if (how < 0.45) file[place] = Math.floor(random() * 256);
  else if (how < 0.6) writeWord(file, place, random);
  else if (how < 0.68) return file.subarray(0, at);
  else if (how < 0.76)
    return Buffer.concat([file.subarray(0, at), file.subarray(at + Math.floor(random() * 64))]);
  else if (how < 0.84) {
    const piece = file.subarray(at, at + Math.floor(random() * 200));
    return Buffer.concat([file.subarray(0, place), piece, file.subarray(place)]);
  } else if (how < 0.9) file.copyWithin(place, at, at + Math.floor(random() * 64));
  else {
    const piece = Buffer.from(ODD_PIECES[Math.floor(random() * ODD_PIECES.length)]!);
    return Buffer.concat([file.subarray(0, at), piece, file.subarray(at)]);
  }
  return file;
}

function writeWord(file: Buffer, place: number, random: () => number): void {
  const word =
    random() < 0.7 ? ODD_WORDS[Math.floor(random() * ODD_WORDS.length)]! : Math.floor(random() * 2 ** 32);
  // Most numbers stand at even places.
  const at = Math.min(place & ~1, file.length - 4);
  const how = random();
  if (how < 0.35) file.writeUInt32LE(word, at);
  else if (how < 0.6) file.writeUInt32BE(word, at);
  else if (how < 0.85) file.writeUInt16LE(word & 0xffff, at);
  else file.writeUInt16BE(word & 0xffff, at);
}
