import type { LayerMeta, LayerReading } from '../assessment.ts';
import {
  curveVersionsOf,
  levelAt,
  mappedCurve,
  readCurve,
  reducedVariate,
  versionAt,
  type CurveVersion,
} from '../hazard-curve.ts';
import { candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { DRAWS } from '../predictive-draws.ts';
import { gustGrowth, inlandGust, windstormGust } from './windstorm-gust.ts';

/** Return periods [years] that every curve has; those of installed maps come in between. */
const RETURN_PERIODS = [2, 5, 10, 25, 50, 100, 250] as const;

/** Spread of windstorm gusts as a standard deviation of their logarithm [1] (ours): the inland prior and sea climate, and without a sea wind near. */
const PRIOR_LOG_SPREAD = 0.18;
const NO_SEA_LOG_SPREAD = 0.22;
/**
 * The same for installed maps: within a cell of 1 km; per tenfold coarser cell; and where one map makes the whole curve
 * (ours: so wide that nine in ten intervals hold the levels of Dutch stations, mapped from others some 25 km off; bench/calibration).
 */
const MAP_LOG_SPREAD = 0.05;
const COARSE_LOG_SPREAD = 0.03;
const SINGLE_MAP_LOG_SPREAD = 0.04;

/** The same for cyclone return levels: a constant part, and a part that falls with the root of the storms seen (ours). */
const CYCLONE_LOG_SPREAD = 0.08;
const CYCLONE_SAMPLING_SPREAD = 0.4;

/** Where a windstorm's gusts come from. */
export interface GustSource {
  /** Null for the shipped climate of sea and inland gusts. */
  readonly version: CurveVersion | null;
  readonly logSpread: number;
  /** Factor of the gusts for each draw. */
  readonly factors: Float64Array;
}

function gustSource(version: CurveVersion | null, logSpread: number): GustSource {
  return { version, logSpread, factors: DRAWS[0]!.map((z) => Math.exp(logSpread * z)) };
}

function mapLogSpread({ resolutionM, cards }: CurveVersion): number {
  const coarse = COARSE_LOG_SPREAD * Math.max(0, Math.log10(resolutionM / 1000));
  return MAP_LOG_SPREAD + coarse + (cards.length === 1 ? SINGLE_MAP_LOG_SPREAD : 0);
}

const variatesOf = (versions: readonly CurveVersion[]): readonly Float64Array[] =>
  versions.map(({ returnPeriodsYears }) => Float64Array.from(returnPeriodsYears, reducedVariate));

function isSame(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** A layer's versions, ready to be read. */
class HazardLayer {
  readonly versions: readonly CurveVersion[];
  readonly #variates: readonly Float64Array[];
  readonly curve;

  constructor(cards: readonly LayerMeta[], layer: string) {
    this.versions = curveVersionsOf(cards, layer);
    this.#variates = variatesOf(this.versions);
    this.curve = mappedCurve(this.versions);
  }

  /** Reads the curve of the finest version that has one; its index, or -1. */
  read(readings: readonly LayerReading[]): number {
    const v = versionAt(this.versions, readings);
    if (v >= 0) readCurve(this.versions[v]!, this.#variates[v]!, readings, this.curve);
    return v;
  }
}

/** Winds of both kinds of storm at a point, one for each return period; `read` fills them. */
export class StormHazard {
  /** Ascending. */
  readonly returnPeriodsYears: readonly number[];
  /** Three-second gusts of windstorms [m/s]; never falling. */
  readonly gusts: Float64Array;
  /** One-minute winds of tropical cyclones [m/s]; 0 where gales are rarer; never falling. */
  readonly winds: Float64Array;
  gustSource: GustSource;
  /** Whether gusts of some return periods were scaled from the nearest map. */
  scaledGusts = false;
  seaWindKnown = false;
  /** Whether the point has the winds of any other far from the sea, of the same source: the inland gusts, and no cyclones. */
  isFarInland = false;
  cyclonesKnown = false;
  cycloneLogSpread = 0;
  readonly #variates: Float64Array;
  readonly #inlandGusts: Float64Array;
  readonly #gust: HazardLayer;
  readonly #sea: HazardLayer;
  readonly #cyclone: HazardLayer;
  readonly #gustSources: readonly GustSource[];
  readonly #prior = gustSource(null, PRIOR_LOG_SPREAD);
  readonly #priorWithoutSea = gustSource(null, NO_SEA_LOG_SPREAD);
  /** Storm counts that belong to each version of the cyclone layer. */
  readonly #counts: readonly Candidates[];

  constructor(cards: readonly LayerMeta[]) {
    this.#gust = new HazardLayer(cards, 'gust');
    this.#sea = new HazardLayer(cards, 'sea-wind');
    this.#cyclone = new HazardLayer(cards, 'cyclone-wind');
    const mapped = [this.#gust, this.#sea, this.#cyclone].flatMap(({ versions }) =>
      versions.flatMap((version) => version.returnPeriodsYears),
    );
    this.returnPeriodsYears = [...new Set([...RETURN_PERIODS, ...mapped])].sort((a, b) => a - b);
    this.#variates = Float64Array.from(this.returnPeriodsYears, reducedVariate);
    this.#inlandGusts = this.#variates.map(inlandGust);
    this.gusts = new Float64Array(this.returnPeriodsYears.length);
    this.winds = new Float64Array(this.returnPeriodsYears.length);
    this.#gustSources = this.#gust.versions.map((version) => gustSource(version, mapLogSpread(version)));
    this.gustSource = this.#prior;
    const counts = candidatesOf(cards, 'cyclone-count');
    this.#counts = this.#cyclone.versions.map(({ version }) =>
      counts.filter((i) => cards[i]!.version === version),
    );
  }

  /** Whether a cyclone layer says anything at the point, also that there are none. */
  knowsCyclones(readings: readonly LayerReading[]): boolean {
    return versionAt(this.#cyclone.versions, readings) >= 0;
  }

  /** Winds at a point `inlandKm` (0 or more) from the sea. */
  read(readings: readonly LayerReading[], inlandKm: number): void {
    this.#readGusts(readings, inlandKm);
    const version = this.#cyclone.read(readings);
    this.cyclonesKnown = version >= 0;
    for (let i = 0; i < this.winds.length; i++) this.winds[i] = 0; // a call of `fill` costs more than so few
    this.isFarInland = this.gustSource.version === null && isSame(this.gusts, this.#inlandGusts);
    if (version < 0) return;
    const { curve } = this.#cyclone;
    // Below the most frequent map nothing is known to strike so often; above the rarest its level is held.
    for (let i = 0; i < this.winds.length; i++)
      if (this.#variates[i]! >= curve.variates[0]!) this.winds[i] = levelAt(curve, this.#variates[i]!);
    if (this.winds[this.winds.length - 1]! > 0) this.isFarInland = false;
    const storms = valueOf(readings, this.#counts[version]!);
    this.cycloneLogSpread = CYCLONE_LOG_SPREAD + CYCLONE_SAMPLING_SPREAD / Math.sqrt(storms > 1 ? storms : 1);
  }

  #readGusts(readings: readonly LayerReading[], inlandKm: number): void {
    const version = this.#gust.read(readings);
    if (version >= 0) {
      this.gustSource = this.#gustSources[version]!;
      this.#scaleMappedGusts();
      return;
    }
    this.scaledGusts = false;
    this.seaWindKnown = this.#sea.read(readings) >= 0;
    this.gustSource = this.seaWindKnown ? this.#prior : this.#priorWithoutSea;
    const { curve } = this.#sea;
    for (let i = 0; i < this.gusts.length; i++) {
      const known = this.seaWindKnown && this.#variates[i]! >= curve.variates[0]!;
      const seaWind = known ? levelAt(curve, this.#variates[i]!) : Number.NaN;
      this.gusts[i] = windstormGust(this.#inlandGusts[i]!, seaWind, inlandKm);
    }
  }

  /** Between the maps straight in the reduced variate; beyond them by the probability factor of EN 1991-1-4. */
  #scaleMappedGusts(): void {
    const { curve } = this.#gust;
    const first = curve.variates[0]!;
    const last = curve.variates[curve.count - 1]!;
    this.scaledGusts = first > this.#variates[0]! || last < this.#variates.at(-1)!;
    for (let i = 0; i < this.gusts.length; i++) {
      const variate = this.#variates[i]!;
      const nearest = Math.min(last, Math.max(first, variate));
      this.gusts[i] = levelAt(curve, variate) * gustGrowth(variate, nearest);
    }
  }
}
