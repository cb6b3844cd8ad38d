import type { Grid } from '../../geo/grid.ts';
import { InvalidInput } from '../../base/errors.ts';
import { type Polarisation, powerOf } from '../../raster/backscatter.ts';
import { ClearView } from '../../raster/quality/clear-view.ts';
import type { Rows } from '../../raster/resample.ts';
import { FIRST_BAND, type OpenBand, openBands } from './open-band.ts';
import type { RadarScene, SceneItem, SceneSource } from './scene-source.ts';

/** Maximum share of samples that contradict the declared unit (our choice). */
const MAX_CONTRARY = 0.1;

/** A radar scene. */
export type RadarItem = SceneItem & { readonly radar: RadarScene };

/** How many samples of a polarisation were seen, and were negative. */
interface Counts {
  seen: number;
  negative: number;
}

/** An open file of one polarisation. */
interface OpenPolarisation {
  readonly band: OpenBand;
  readonly counts: Counts;
}

/** What the samples of a radar scene say of its unit. It goes on when the scene is opened again. */
export class UnitCheck {
  readonly #item: RadarItem;
  readonly #counts = new Map<Polarisation, Counts>();

  constructor(item: RadarItem) {
    this.#item = item;
  }

  countsOf(polarisation: Polarisation): Counts {
    const known = this.#counts.get(polarisation) ?? { seen: 0, negative: 0 };
    this.#counts.set(polarisation, known);
    return known;
  }

  /**
   * Checks the unit, once all rows were read. Land scatters back less than it receives: gamma-0 is nearly always below
   * 1, which is negative in decibels.
   * @throws InvalidInput when the samples contradict their unit
   */
  check(): void {
    const { unit } = this.#item.radar;
    for (const { seen, negative } of this.#counts.values()) {
      const contrary = unit === 'power' ? negative : seen - negative;
      // A few bright targets or a very small window say nothing about decibels.
      const most = unit === 'power' ? MAX_CONTRARY : 1 - MAX_CONTRARY;
      if (seen === 0 || contrary <= most * seen) continue;
      const share = Math.round((100 * contrary) / seen);
      throw new InvalidInput(
        unit === 'power'
          ? `${this.#item.id}: expected linear power, as its metadata says; ${share} % of its samples are negative, as decibels are`
          : `${this.#item.id}: expected decibels, as its metadata says; ${share} % of its samples are not negative, as linear power is`,
      );
    }
  }
}

/** A radar scene whose files are open. Its rows are read strip by strip. */
export class OpenRadar {
  readonly #item: RadarItem;
  readonly #bands: ReadonlyMap<Polarisation, OpenPolarisation>;
  /** The mask of layover and shadow; null: the scene has none. */
  readonly #mask: { readonly band: OpenBand; readonly view: ClearView } | null;

  private constructor(
    item: RadarItem,
    bands: ReadonlyMap<Polarisation, OpenPolarisation>,
    mask: { readonly band: OpenBand; readonly view: ClearView } | null,
  ) {
    this.#item = item;
    this.#bands = bands;
    this.#mask = mask;
  }

  /**
   * Opens the files of a scene, whose samples `unit` counts; null if none of them overlaps the grid, or if the scene has a mask and that does not.
   * @throws the errors of the files
   */
  static async open(
    source: SceneSource,
    item: RadarItem,
    polarisations: readonly Polarisation[],
    grid: Grid,
    unit: UnitCheck,
  ): Promise<OpenRadar | null> {
    const there = polarisations.filter((one) => item.radar.polarisations[one] !== undefined);
    const { quality } = item;
    const files = there.map((one) => item.radar.polarisations[one]!);
    if (quality !== null) files.push({ ...FIRST_BAND, href: quality.href });
    const open = await openBands(source, files, grid);
    const bands = new Map<Polarisation, OpenPolarisation>();
    for (const [i, polarisation] of there.entries()) {
      const band = open[i]!;
      if (band !== null) bands.set(polarisation, { band, counts: unit.countsOf(polarisation) });
    }
    const mask = quality === null ? null : open[there.length]!;
    const view = quality === null ? null : new ClearView(quality.encoding);
    if (bands.size > 0 && (mask === null) === (view === null))
      return new OpenRadar(item, bands, mask && { band: mask, view: view! });
    await Promise.all(open.map(async (band) => band?.close()));
    return null;
  }

  /** Whether the scene has pixels in rows of the grid. */
  overlaps(rows: Rows): boolean {
    return [...this.#bands.values()].some(({ band }) => band.overlaps(rows));
  }

  /**
   * Reads some rows as linear power by polarisation, NaN where there is none and where the mask hides the ground.
   * @throws the errors of the files
   */
  async read(rows: Rows): Promise<ReadonlyMap<Polarisation, Float32Array>> {
    const [hidden, ...powers] = await Promise.all([
      this.#hidden(rows),
      // Power is averaged before it becomes decibels.
      ...[...this.#bands.values()].map((of) =>
        of.band.read(rows, 'values', (samples) => this.#toPower(of, samples)),
      ),
    ]);
    for (const pixel of hidden) for (const power of powers) power[pixel] = Number.NaN;
    return new Map([...this.#bands.keys()].map((polarisation, i) => [polarisation, powers[i]!]));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#bands.values(), this.#mask].map(async (open) => open?.band.close()));
  }

  /** Pixels of some rows that the mask hides. */
  async #hidden(rows: Rows): Promise<readonly number[]> {
    const hidden: number[] = [];
    if (this.#mask === null) return hidden;
    const { band, view } = this.#mask;
    view.hideUnclear(await band.read(rows, 'classes'), (pixel) => hidden.push(pixel));
    return hidden;
  }

  /** Converts samples of a file to linear power, and counts them for the check of the unit. */
  #toPower(of: OpenPolarisation, samples: Float32Array): void {
    const { scale, offset } = of.band;
    const isDecibels = this.#item.radar.unit === 'dB';
    for (let i = 0; i < samples.length; i++) {
      const raw = samples[i]!;
      if (!Number.isFinite(raw)) {
        samples[i] = Number.NaN;
        continue;
      }
      const value = raw * scale + offset;
      of.counts.seen++;
      if (value < 0) of.counts.negative++;
      // Some pixels of thermal noise have no power left after its subtraction. They stay part of the average.
      samples[i] = isDecibels ? powerOf(value) : value;
    }
  }
}
