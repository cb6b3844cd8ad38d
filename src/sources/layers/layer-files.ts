import { basename } from 'node:path';
import type { RasterChoice, RasterFacts } from '../../app/layers/layer-shelf.ts';
import { openLayerSource } from './layer-source.ts';
import { type BandContent, transcodeLayer } from './layer-transcoding.ts';

/** Reads the GeoTIFFs that become layers. */
export interface LayerFiles {
  /** Properties of one band of a file. @throws InvalidInput that names the file when it cannot be used */
  describe(choice: RasterChoice): Promise<Omit<RasterFacts, 'sha256'>>;
  /** Transcodes one band to the band file `path`. @throws InvalidInput as `describe` does, and for damaged blocks */
  transcode(choice: RasterChoice, path: string): Promise<BandContent>;
}

/** Reads them in this process. */
export const layerFiles: LayerFiles = {
  async describe({ path, band, nodata }) {
    const source = await openLayerSource(path, band, nodata);
    await source.file.close();
    const isNone = source.nodata === null || Number.isNaN(source.nodata);
    return { grid: source.grid, nodata: isNone ? null : source.nodata, ...source.metadata };
  },
  async transcode({ path, band, nodata }, to) {
    const source = await openLayerSource(path, band, nodata);
    try {
      return await transcodeLayer(source, to, `${basename(path)}, band ${band + 1}`);
    } finally {
      await source.file.close();
    }
  },
};
