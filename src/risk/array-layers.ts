import { sampleBilinear, sampleNearest } from '../raster/sample.ts';
import type { Explanation, LayerMeta, LayerReading, Peril } from './assessment.ts';
import { LAYER_KINDS } from './layer-kinds.ts';
import { RISK_MODELS } from './models.ts';

/** A layer as an array of values on a grid of longitudes and latitudes, with the northernmost row first. */
export interface ArrayLayer {
  /**
   * Name of the layer in `LAYER_KINDS`, such as `elevation` or `flood-depth`, which determines unit and meaning.
   */
  readonly layer: string;
  /** Return period [years], only for a map of one return period. */
  readonly returnPeriodYears?: number;
  /** Number of columns (`width`) and rows (`height`). */
  readonly width: number;
  readonly height: number;
  /** Longitude of the western edge and latitude of the northern edge [degrees]. */
  readonly west: number;
  readonly north: number;
  /** Width and height of a cell [degrees]. */
  readonly cell: readonly [width: number, height: number];
  /** `width * height` values in the unit of the layer, row by row from the north-west corner; NaN means nodata. */
  readonly values: ArrayLike<number>;
  /** Ground resolution [m]; by default the size of a cell at the equator. */
  readonly resolutionM?: number;
  /** Date that the content describes, YYYY-MM-DD; by default 2000-01-01. */
  readonly date?: string;
}

/** Assessment of a place, with the version of the model that computed it. */
export interface PlaceAssessment extends Explanation {
  readonly modelVersion: string;
}

/** Length of a degree of the equator [m]: WGS84. */
const METRES_PER_DEGREE = 111_319.49;

/**
 * Assesses one place with the model of a peril, using layers given as arrays. Layers that the model does not use
 * are ignored. Without any layer that it uses, the result is the prior of the peril with confidence 0.
 * @param place decimal degrees
 * @throws RangeError for an unknown peril, a place out of range, an unknown layer, an invalid resolution or date, a
 *   return period that is missing or not allowed, or an array whose length is not `width * height`
 */
export function assessPlace(
  peril: Peril,
  { lat, lng }: { readonly lat: number; readonly lng: number },
  layers: readonly ArrayLayer[],
): PlaceAssessment {
  if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180))
    throw new RangeError(`place ${lat}, ${lng} is out of range`);
  if (!Object.hasOwn(RISK_MODELS, peril))
    throw new RangeError(`peril: expected one of ${Object.keys(RISK_MODELS).join(', ')}, got ${peril}`);
  const model = RISK_MODELS[peril];
  for (const layer of layers) checkLayer(layer);
  const asked = layers.filter(({ layer }) => model.layers.includes(layer));
  const readings = asked.map((layer) => readingAt(layer, lat, lng));
  return {
    ...model.prepare(asked.map(metaOf)).explain(readings, lat, lng),
    modelVersion: model.modelVersion,
  };
}

function checkLayer(given: ArrayLayer): void {
  const { layer, returnPeriodYears, width, height, cell, values, resolutionM, date } = given;
  const kind = Object.hasOwn(LAYER_KINDS, layer) ? LAYER_KINDS[layer] : undefined;
  if (kind === undefined)
    throw new RangeError(`layer ${layer}: expected one of ${Object.keys(LAYER_KINDS).join(', ')}`);
  if (kind.returnPeriod === 'required' && !(returnPeriodYears! > 0))
    throw new RangeError(`layer ${layer}: expected its return period in years, got ${returnPeriodYears}`);
  if (kind.returnPeriod === 'none' && returnPeriodYears !== undefined)
    throw new RangeError(`layer ${layer} has no return period, got ${returnPeriodYears}`);
  if (!(cell[0] > 0 && cell[1] > 0))
    throw new RangeError(`layer ${layer}: expected cells of a positive size, got ${cell.join(' x ')}`);
  if (resolutionM !== undefined && !(Number.isFinite(resolutionM) && resolutionM > 0))
    throw new RangeError(`layer ${layer}: expected a resolution above 0 m, got ${resolutionM}`);
  if (date !== undefined && Number.isNaN(Date.parse(date)))
    throw new RangeError(`layer ${layer}: expected a date such as 2020-06-30, got ${date}`);
  if (values.length !== width * height)
    throw new RangeError(`layer ${layer}: expected ${width} x ${height} values, got ${values.length}`);
}

function readingAt(
  { layer, width, height, west, north, cell, values }: ArrayLayer,
  lat: number,
  lng: number,
): LayerReading {
  const east = ((((lng - west) % 360) + 360) % 360) / cell[0];
  const south = (north - lat) / cell[1];
  if (!(east <= width && south >= 0 && south <= height)) return { ok: false, reason: 'outside' };
  const sample = LAYER_KINDS[layer]!.stepwise === true ? sampleNearest : sampleBilinear;
  const value = sample({ values, width, height, nodata: null }, east, south);
  if (!Number.isFinite(value)) return { ok: false, reason: 'nodata' };
  const [lowest, highest] = LAYER_KINDS[layer]!.range;
  if (value < lowest || value > highest)
    throw new RangeError(
      `layer ${layer}: expected ${lowest} to ${highest} ${LAYER_KINDS[layer]!.unit}, got ${value}; missing values are NaN`,
    );
  return { ok: true, value };
}

function metaOf({ layer, returnPeriodYears, cell, resolutionM, date = '2000-01-01' }: ArrayLayer): LayerMeta {
  return {
    layer,
    version: 'given',
    unit: LAYER_KINDS[layer]!.unit,
    returnPeriodYears: returnPeriodYears ?? null,
    resolutionM: resolutionM ?? cell[1] * METRES_PER_DEGREE,
    date,
    licence: 'not stated',
    source: 'given as an array',
  };
}
