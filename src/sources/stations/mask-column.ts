import { InvalidInput } from '../../base/errors.ts';
import type { PointsRequest } from '../../app/stations/points-reader.ts';
import { ClearView } from '../../raster/quality/clear-view.ts';
import { QUALITY_ENCODINGS, type QualityName } from '../../raster/quality/encodings.ts';

/**
 * Returns a function that checks in the quality column whether a line is masked, which means that the ground was not
 * visible. Returns null when the request names no quality column. Without an encoding, every number except 0 means
 * masked, as in the mask of a stack. An empty field always means masked.
 * @throws InvalidInput when the file does not have the column, or the encoding is unknown
 */
export function maskReader(
  names: readonly string[],
  { maskColumn, maskEncoding }: PointsRequest,
  name: string,
): ((fields: readonly string[], line: number) => boolean) | null {
  if (maskColumn === undefined) {
    if (maskEncoding === undefined) return null;
    throw new InvalidInput('--mask-encoding: expected together with --mask', { param: 'mask-encoding' });
  }
  const at = names.findIndex((title) => title.toLowerCase() === maskColumn.toLowerCase());
  if (at < 0)
    throw new InvalidInput(`--mask: no column ${maskColumn} in ${name}; there are ${names.join(', ')}`, {
      param: 'mask',
    });
  if (maskEncoding !== undefined && !Object.hasOwn(QUALITY_ENCODINGS, maskEncoding))
    throw new InvalidInput(
      `--mask-encoding: expected one of ${Object.keys(QUALITY_ENCODINGS).join(', ')}; got ${JSON.stringify(maskEncoding)}`,
      { param: 'mask-encoding' },
    );
  const view = maskEncoding === undefined ? null : new ClearView(maskEncoding as QualityName);
  return (fields, line) => {
    const text = fields[at]?.trim() ?? '';
    if (text === '') return true;
    const code = Number(text);
    if (!Number.isInteger(code))
      throw new InvalidInput(
        `${name}, line ${line}, column ${names[at]}: a code of quality expected, a whole number; got ${JSON.stringify(text)}`,
        { param: 'mask' },
      );
    return view === null ? code !== 0 : !view.isClear(code);
  };
}
