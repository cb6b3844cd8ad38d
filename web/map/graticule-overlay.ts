import type { Map as MapLibre } from 'maplibre-gl';
import { graticule } from './graticule.ts';
import { replaceData } from './source-data.ts';

/** Height of the strip at the top edge with the labels of the meridians [px]; parallels in the strip get no label. */
const TOP_PX = 30;

/** Draws meridians and parallels in the current view, with their degrees as labels along the edges of the map. */
export class GraticuleOverlay {
  readonly #map: MapLibre;
  readonly #labels: HTMLElement;

  constructor(map: MapLibre, container: HTMLElement) {
    this.#map = map;
    this.#labels = document.createElement('div');
    this.#labels.className = 'graticule';
    this.#labels.setAttribute('aria-hidden', 'true');
    container.append(this.#labels);
    map.on('move', () => this.refresh());
    map.on('resize', () => this.refresh());
  }

  refresh(): void {
    const bounds = this.#map.getBounds();
    const [west, south, east, north] = [
      bounds.getWest(),
      bounds.getSouth(),
      bounds.getEast(),
      bounds.getNorth(),
    ];
    const { meridians, parallels } = graticule(west, south, east, north);
    const line = (from: [number, number], to: [number, number]): GeoJSON.Feature => ({
      type: 'Feature',
      geometry: { type: 'LineString', coordinates: [from, to] },
      properties: {},
    });
    replaceData(this.#map, 'graticule', {
      type: 'FeatureCollection',
      features: [
        ...meridians.map(({ at }) => line([at, south], [at, north])),
        ...parallels.map(({ at }) => line([west, at], [east, at])),
      ],
    });
    const middle = this.#map.getCenter();
    this.#labels.replaceChildren(
      ...meridians.map(({ at, label }) =>
        note(label, 'meridian', `${this.#map.project([at, middle.lat]).x}px 0`),
      ),
      ...parallels
        .map(({ at, label }) => ({ label, y: this.#map.project([middle.lng, at]).y }))
        .filter(({ y }) => y > TOP_PX)
        .map(({ label, y }) => note(label, 'parallel', `0 ${y}px`)),
    );
  }
}

function note(text: string, className: string, translate: string): HTMLElement {
  const element = document.createElement('span');
  element.textContent = text;
  element.className = className;
  element.style.translate = translate;
  return element;
}
