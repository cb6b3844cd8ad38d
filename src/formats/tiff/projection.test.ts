import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectionOf } from '../../geo/projection.ts';
import { describedSystem, type GeoKeyValues } from './projection.ts';

/** Keys as GDAL 3.6.2 writes them for a user-defined projection on WGS84. */
const OWN: GeoKeyValues = {
  GTModelTypeGeoKey: 1,
  GTRasterTypeGeoKey: 1,
  GeographicTypeGeoKey: 4326,
  GeogAngularUnitsGeoKey: 9102,
  GeogSemiMajorAxisGeoKey: 6378137,
  GeogInvFlatteningGeoKey: 298.257223563,
  ProjectedCSTypeGeoKey: 32767,
  ProjectionGeoKey: 32767,
  ProjLinearUnitsGeoKey: 9001,
  ProjFalseEastingGeoKey: 0,
  ProjFalseNorthingGeoKey: 0,
};
const CODE = { GTModelTypeGeoKey: 1, GTRasterTypeGeoKey: 1 };
const POLAR = { ...OWN, ProjCoordTransGeoKey: 15, ProjScaleAtNatOriginGeoKey: 1 };
const READ: readonly [string, GeoKeyValues, number | null, readonly number[], readonly number[]][] = [
  [
    'State Plane of North Carolina in US survey feet, by its code',
    { ...CODE, ProjectedCSTypeGeoKey: 2264, ProjLinearUnitsGeoKey: 9003 },
    2264,
    [2_118_612.840444266, 746_335.5167520428],
    [-78.6, 35.8],
  ],
  [
    'State Plane of Arizona in feet, by its code',
    { ...CODE, ProjectedCSTypeGeoKey: 2222, ProjLinearUnitsGeoKey: 9002 },
    2222,
    [473_169.1644768339, 437_264.7551218146],
    [-110.9, 32.2],
  ],
  [
    'a map of its own in kilometres',
    {
      ...OWN,
      ProjCoordTransGeoKey: 10,
      ProjCenterLongGeoKey: 10,
      ProjCenterLatGeoKey: 52,
      ProjFalseEastingGeoKey: 4321,
      ProjFalseNorthingGeoKey: 3210,
      ProjLinearUnitsGeoKey: 9036,
    },
    null,
    [4327.883081134396, 3198.8780701581286],
    [10.1, 51.9],
  ],
  [
    'NSIDC South Polar Stereographic, by its code',
    { ...CODE, ProjectedCSTypeGeoKey: 3976 },
    3976,
    [1_500_000, -800_000],
    [118.072486935853, -74.4000164555533],
  ],
  [
    'polar stereographic, true at 60 N',
    { ...POLAR, ProjNatOriginLatGeoKey: 60, ProjStraightVertPoleLongGeoKey: 10 },
    null,
    [1_000_000, -2_500_000],
    [31.8014094863518, 64.5728326877647],
  ],
  [
    'polar stereographic, scale 0.97 at the pole',
    {
      ...POLAR,
      ProjNatOriginLatGeoKey: 90,
      ProjScaleAtNatOriginGeoKey: 0.97,
      ProjStraightVertPoleLongGeoKey: -45,
    },
    null,
    [1_000_000, -2_500_000],
    [-23.1985905136482, 65.5122739679536],
  ],
  [
    'Mercator, true at 8 S',
    { ...OWN, ProjCoordTransGeoKey: 7, ProjStdParallel1GeoKey: -8, ProjNatOriginLongGeoKey: 0 },
    null,
    [-3_800_000, -900_000],
    [-34.469219689524, -8.19037037632043],
  ],
  [
    'equidistant cylindrical, true at 10 N',
    { ...OWN, ProjCoordTransGeoKey: 17, ProjStdParallel1GeoKey: 10, ProjCenterLongGeoKey: 0 },
    null,
    [-3_800_000, -900_000],
    [-34.6625833236293, -8.08483755707569],
  ],
  [
    'NSIDC EASE-Grid Global, by its code',
    { ...CODE, ProjectedCSTypeGeoKey: 3975 },
    3975,
    [-3_800_000, -900_000],
    [-39.3838376826087, -7.07223604634163],
  ],
  [
    'Web Mercator as GDAL writes it, without a code',
    {
      ...OWN,
      ProjCoordTransGeoKey: 7,
      ProjNatOriginLongGeoKey: 0,
      ProjNatOriginLatGeoKey: 0,
      ProjScaleAtNatOriginGeoKey: 1,
      GTCitationGeoKey: 'WGS 84 / Pseudo-Mercator',
      PCSCitationGeoKey: 'ESRI PE String = PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",...]',
    },
    null,
    [-3_800_000, 6_400_000],
    [-34.1359807965418, 49.732048324445],
  ],
  [
    'GGRS87 / Greek Grid, 325 m from WGS84 on an ellipsoid of the same size',
    { ...CODE, ProjectedCSTypeGeoKey: 2100 },
    2100,
    [400_000, 4_200_000],
    [22.8635935156965, 37.9446968057064],
  ],
  [
    'Long Island in US survey feet, by its code and without a unit',
    { ...CODE, ProjectedCSTypeGeoKey: 2263 },
    2263,
    [984_250.0000000001, 194_305.3389411525],
    [-74, 40.7],
  ],
  [
    'DHDN / Gauss-Krueger zone 3',
    { ...CODE, ProjectedCSTypeGeoKey: 31467 },
    31467,
    [3_500_074.525405575, 5_540_407.107229995],
    [9, 50],
  ],
  [
    'RT90 2.5 gon V',
    { ...CODE, ProjectedCSTypeGeoKey: 3021 },
    3021,
    [1_500_000, 6_500_000],
    [15.8051779232196, 58.6226133797263],
  ],
  [
    'Pulkovo 1942 / Gauss-Kruger zone 4',
    { ...CODE, ProjectedCSTypeGeoKey: 28404 },
    28404,
    [4_501_000, 6_199_000],
    [21.013920412, 55.912876943],
  ],
  [
    'VN-2000 / UTM zone 48N',
    { ...CODE, ProjectedCSTypeGeoKey: 3405 },
    3405,
    [500_000, 2_300_000],
    [105.001881649656, 20.7989018263855],
  ],
];

for (const [what, keys, code, [x, y], [lng, lat]] of READ) {
  test(`gdaltransform (PROJ 9.1): ${what}`, () => {
    const { definition, metresPerUnit: m } = describedSystem('map.tif', keys, code);
    const found = projectionOf(definition).toLngLat(x! * m, y! * m);
    assert.ok(
      Math.abs(found[0] - lng!) < 1e-6 && Math.abs(found[1] - lat!) < 1e-6,
      `${found.join(' ')} instead of ${lng} ${lat}`,
    );
  });
}

test('a projection without keys is not read as degrees, and one that proj4js computes differently is refused by name', () => {
  const { ProjectedCSTypeGeoKey: _, ProjectionGeoKey: _method, ...rest } = OWN;
  assert.throws(
    () => describedSystem('moll.tif', { ...rest, GTModelTypeGeoKey: 32767 }, null),
    /moll\.tif .*its own parameters: a projection that GeoTIFF has no key for\); warp it/,
  );
  assert.throws(
    () => describedSystem('miller.tif', { ...OWN, ProjCoordTransGeoKey: 20, ProjCenterLongGeoKey: 0 }, null),
    /miller\.tif .*the projection mill\); warp it/,
  );
  // Hartebeesthoek94 / Lo19. If it were read as an ordinary transverse Mercator, positions would be wrong by 7,000 km.
  const south = /lo19\.tif .*axes to the west and the south\); warp it/;
  assert.throws(() => describedSystem('lo19.tif', { ...CODE, ProjectedCSTypeGeoKey: 2048 }, 2048), south);
  assert.throws(
    () =>
      describedSystem(
        'lo19.tif',
        { ...OWN, ProjCoordTransGeoKey: 27, ProjNatOriginLongGeoKey: 19, ProjNatOriginLatGeoKey: 0 },
        null,
      ),
    south,
  );
});
