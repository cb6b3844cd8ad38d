import { InvalidInput } from '../../base/errors.ts';
import type { Grid } from '../../geo/grid.ts';
import { projectionDefinition } from '../../geo/projection.ts';
import { memoryFile } from '../memory-file.ts';
import { readTiffFile } from '../tiff/directory.ts';
import { readGrid } from '../tiff/georeference.ts';
import type { Jp2Boxes } from './boxes.ts';

const NUMBER = String.raw`-?\d+(?:\.\d*)?(?:e[-+]?\d+)?`;

/**
 * The grid of a JP2 file, from its GeoTIFF (GeoJP2), else from its GML (GMLJP2).
 * @throws InvalidInput when it has neither, or a reference system that is not read
 */
export async function readJp2Grid(
  name: string,
  { geotiff, gml }: Jp2Boxes,
  width: number,
  height: number,
): Promise<Grid> {
  if (geotiff !== undefined) {
    const { pages } = await readTiffFile(memoryFile(geotiff), `${name} (its GeoTIFF)`);
    if (pages[0] !== undefined) return readGrid(name, pages[0], width, height);
  }
  if (gml !== undefined) return gmlGrid(name, gml, width, height);
  throw new InvalidInput(
    `${name} does not say where its pixels are; expected GeoJP2 or GMLJP2: convert it with gdal_translate, which knows further forms`,
  );
}

/** @see OGC 05-047r3 (GML in JPEG 2000): the origin is the centre of the first pixel */
function gmlGrid(name: string, gml: string, width: number, height: number): Grid {
  const code =
    /srsName="(?:urn:(?:ogc|x-ogc):def:crs:EPSG:[\d.]*:|EPSG:|http:\/\/www\.opengis\.net\/def\/crs\/EPSG\/[\d.]+\/)(\d+)"/i.exec(
      gml,
    )?.[1];
  const numbers = (pattern: RegExp): number[] =>
    (pattern.exec(gml)?.[1] ?? '').match(new RegExp(NUMBER, 'gi'))?.map(Number) ?? [];
  const origin = numbers(/<(?:\w+:)?origin\b[^]*?<(?:\w+:)?(?:pos|coordinates)[^>]*>([^<]*)</);
  const vectors = [...gml.matchAll(/<(?:\w+:)?offsetVector[^>]*>([^<]*)</g)].map(([, text]) =>
    text!
      .trim()
      .split(/[\s,]+/)
      .map(Number),
  );
  const [[ax, ay] = [], [bx, by] = []] = vectors as [number[]?, number[]?];
  const values = [origin[0], origin[1], ax, ay, bx, by];
  // Maps of the UTM have their axes to the east and the north. Others may have them the other way round.
  if (code === undefined || !/^32[67]\d\d$/.test(code) || values.some((value) => !Number.isFinite(value)))
    throw new InvalidInput(
      `${name}: expected GML with the grid of a UTM zone, got EPSG:${code ?? '?'}: convert it with gdal_translate`,
    );
  const [x, y, dx, dxy, dyx, dy] = values as [number, number, number, number, number, number];
  return {
    width,
    height,
    crs: `EPSG:${code}`,
    proj4: projectionDefinition(`EPSG:${code}`),
    transform: [x - (dx + dyx) / 2, dx, dyx, y - (dxy + dy) / 2, dxy, dy],
  };
}
