import { createHash } from 'node:crypto';
import { gridCoverage, groundResolutionM } from '../../geo/grid-coverage.ts';
import { factorTo, isUnitOf, type LayerKind } from '../../risk/layer-kinds.ts';
import { perilsReading } from '../risk/list-models.ts';
import { InvalidInput } from '../../base/errors.ts';
import { hiddenCharacter, NAME_RULE } from '../../contract/name-text.ts';
import { fileName } from './file-name.ts';
import {
  findSamePiece,
  findVersion,
  isSameVersion,
  layerVersionName,
  type NewPiece,
  withPiece,
} from './installed-layer.ts';
import {
  checkLayerRequest,
  checkLayerValues,
  type LayerRequest,
  type MapValues,
  mapValues,
  refuseUnusual,
  refuseUnit,
} from './layer-checks.ts';
import { eventLikeGusts, refuseFootprint } from './event-footprint.ts';
import { ANY_INLAND_GUST_50_MPS, inlandGustRatio } from '../../risk/storm/windstorm-gust.ts';
import { reducedVariate } from '../../risk/hazard-curve.ts';
import type {
  InstalledLayer,
  LayerEnvironment,
  LayerPiece,
  LayerShelf,
  MadeRaster,
  RasterChoice,
  StoredBand,
} from './layer-shelf.ts';
import type { Clock } from '../clock.ts';
import type { LayerCard } from '../risk/layer-reader.ts';

export interface LayerDeps {
  readonly clock: Clock;
  readonly shelf: LayerShelf;
  /** Present when the added layers come from the sandbox's simulated region. */
  readonly simulated?: true;
}

/** One band of a file to install, and the values for the card of its layer. */
export interface LayerFile extends LayerRequest, RasterChoice {
  /** Value in the layer's unit = raw * scale + offset. Default: the scale and offset of the file. */
  readonly scale?: number | undefined;
  readonly offset?: number | undefined;
}

/** A raster made by the service, to install. */
export interface LayerRaster extends LayerRequest {
  readonly raster: MadeRaster;
  /** Name of the source of the raster: a file, or the simulated region. */
  readonly from: string;
}

export interface AddedLayer {
  readonly environment: LayerEnvironment;
  readonly card: LayerCard;
  readonly piece: LayerPiece;
  /** False when the version already had a piece with the same content. */
  readonly added: boolean;
  /** Whether the new piece contains only nodata, as a tile of open sea may. */
  readonly isEmpty: boolean;
  /** Why the values look like those of one event; undefined when they do not, and for layers made by the service. */
  readonly eventLike?: string | undefined;
  /** Values of the new piece [unit of the layer]; undefined where none was stored. */
  readonly values?: MapValues | undefined;
  /** Pieces of the version after the call. */
  readonly pieceCount: number;
  /** Perils whose model reads the layer. */
  readonly readBy: readonly string[];
}

/**
 * Installs one band of a GeoTIFF, of an image in JPEG 2000, or of a variable of NetCDF, HDF5 or Zarr.
 * @throws InvalidInput when the file or the request is invalid; nothing is changed then
 */
export async function addLayer(deps: LayerDeps, file: LayerFile): Promise<AddedLayer> {
  const { clock, shelf } = deps;
  const addedAt = new Date(clock.now()).toISOString();
  const kind = checkLayerRequest(file, addedAt.slice(0, 10));
  const name = fileName(file.path);
  const facts = await shelf.inspect(file);
  if (kind !== undefined && file.unit === undefined && facts.unit !== null && !isUnitOf(kind, facts.unit)) {
    refuseUnit(file.layer, kind, facts.unit);
  }
  refuseFootprint(file, [name, file.version, file.source, facts.description]);
  const factor = kind === undefined || file.unit === undefined ? 1 : factorTo(kind, file.unit)!;
  const scale = (file.scale ?? facts.scale) * factor;
  const offset = (file.offset ?? facts.offset) * factor;
  if (!Number.isFinite(scale) || scale === 0 || !Number.isFinite(offset)) {
    throw new InvalidInput(`scale ${scale} and offset ${offset}: expected numbers, the scale not 0`);
  }
  const piece: NewPiece = {
    from: name,
    sha256: facts.sha256,
    band: file.band ?? 0,
    ...(file.variable !== undefined && { variable: file.variable }),
    nodata: facts.nodata,
    scale,
    offset,
    resolutionM: file.resolutionM ?? groundResolutionM(facts.grid),
    coverage: gridCoverage(facts.grid),
    addedAt,
  };
  let eventLike: string | undefined;
  let values: MapValues | undefined;
  const added = await install(deps, file, piece, versionOf(deps, file, kind, facts.unit, piece), async () => {
    const stored = await shelf.store(file);
    eventLike = eventLikeness(file, stored, scale, offset);
    values = mapValues(stored, { scale, offset });
    const check = (): void => {
      checkLayerValues(name, file.layer, stored, { scale, offset }, file.nodata !== null);
      const sample = (stored.sample ?? []).map((raw) => raw * scale + offset);
      if (file.keepDoubtful !== true) refuseUnusual(name, file.layer, sample);
    };
    return [stored, check];
  });
  return { ...added, eventLike, values };
}

/** Why the values of a gust map look like those of one event. */
function eventLikeness(
  { layer, returnPeriodYears, keepDoubtful }: LayerFile,
  { validCount, lowest, highest }: StoredBand,
  scale: number,
  offset: number,
): string | undefined {
  const isJudged = layer === 'gust' && keepDoubtful !== true && validCount > 0;
  if (!isJudged || returnPeriodYears === undefined || !(returnPeriodYears > 1)) return undefined;
  const [least, most] = [lowest, highest].map((raw) => raw * scale + offset) as [number, number];
  const usual = ANY_INLAND_GUST_50_MPS * inlandGustRatio(reducedVariate(returnPeriodYears));
  return eventLikeGusts(least, most, returnPeriodYears, usual);
}

/** Installs a raster made by the service. @throws InvalidInput in the same cases as `addLayer` */
export async function addMadeLayer(deps: LayerDeps, made: LayerRaster): Promise<AddedLayer> {
  const { clock, shelf } = deps;
  const addedAt = new Date(clock.now()).toISOString();
  const kind = checkLayerRequest(made, addedAt.slice(0, 10));
  const { grid, samples } = made.raster;
  const piece: NewPiece = {
    from: made.from,
    sha256: createHash('sha256')
      .update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
      .digest('hex'),
    band: 0,
    nodata: null,
    scale: 1,
    offset: 0,
    resolutionM: made.resolutionM ?? groundResolutionM(grid),
    coverage: gridCoverage(grid),
    addedAt,
  };
  let values: MapValues | undefined;
  const added = await install(deps, made, piece, versionOf(deps, made, kind, null, piece), async () => {
    const stored = await shelf.storeMade(made.raster);
    values = mapValues(stored, { scale: 1, offset: 0 });
    return [stored, () => checkLayerValues(made.from, made.layer, stored, { scale: 1, offset: 0 }, true)];
  });
  return { ...added, values };
}

/** A version of a layer as a request describes it, without its environment and its pieces. */
type DescribedVersion = Omit<InstalledLayer, 'environment' | 'pieces'>;

function versionOf(
  { simulated }: LayerDeps,
  request: LayerRequest,
  kind: LayerKind | undefined,
  fileUnit: string | null,
  piece: NewPiece,
): DescribedVersion {
  const stepwise = kind === undefined ? request.classes === true : kind.stepwise === true;
  const texts = {
    unit: kind?.unit ?? request.unit ?? fileUnit ?? 'not stated',
    licence: request.licence ?? 'not stated',
    source: request.source ?? piece.from,
  };
  for (const [param, text] of Object.entries(texts)) {
    const hidden = hiddenCharacter(text);
    if (hidden !== undefined)
      throw new InvalidInput(`${param}: expected ${NAME_RULE}, got ${hidden}`, { param });
  }
  return {
    card: {
      layer: request.layer,
      version: request.version,
      returnPeriodYears: request.returnPeriodYears ?? null,
      unit: texts.unit,
      resolutionM: piece.resolutionM,
      date: request.date ?? piece.addedAt.slice(0, 10),
      licence: texts.licence,
      source: texts.source,
      ...(simulated && { simulated }),
    },
    interpolation: stepwise ? 'nearest' : 'bilinear',
  };
}

/** Stores samples. Returns the stored band and a function that checks its values. */
type Store = () => Promise<readonly [StoredBand, check: () => void]>;

/** Stores a piece and adds it to its version, unless the version already has the same content. */
async function install(
  { shelf }: LayerDeps,
  request: LayerRequest,
  piece: NewPiece,
  described: DescribedVersion,
  store: Store,
): Promise<AddedLayer> {
  const { card } = described;
  const known = findVersion(await shelf.installed(), card, request.environment);
  const environment = known?.environment ?? request.environment ?? 'production';
  const fresh: InstalledLayer = { environment, ...described, pieces: [] };
  await refuseShipped(shelf, card);
  const isReplaced = request.replace === true;
  const unchanged = (there: InstalledLayer | undefined): AddedLayer | undefined => {
    const same = there && !isReplaced ? findSamePiece(there, fresh, request, piece) : undefined;
    return same && report(there!, same, { added: false, isEmpty: false });
  };
  const before = unchanged(known);
  if (before !== undefined) return before;
  // Checked here before the samples are stored, and again in the update, because another process may have added a
  // piece meanwhile.
  if (known !== undefined && !isReplaced) withPiece(known, fresh, request, piece);

  const [stored, check] = await store();
  let result: AddedLayer | undefined;
  try {
    check();
    await shelf.update((layers) => {
      const there = findVersion(layers, card, environment);
      result = unchanged(there);
      if (result !== undefined) return layers;
      const added: LayerPiece = { ...piece, file: stored.file };
      const after =
        there === undefined || isReplaced
          ? { ...fresh, pieces: [added] }
          : withPiece(there, fresh, request, added);
      result = report(after, added, { added: true, isEmpty: stored.validCount === 0 });
      return [...layers.filter((other) => other !== there), after];
    });
  } catch (error) {
    await shelf.discard(stored);
    throw error;
  }
  if (!result!.added) await shelf.discard(stored);
  return result!;
}

/** @throws InvalidInput when a version of that name ships with the service */
async function refuseShipped(shelf: LayerShelf, card: LayerCard): Promise<void> {
  if ((await shelf.shipped()).some((other) => isSameVersion(other, card))) {
    throw new InvalidInput(`layer ${layerVersionName(card)} ships with the service: give another --version`);
  }
}

function report(
  { environment, card, pieces }: InstalledLayer,
  piece: LayerPiece,
  outcome: Pick<AddedLayer, 'added' | 'isEmpty'>,
): AddedLayer {
  return {
    environment,
    card,
    piece,
    ...outcome,
    pieceCount: pieces.length,
    readBy: perilsReading(card.layer),
  };
}
