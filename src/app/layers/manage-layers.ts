import { createHash } from 'node:crypto';
import { gridCoverage, groundResolutionM } from '../../geo/grid-coverage.ts';
import { isUnitOf, type LayerKind } from '../../risk/layer-kinds.ts';
import { listModels } from '../risk/list-models.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { checkLayerRequest, checkLayerValues, type LayerRequest, refuseUnit } from './layer-request.ts';
import type {
  InstalledLayer,
  LayerEnvironment,
  LayerPiece,
  LayerShelf,
  MadeRaster,
  RasterChoice,
  ShelfFinding,
  StoredBand,
} from './layer-shelf.ts';
import type { Clock, Environment } from '../owner.ts';
import type { LayerCard } from '../risk/layer-reader.ts';

export interface LayerDeps {
  readonly clock: Clock;
  readonly shelf: LayerShelf;
  /** Present when what is added comes from the sandbox's simulated region. */
  readonly simulated?: true;
}

/** A file to install, and what is said of it. */
export interface LayerFile extends LayerRequest, RasterChoice {
  /** Value in the layer's unit = raw * scale + offset; the file's own when they are not given. */
  readonly scale?: number | undefined;
  readonly offset?: number | undefined;
  /** Whether it takes the place of all that the version had. */
  readonly replace?: boolean | undefined;
}

/** A raster made here, to be installed. */
export interface LayerRaster extends LayerRequest {
  readonly raster: MadeRaster;
  /** What it was made from. */
  readonly from: string;
  readonly replace?: boolean | undefined;
}

export interface AddedLayer {
  readonly environment: LayerEnvironment;
  readonly card: LayerCard;
  readonly piece: LayerPiece;
  /** False when the same bytes were installed so already. */
  readonly added: boolean;
  /** Whether it holds nothing but nodata, as a map's piece of open sea may. */
  readonly isEmpty: boolean;
  /** Pieces that the version now has. */
  readonly pieceCount: number;
  /** Perils whose model reads the layer. */
  readonly readBy: readonly string[];
}

/** Perils whose model asks for a layer. */
export function readersOf(layer: string): readonly string[] {
  return listModels()
    .filter((model) => model.layers.includes(layer))
    .map((model) => model.peril);
}

/** Installs one band of a GeoTIFF. @throws InvalidInput when anything is wrong with it; nothing is changed then */
export async function addLayer(deps: LayerDeps, file: LayerFile): Promise<AddedLayer> {
  const { clock, shelf } = deps;
  const addedAt = new Date(clock.now()).toISOString();
  const kind = checkLayerRequest(file, addedAt.slice(0, 10));
  const name = file.path.split(/[\\/]/).at(-1)!;
  const facts = await shelf.inspect(file);
  if (kind !== undefined && file.unit === undefined && facts.unit !== null && !isUnitOf(kind, facts.unit)) {
    refuseUnit(file.layer, kind, facts.unit);
  }
  const scale = file.scale ?? facts.scale;
  const offset = file.offset ?? facts.offset;
  if (!Number.isFinite(scale) || scale === 0 || !Number.isFinite(offset)) {
    throw new InvalidInput(`scale ${scale} and offset ${offset}: expected numbers, the scale not 0`);
  }
  const piece: NewPiece = {
    from: name,
    sha256: facts.sha256,
    band: file.band,
    nodata: facts.nodata,
    scale,
    offset,
    resolutionM: file.resolutionM ?? groundResolutionM(facts.grid),
    coverage: gridCoverage(facts.grid),
    addedAt,
  };
  return install(deps, file, kind, facts.unit, piece, async () => {
    const stored = await shelf.store(file);
    return [
      stored,
      () => checkLayerValues(name, file.layer, stored, { scale, offset }, file.nodata !== null),
    ];
  });
}

/** Installs a raster that was made here. @throws InvalidInput as `addLayer` does */
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
  return install(deps, made, kind, null, piece, async () => {
    const stored = await shelf.storeMade(made.raster);
    return [stored, () => checkLayerValues(made.from, made.layer, stored, { scale: 1, offset: 0 }, true)];
  });
}

type NewPiece = Omit<LayerPiece, 'file'>;

/** Keeps the samples; the second part checks them, once they are known. */
type Store = () => Promise<readonly [StoredBand, check: () => void]>;

async function install(
  { shelf, simulated }: LayerDeps,
  request: LayerRequest & { readonly replace?: boolean | undefined },
  kind: LayerKind | undefined,
  fileUnit: string | null,
  piece: NewPiece,
  store: Store,
): Promise<AddedLayer> {
  const { layer, version } = request;
  const returnPeriodYears = request.returnPeriodYears ?? null;
  const asked: LayerCard = {
    layer,
    version,
    returnPeriodYears,
    unit: kind?.unit ?? request.unit ?? fileUnit ?? 'not stated',
    resolutionM: piece.resolutionM,
    date: request.date ?? piece.addedAt.slice(0, 10),
    licence: request.licence ?? 'not stated',
    source: request.source ?? piece.from,
    ...(simulated && { simulated }),
  };
  const stepwise = kind === undefined ? request.classes === true : kind.stepwise === true;
  const interpolation = stepwise ? 'nearest' : 'bilinear';
  const known = mapIn(await shelf.installed(), asked, request.environment);
  const environment = known?.environment ?? request.environment ?? 'production';
  const fresh: InstalledLayer = { environment, card: asked, interpolation, pieces: [] };
  const readBy = readersOf(layer);
  if ((await shelf.shipped()).some((card) => isSameMap(card, asked))) {
    throw new InvalidInput(`layer ${nameOf(asked)} ships with the service: give another --version`);
  }
  /** What is said of a version that has the very same piece already; undefined for one that has not, or is to be replaced. */
  const heldBy = (there: InstalledLayer | undefined): AddedLayer | undefined => {
    const same = there?.pieces.find((other) => isSameContent(other, piece));
    if (there === undefined || same === undefined || request.replace === true) return undefined;
    checkAgrees(there, fresh, request);
    const { card, pieces } = there;
    return {
      environment,
      card,
      piece: same,
      added: false,
      isEmpty: false,
      pieceCount: pieces.length,
      readBy,
    };
  };
  const held = heldBy(known);
  if (held !== undefined) return held;
  // Before the work, and again when it is done: another process may have been faster.
  if (known !== undefined && request.replace !== true) joined(known, fresh, request, piece);

  const [stored, check] = await store();
  let after: InstalledLayer | undefined;
  let faster: AddedLayer | undefined;
  try {
    check();
    await shelf.update((layers) => {
      const there = mapIn(layers, asked, environment);
      faster = heldBy(there);
      if (faster !== undefined) return layers;
      const added: LayerPiece = { ...piece, file: stored.file };
      after =
        there === undefined || request.replace === true
          ? { ...fresh, pieces: [added] }
          : joined(there, fresh, request, added);
      return [...layers.filter((other) => other !== there), after];
    });
  } catch (error) {
    await shelf.discard(stored);
    throw error;
  }
  if (faster !== undefined) {
    await shelf.discard(stored);
    return faster;
  }
  const { card, pieces } = after!;
  return {
    environment,
    card,
    piece: pieces.at(-1)!,
    added: true,
    isEmpty: stored.validCount === 0,
    pieceCount: pieces.length,
    readBy,
  };
}

/** A version with one more piece. @throws InvalidInput when they do not belong together */
function joined<P extends NewPiece>(
  known: InstalledLayer,
  fresh: InstalledLayer,
  request: LayerRequest,
  piece: P,
): InstalledLayer & { readonly pieces: readonly (LayerPiece | P)[] } {
  checkAgrees(known, fresh, request);
  const rival = known.pieces.find((other) => isSameGround(other, piece));
  if (rival !== undefined) {
    throw new InvalidInput(
      `layer ${nameOf(known.card)} has the same ground already, with other values (from ${rival.from}): give another ` +
        '--version, which then answers in its place, or --replace',
    );
  }
  const resolutionM = Math.max(known.card.resolutionM, piece.resolutionM);
  return {
    ...known,
    card: { ...known.card, resolutionM },
    pieces: [...known.pieces, piece as P & LayerPiece],
  };
}

/** One version has one card. @throws InvalidInput when the user says otherwise of a further piece */
function checkAgrees(known: InstalledLayer, fresh: InstalledLayer, request: LayerRequest): void {
  for (const field of ['unit', 'date', 'licence', 'source'] as const) {
    if (request[field] === undefined || fresh.card[field] === known.card[field]) continue;
    throw new InvalidInput(
      `layer ${nameOf(known.card)} has the ${field} ${known.card[field]}; got ${fresh.card[field]}: one version has one`,
      { param: field },
    );
  }
  if (known.interpolation !== fresh.interpolation) {
    throw new InvalidInput(
      `layer ${nameOf(known.card)} ${known.interpolation === 'nearest' ? 'holds classes' : 'holds no classes'}`,
      { param: 'classes' },
    );
  }
}

/** Takes a version of a layer away from its environment: all its pieces, of one return period or of all. @throws NotFound when there is none */
export async function removeLayer(
  { shelf }: LayerDeps,
  given: {
    readonly layer: string;
    readonly version: string;
    readonly returnPeriodYears?: number | undefined;
    readonly environment?: LayerEnvironment | undefined;
  },
): Promise<readonly LayerCard[]> {
  let removed: readonly LayerCard[] = [];
  await shelf.update((layers) => {
    const named = layers.filter(
      ({ card }) =>
        card.layer === given.layer &&
        card.version === given.version &&
        (given.returnPeriodYears === undefined || card.returnPeriodYears === given.returnPeriodYears),
    );
    const environment = homeOf(named, given.environment);
    const meant = new Set(named.filter((layer) => layer.environment === environment));
    removed = [...meant].map(({ card }) => card);
    if (removed.length === 0) {
      throw new NotFound(
        `no layer ${given.layer} of version ${given.version} is installed for ${environment}: layers list tells what is`,
      );
    }
    return layers.filter((layer) => !meant.has(layer));
  });
  return removed;
}

/** Every layer there is, or that serves an environment: those installed, the last added first, then what ships. */
export async function listLayers(
  { shelf }: LayerDeps,
  only?: Environment,
): Promise<{
  readonly installed: readonly InstalledLayer[];
  readonly shipped: readonly LayerCard[];
}> {
  const serves = ({ environment }: InstalledLayer): boolean =>
    only === undefined || environment === 'all' || environment === only;
  return { installed: (await shelf.installed()).filter(serves).toReversed(), shipped: await shelf.shipped() };
}

/** Reads every served file; each finding as it comes. */
export function checkLayers({ shelf }: LayerDeps): AsyncIterable<ShelfFinding> {
  return shelf.check();
}

/** A card's name as users know it. */
export function nameOf({ layer, version, returnPeriodYears }: LayerCard): string {
  return `${layer} ${version}${returnPeriodYears === null ? '' : ` (${returnPeriodYears} years)`}`;
}

/** Which environment is meant where none is named: production, or all where only that has any of these. */
function homeOf(layers: readonly InstalledLayer[], asked: LayerEnvironment | undefined): LayerEnvironment {
  if (asked !== undefined) return asked;
  const isThere = (home: LayerEnvironment): boolean => layers.some(({ environment }) => environment === home);
  return !isThere('production') && isThere('all') ? 'all' : 'production';
}

/** The map that a request for an environment is about, if it is installed. */
function mapIn(
  layers: readonly InstalledLayer[],
  asked: LayerCard,
  environment: LayerEnvironment | undefined,
): InstalledLayer | undefined {
  const same = layers.filter(({ card }) => isSameMap(card, asked));
  const home = homeOf(same, environment);
  return same.find((layer) => layer.environment === home);
}

function isSameMap(a: LayerCard, b: LayerCard): boolean {
  return a.layer === b.layer && a.version === b.version && a.returnPeriodYears === b.returnPeriodYears;
}

function isSameContent(a: NewPiece, b: NewPiece): boolean {
  return (['sha256', 'band', 'nodata', 'scale', 'offset'] as const).every((field) => a[field] === b[field]);
}

/** Whether two pieces are maps of the very same ground, not neighbours or parts: to a ten-thousandth of their box. */
function isSameGround(a: NewPiece, b: NewPiece): boolean {
  const [west, south, east, north] = a.coverage;
  const slack = Math.max(east - west, north - south) * 1e-4;
  return (
    a.resolutionM === b.resolutionM && a.coverage.every((edge, i) => Math.abs(edge - b.coverage[i]!) <= slack)
  );
}
