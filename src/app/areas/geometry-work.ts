import { AREA_KM2 } from '../../contract/limits.ts';
import { validateArea, type AreaProblem } from '../../geo/area-validation.ts';
import { geodesicAreaM2 } from '../../geo/area.ts';
import { type Bbox, bboxOf } from '../../geo/bbox.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { prepareArea } from '../../geo/prepared-area.ts';

/** A valid area with its measures, or the problem that makes it invalid. */
export type MeasuredArea =
  | { readonly ok: true; readonly geometry: AreaGeometry; readonly bounds: Bbox; readonly areaM2: number }
  | { readonly ok: false; readonly problem: AreaProblem };

/** One task for the geometry thread, as data that can be cloned. */
export type GeometryTask =
  | { readonly kind: 'measure'; readonly geometries: readonly unknown[] }
  | { readonly kind: 'intersect'; readonly area: AreaGeometry; readonly others: readonly AreaGeometry[] };

/** Does one task in the calling thread. */
export function geometryWork(task: GeometryTask): readonly MeasuredArea[] | readonly boolean[] {
  if (task.kind === 'intersect') {
    const area = prepareArea(task.area);
    return task.others.map((other) => area.intersects(prepareArea(other)));
  }
  return task.geometries.map(measured);
}

function measured(given: unknown): MeasuredArea {
  const checked = validateArea(given);
  if (!checked.ok) return checked;
  const geometry = checked.area;
  const areaM2 = geodesicAreaM2(geometry);
  if (areaM2 > AREA_KM2 * 1e6) {
    const [most, got] = [AREA_KM2, Math.round(areaM2 / 1e6)].map((km2) => km2.toLocaleString('en-GB'));
    const message = `expected an area of at most ${most} km², got ${got} km²; divide it`;
    return { ok: false, problem: { path: 'coordinates', message } };
  }
  return { ok: true, geometry, bounds: bboxOf(geometry), areaM2 };
}
