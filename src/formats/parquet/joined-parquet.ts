import type { ColumnChunk, FileMetaData, KeyValue, RowGroup } from 'hyparquet';

const MAGIC = 'PAR1';
/** Bytes of a file after its metadata: their length, and the magic. */
const TAIL_BYTES = 8;

/** Joins Parquet files of one schema, part by part. */
export interface ParquetJoiner {
  /** What a file adds to the joined one, and how many rows it has. @throws Error for a file of another schema */
  add(file: Uint8Array): { readonly bytes: Uint8Array; readonly rows: number };
  /** The end of the joined file. @throws Error when nothing was added */
  end(): Uint8Array;
}

/**
 * Joins Parquet files, such as the pages of a list. The row groups are copied as they are, without the indexes of their
 * pages, and the metadata of GeoParquet covers all of them.
 * @see https://parquet.apache.org/docs/file-format/
 */
export async function parquetJoiner(): Promise<ParquetJoiner> {
  const [{ parquetMetadata }, { ByteWriter, ParquetWriter }] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-writer'),
  ]);
  let first: FileMetaData | undefined;
  let offset = MAGIC.length;
  let rows = 0n;
  const groups: RowGroup[] = [];
  const geos: Geo[] = [];
  return {
    add(file) {
      const { buffer, byteOffset, byteLength } = file;
      const metadata = parquetMetadata(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
      const isFirst = first === undefined;
      first ??= metadata;
      if (JSON.stringify(metadata.schema) !== JSON.stringify(first.schema))
        throw new Error('the parts of the list have different columns');
      const body = file.subarray(MAGIC.length, byteLength - TAIL_BYTES - metadata.metadata_length);
      const shift = BigInt(offset - MAGIC.length);
      for (const group of metadata.row_groups) groups.push(shifted(group, shift));
      const geo = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value;
      if (geo !== undefined) geos.push(JSON.parse(geo) as Geo);
      offset += body.length;
      rows += metadata.num_rows;
      const bytes = isFirst ? Buffer.concat([Buffer.from(MAGIC), body]) : body;
      return { bytes, rows: Number(metadata.num_rows) };
    },
    end() {
      if (first === undefined) throw new Error('there are no parts to join');
      const others = first.key_value_metadata?.filter(({ key }) => key !== 'geo') ?? [];
      const kvMetadata: KeyValue[] = [
        ...others,
        ...(geos.length === 0 ? [] : [{ key: 'geo', value: JSON.stringify(joinedGeo(geos)) }]),
      ];
      const writer = new ByteWriter();
      const footer = new ParquetWriter({ writer, schema: first.schema, kvMetadata });
      footer.row_groups = groups;
      footer.num_rows = rows;
      void footer.finish(); // a writer in memory is done at once
      return new Uint8Array(writer.getBuffer()).subarray(MAGIC.length);
    },
  };
}

/** A row group that lies further back in its file. Indexes of pages hold positions in the file, so they are left out. */
function shifted(group: RowGroup, shift: bigint): RowGroup {
  return {
    columns: group.columns.map(({ file_offset, meta_data }): ColumnChunk => {
      if (meta_data === undefined) return { file_offset };
      const { bloom_filter_offset: _o, bloom_filter_length: _l, ...rest } = meta_data;
      const dictionary = meta_data.dictionary_page_offset;
      return {
        file_offset: file_offset + shift,
        meta_data: {
          ...rest,
          data_page_offset: meta_data.data_page_offset + shift,
          ...(dictionary !== undefined && { dictionary_page_offset: dictionary + shift }),
        },
      };
    }),
    total_byte_size: group.total_byte_size,
    num_rows: group.num_rows,
    ...(group.total_compressed_size !== undefined && { total_compressed_size: group.total_compressed_size }),
  };
}

/** Metadata of GeoParquet 1.1, as far as it differs between files of one schema. */
interface Geo {
  readonly columns: Readonly<Record<string, GeoColumn>>;
}

interface GeoColumn {
  readonly geometry_types: readonly string[];
  /** West, south, east, north. */
  readonly bbox?: readonly [number, number, number, number];
}

function joinedGeo(geos: readonly Geo[]): Geo {
  const columns = Object.entries(geos[0]!.columns).map(([name, column]) => {
    const all = geos.flatMap((geo) => geo.columns[name] ?? []);
    const types = new Set(all.flatMap(({ geometry_types: own }) => own));
    const boxes = all.flatMap(({ bbox }) => (bbox === undefined ? [] : [bbox]));
    const side = (i: number, of: (...all: number[]) => number): number =>
      boxes.map((box) => box[i]!).reduce((a, b) => of(a, b));
    const bbox =
      boxes.length === 0
        ? {}
        : { bbox: [side(0, Math.min), side(1, Math.min), side(2, Math.max), side(3, Math.max)] };
    return [name, { ...column, geometry_types: [...types].toSorted(), ...bbox }];
  });
  return { ...geos[0]!, columns: Object.fromEntries(columns) as Geo['columns'] };
}
