import type { Map as MapLibre, Marker } from 'maplibre-gl';
import { library } from './library.ts';
import type { PinOnMap } from './map-content.ts';

/** Distance between pins at one place [px]. */
const APART_PX = 28;
/** Decimals of a position that are compared [degrees]: pins closer than about 100 m are at one place. */
const DECIMALS = 3;

/** The numbered pins on the map. Those at one place stand in a row. */
export class Pins {
  readonly #map: MapLibre;
  #markers: Marker[] = [];

  constructor(map: MapLibre) {
    this.#map = map;
  }

  show(pins: readonly PinOnMap[]): void {
    for (const marker of this.#markers) marker.remove();
    const places = Map.groupBy(pins, ({ at }) => `${at.lng.toFixed(DECIMALS)} ${at.lat.toFixed(DECIMALS)}`);
    this.#markers = [...places.values()].flatMap((row) =>
      row.map(({ label, title, kind, href, at, onEdge }, i) => {
        const element = document.createElement('a');
        element.className = `pin ${kind}`;
        element.href = href;
        element.textContent = label;
        element.title = title;
        element.setAttribute('aria-label', `${label}: ${title}`);
        // Those at the corner of an area stand along its lower edge, away from its name.
        const offset: [number, number] = onEdge
          ? [(i - row.length + 0.5) * APART_PX, 0]
          : [(i - (row.length - 1) / 2) * APART_PX, 0];
        return new library.Marker({ element, offset }).setLngLat([at.lng, at.lat]).addTo(this.#map);
      }),
    );
  }
}
