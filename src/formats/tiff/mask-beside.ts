import { access } from 'node:fs/promises';
import { InvalidInput } from '../../base/errors.ts';

/**
 * Refuses a file whose mask is in a file beside it (`NAME.tif.msk`), as GDAL writes it by default: its missing pixels
 * would count as values.
 * @throws InvalidInput
 */
export async function refuseMaskBeside(path: string, name: string): Promise<void> {
  const isThere = await access(`${path}.msk`).then(
    () => true,
    () => false,
  );
  if (isThere)
    throw new InvalidInput(
      `${name} has a mask in a file beside it (${name}.msk), which is not read; mark missing pixels by a nodata value: gdalwarp -dstnodata VALUE ${name} OUT.tif`,
    );
}
