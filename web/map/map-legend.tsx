import { useMap } from './map-content.ts';

/** The types of changes that share a colour on the map, and a name for both. */
const KINDS = [
  ['vegetation_loss', 'Vegetation loss'],
  ['burn', 'Burnt ground'],
  ['vegetation_gain', 'New vegetation'],
  ['conversion', 'Change of land use'],
  ['water_gain', 'Water gained or lost'],
  ['built_up', 'New buildings'],
  ['ground_subsidence', 'Ground sinking or rising'],
] as const;

/** Screens narrower than this begin with the legend closed [px]: the map is small there. */
const NARROW_PX = 832;

/** What the signs on the map mean. */
export function MapLegend() {
  const { content } = useMap();
  const { hasChanges, pins, stations, place } = content;
  return (
    <details class="map-legend" open={innerWidth >= NARROW_PX}>
      <summary>Legend</summary>
      <ul>
        <li>
          <i class="sign area" /> Area
        </li>
        {hasChanges &&
          KINDS.map(([type, name]) => (
            <li key={type} class={`kind ${type}`}>
              {name}
            </li>
          ))}
        {pins.length > 0 && (
          <li>
            <span class="pin high">1</span> Incident of the list; beside an area: somewhere in it
          </li>
        )}
        {stations.places.length > 0 && (
          <li>
            <i class="sign station" /> Measuring station
          </li>
        )}
        {place !== undefined && (
          <li>
            <i class="sign place" /> Chosen place
          </li>
        )}
      </ul>
    </details>
  );
}
