import { InvalidInput } from '../../../base/errors.ts';
import { DAY_MS } from '../../../base/time.ts';

/** Names of the providers whose stations can be followed. */
export const PROVIDER_NAMES = ['usgs', 'ngl', 'meteostat'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** A station of a feed. The place is given where the files of the provider do not have it [degrees]. */
export interface FedStation {
  readonly key: string;
  readonly lat?: number;
  readonly lng?: number;
  /** When it was fetched last without an error: RFC 3339; absent: never. */
  readonly takenAt?: string;
}

/** A file of a station. */
export interface StationFile {
  readonly url: string;
  /** Whether the provider may have none for this period: then it is passed over. */
  readonly mayMiss: boolean;
}

/** A period of observations, by its days. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How the series of a provider are asked for, as the provider documents it. */
export interface Provider {
  readonly base: string;
  readonly metrics: readonly string[];
  /** Form of the keys of its stations, and what they are called. */
  readonly key: RegExp;
  readonly keyName: string;
  /** Files of a station with the observations of a period. */
  files(base: string, station: string, metric: string, period: Period): readonly StationFile[];
  /**
   * Column of the metric, and its unit where the provider's documentation has it and the file has not.
   * @param text the file
   */
  column(text: string, metric: string): { readonly column: string | undefined; readonly unit?: string };
  /** The file with the places of stations; undefined: the series have them. */
  readonly places?: {
    url(base: string, stations: readonly string[]): string;
    read(text: string): readonly FedStation[];
  };
}

/** Parameter codes and units of USGS: https://help.waterdata.usgs.gov/parameter_cd?group_cd=PHY */
const USGS: Readonly<Record<string, readonly [code: string, unit: string]>> = {
  river_flow: ['00060', 'ft3/s'],
  river_level: ['00065', 'ft'],
};
/** The service of instantaneous values gives at most 120 days at a time. */
const USGS_MOST_MS = 120 * DAY_MS;

/** Columns of daily data, the present name first, and their units: https://dev.meteostat.net/formats.html */
const METEOSTAT: Readonly<Record<string, readonly [columns: readonly string[], unit: string]>> = {
  temperature: [['temp', 'tavg'], 'C'],
  precipitation: [['prcp'], 'mm'],
  wind: [['wspd'], 'km/h'],
  gust: [['wpgt'], 'km/h'],
  pressure: [['pres'], 'hPa'],
  humidity: [['rhum'], '%'],
};

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  // https://waterservices.usgs.gov/docs/instantaneous-values/
  usgs: {
    base: 'https://waterservices.usgs.gov/',
    metrics: Object.keys(USGS),
    key: /^\d{8,15}$/,
    keyName: 'a site number of 8 to 15 digits',
    files: (base, station, metric, { fromMs, toMs }) => {
      const files: StationFile[] = [];
      for (let from = fromMs; from <= toMs; from += USGS_MOST_MS) {
        const to = Math.min(toMs, from + USGS_MOST_MS - DAY_MS);
        const period = `startDT=${day(from)}&endDT=${day(to)}`;
        const url = `${base}nwis/iv/?format=rdb&sites=${station}&parameterCd=${USGS[metric]![0]}&${period}`;
        files.push({ url, mayMiss: true });
      }
      return files;
    },
    column: (text, metric) => {
      const [code, unit] = USGS[metric]!;
      const header = text.split('\n').find((line) => line.startsWith('agency_cd')) ?? '';
      const column = header.split('\t').find((title) => title === code || title.trim().endsWith(`_${code}`));
      return { column: column?.trim(), unit };
    },
    places: {
      url: (base, stations) => `${base}nwis/site/?format=rdb&sites=${stations.join(',')}`,
      read: (text) => {
        const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
        const titles = lines[0]?.split('\t') ?? [];
        const [key, lat, lng] = ['site_no', 'dec_lat_va', 'dec_long_va'].map((title) =>
          titles.indexOf(title),
        );
        return lines.slice(2).flatMap((line) => {
          const fields = line.split('\t');
          return placed(fields[key!], fields[lat!], fields[lng!]);
        });
      },
    },
  },
  // http://geodesy.unr.edu/gps_timeseries/README_tenv3.txt
  ngl: {
    base: 'https://geodesy.unr.edu/',
    metrics: ['displacement', 'displacement_up', 'displacement_east', 'displacement_north'],
    key: /^[A-Z0-9]{4}$/,
    keyName: 'four capital letters or digits',
    files: (base, station) => [{ url: `${base}gps_timeseries/tenv3/IGS14/${station}.tenv3`, mayMiss: false }],
    column: () => ({ column: undefined }),
  },
  // https://dev.meteostat.net/bulk/daily.html
  meteostat: {
    base: 'https://data.meteostat.net/',
    metrics: Object.keys(METEOSTAT),
    key: /^[A-Z0-9]{5}$/,
    keyName: 'five capital letters or digits',
    files: (base, station, _metric, { fromMs, toMs }) => {
      const [first, last] = [fromMs, toMs].map((ms) => new Date(ms).getUTCFullYear());
      return Array.from({ length: last! - first! + 1 }, (_, i) => ({
        url: `${base}daily/${first! + i}/${station}.csv.gz`,
        mayMiss: true,
      }));
    },
    column: (text, metric) => {
      const [columns, unit] = METEOSTAT[metric]!;
      const titles = text.slice(0, text.indexOf('\n')).trim().split(',');
      return { column: columns.find((title) => titles.includes(title)), unit };
    },
    places: {
      url: (base) =>
        `${base === 'https://data.meteostat.net/' ? 'https://bulk.meteostat.net/' : base}v2/stations/lite.json.gz`,
      read: (text) => {
        const stations: unknown = JSON.parse(text);
        if (!Array.isArray(stations)) throw new InvalidInput('expected a list of stations');
        return (stations as { id?: string; location?: { latitude?: number; longitude?: number } }[]).flatMap(
          ({ id, location }) => placed(id, location?.latitude, location?.longitude),
        );
      },
    },
  },
};

/** A station where its place is known, else none. */
function placed(
  key: string | undefined,
  ...place: readonly (string | number | undefined)[]
): readonly FedStation[] {
  const [lat, lng] = place.map((value) => (value === undefined || value === '' ? NaN : Number(value)));
  if (key === undefined || !(Math.abs(lat!) <= 90) || !(Math.abs(lng!) <= 180)) return [];
  return [{ key, lat: lat!, lng: lng! }];
}
