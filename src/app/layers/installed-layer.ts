import { InvalidInput } from '../../base/errors.ts';
import type { LayerCard } from '../risk/layer-reader.ts';
import type { LayerRequest } from './layer-checks.ts';
import type { InstalledLayer, LayerEnvironment, LayerPiece } from './layer-shelf.ts';

/** A piece before its samples are stored. */
export type NewPiece = Omit<LayerPiece, 'file'>;

/** Returns the name of a layer version for messages: layer, version and return period. */
export function layerVersionName({ layer, version, returnPeriodYears }: LayerCard): string {
  return `${layer} ${version}${returnPeriodYears === null ? '' : ` (${returnPeriodYears} years)`}`;
}

/** Finds the installed version of a card. If no environment is given, `resolveEnvironment` chooses it. */
export function findVersion(
  layers: readonly InstalledLayer[],
  card: LayerCard,
  environment: LayerEnvironment | undefined,
): InstalledLayer | undefined {
  const same = layers.filter((layer) => isSameVersion(layer.card, card));
  const resolved = resolveEnvironment(same, environment);
  return same.find((layer) => layer.environment === resolved);
}

/**
 * Returns the requested environment. Default: `all` when one of the layers is installed for all environments and none
 * for production alone; otherwise production.
 */
export function resolveEnvironment(
  layers: readonly InstalledLayer[],
  asked: LayerEnvironment | undefined,
): LayerEnvironment {
  if (asked !== undefined) return asked;
  const serves = (home: LayerEnvironment): boolean => layers.some(({ environment }) => environment === home);
  return !serves('production') && serves('all') ? 'all' : 'production';
}

/** Whether two cards name the same layer, version and return period. */
export function isSameVersion(a: LayerCard, b: LayerCard): boolean {
  return a.layer === b.layer && a.version === b.version && a.returnPeriodYears === b.returnPeriodYears;
}

/**
 * Finds the piece of an installed version that was made from the same content as a new piece; undefined when there is
 * no such piece.
 * @throws InvalidInput when there is such a piece, and the request contradicts the card of the version
 */
export function findSamePiece(
  known: InstalledLayer,
  fresh: InstalledLayer,
  request: LayerRequest,
  piece: NewPiece,
): LayerPiece | undefined {
  const same = known.pieces.find((other) => isSameContent(other, piece));
  if (same !== undefined) checkAgrees(known, fresh, request);
  return same;
}

/**
 * Adds a piece to an installed version.
 * @throws InvalidInput when the request contradicts the card, or another piece covers the same ground
 */
export function withPiece<P extends NewPiece>(
  known: InstalledLayer,
  fresh: InstalledLayer,
  request: LayerRequest,
  piece: P,
): InstalledLayer & { readonly pieces: readonly (LayerPiece | P)[] } {
  checkAgrees(known, fresh, request);
  const rival = known.pieces.find((other) => isSameGround(other, piece));
  if (rival !== undefined) {
    throw new InvalidInput(
      `layer ${layerVersionName(known.card)} has the same ground already, with other values (from ${rival.from}): give another ` +
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

/**
 * Checks that a request agrees with the card of an installed version, which all pieces of the version share.
 * @throws InvalidInput when the request states other values
 */
function checkAgrees(known: InstalledLayer, fresh: InstalledLayer, request: LayerRequest): void {
  for (const field of ['unit', 'date', 'licence', 'source'] as const) {
    if (request[field] === undefined || fresh.card[field] === known.card[field]) continue;
    throw new InvalidInput(
      `layer ${layerVersionName(known.card)} has the ${field} ${known.card[field]}; got ${fresh.card[field]}: one version has one`,
      { param: field },
    );
  }
  if (known.interpolation !== fresh.interpolation) {
    throw new InvalidInput(
      `layer ${layerVersionName(known.card)} ${known.interpolation === 'nearest' ? 'holds classes' : 'holds no classes'}`,
      { param: 'classes' },
    );
  }
}

function isSameContent(a: NewPiece, b: NewPiece): boolean {
  return (['sha256', 'variable', 'band', 'nodata', 'scale', 'offset'] as const).every(
    (field) => a[field] === b[field],
  );
}

/** Whether two pieces have the same resolution and bounding box. Edges may differ by 1/10,000 of the longer side. */
function isSameGround(a: NewPiece, b: NewPiece): boolean {
  const [west, south, east, north] = a.coverage;
  const slack = Math.max(east - west, north - south) * 1e-4;
  return (
    a.resolutionM === b.resolutionM && a.coverage.every((edge, i) => Math.abs(edge - b.coverage[i]!) <= slack)
  );
}
