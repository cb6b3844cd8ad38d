import { rectangle, shapefileFixture } from '../../fixtures/shapefile-fixture.ts';
import { zipFixture } from '../../fixtures/zip-fixture.ts';
import type { FileSeed } from './file-seeds.ts';

/** Archives of which one file is read while it is unpacked: land polygons, and a table of EGMS. */
export function archiveSeeds(): FileSeed[] {
  const land = shapefileFixture([
    [rectangle(0, 0, 2, 2), rectangle(0.5, 0.5, 1, 1).toReversed()],
    [rectangle(3, 0, 4, 2)],
  ]);
  const points = Array.from({ length: 50 }, (_, i) => `p${i},4500000,${2_400_000 + 100 * i},${i % 7},0.2`);
  const table = Buffer.from(
    ['pid,easting,northing,mean_velocity,mean_velocity_std', ...points, ''].join('\n'),
  );
  const asLand: FileSeed['read'] = async (readers, path) => {
    await readers.land.readLand(path, 'land.shp', [-1, -1, 3, 3]);
  };
  const asMotion: FileSeed['read'] = async (readers, path) => {
    await readers.displacementPoints.readPoints(path);
  };
  return [true, false].flatMap((isPacked) => {
    const how = isPacked ? 'packed' : 'stored';
    return [
      { name: `land-${how}.zip`, bytes: zipFixture({ 'x/land.shp': land }, isPacked), read: asLand },
      { name: `motion-${how}.zip`, bytes: zipFixture({ 'EGMS_U.csv': table }, isPacked), read: asMotion },
    ];
  });
}
