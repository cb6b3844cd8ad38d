import { useAction } from '../answer.ts';
import { Problem } from '../problem.tsx';
import { useClient } from '../session.ts';
import { FILE_FORMATS, type FileFormat, joinPages } from './joined-pages.ts';
import { saveFile } from './save-file.ts';

/** Buttons that save all items of a list as a file, in each of its formats. */
export function ExportButtons(props: {
  /** Path of the list, such as `/v1/changes`. */
  readonly list: `/v1/${string}`;
  /** What is in the list, in a word: the name of the file. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly formats?: readonly FileFormat[];
  /** Number of items of each page, where the list bounds it otherwise than other lists. */
  readonly limit?: number;
}) {
  const { list, name, query = {}, formats = ['csv', 'geojson', 'parquet'], limit = 1000 } = props;
  const client = useClient();
  const save = useAction(async (f: FileFormat) => {
    const pages: Uint8Array[] = [];
    let cursor: string | undefined;
    do {
      const { bytes, next } = await client.listFile(list, { ...query, limit, f, cursor });
      pages.push(bytes);
      cursor = next;
    } while (cursor !== undefined);
    const files = joinPages(f, pages);
    for (const [i, file] of files.entries())
      saveFile(file, FILE_FORMATS[f].media, `${name}${files.length > 1 ? `-${i + 1}` : ''}.${f}`);
  });
  return (
    <div class="export" role="group" aria-label={`Save ${name} as a file`}>
      <span>{save.busy ? 'Saving …' : `Save ${name} as`}</span>
      {formats.map((format) => (
        <button
          key={format}
          type="button"
          class="quiet"
          disabled={save.busy}
          aria-label={`Save ${name} as ${FILE_FORMATS[format].name}`}
          onClick={() => save.run(format)}
        >
          {FILE_FORMATS[format].name}
        </button>
      ))}
      <Problem error={save.error} />
    </div>
  );
}
