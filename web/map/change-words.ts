import { changeName } from '../changes/change-name.ts';
import { area, day, percent } from '../format.ts';
import type { ChangeOnMap } from './map-content.ts';

/** A change in a line: `Vegetation loss, 3.2 ha, since 11 Jun 2024, 98 % sure that it lasts`. */
export function changeInWords(change: Omit<ChangeOnMap, 'id' | 'geometry'>): string {
  const { type, area_m2: size, first_anomaly_at: since, confidence } = change;
  return `${changeName(type)}, ${area(size)}, since ${day(since)}, ${percent(confidence)} sure that it lasts`;
}
