import { useMemo, useState } from 'preact/hooks';
import type { AreaGeometry } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { day, number, words } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { Badge, Waiting } from '../parts.tsx';
import { PERILS } from '../place/perils.ts';
import { Problem } from '../problem.tsx';
import { useClient } from '../session.ts';
import { coversMiddle, type LayerGroup, layerGroups, outlineOfLayer } from './layer-groups.ts';
import { SourceTabs } from './source-tabs.tsx';

/** The layers from which risk is assessed: what they are, and which of them answer where. */
export function LayersPane() {
  const client = useClient();
  const { content, show } = useMap();
  const found = useAnswer((signal) => client.listLayers({ signal }), []);
  const [peril, setPeril] = useState('');
  const groups = useMemo(
    () =>
      layerGroups(
        found.value?.layers.filter((one) => peril === '' || one.perils.includes(peril as never)) ?? [],
      ),
    [found.value, peril],
  );
  const showOnMap = ({ key, first }: LayerGroup): void => {
    const geometry = outlineOfLayer(first) as AreaGeometry;
    show({ chosenAreas: [{ id: key, name: first.layer, geometry }], focus: { geometries: [geometry] } });
  };
  return (
    <>
      <h1>Layers</h1>
      <SourceTabs current="layers" />
      <p class="note">
        Maps from which risk is assessed. Where several of a layer lie, the finest that has a value answers;
        those marked <em>here</em> cover the middle of the map.
      </p>
      <label class="inline">
        <span>Read for</span>
        <select value={peril} onChange={(event) => setPeril(event.currentTarget.value)}>
          <option value="">every peril</option>
          {PERILS.map((one) => (
            <option key={one} value={one}>
              {words(one)}
            </option>
          ))}
        </select>
      </label>
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="layers" />}
      <ul class="rows">
        {groups.map((group) => (
          <LayerRow
            key={group.key}
            group={group}
            isHere={content.view !== undefined && coversMiddle(group.first, content.view)}
            onShow={() => showOnMap(group)}
          />
        ))}
      </ul>
    </>
  );
}

function LayerRow(props: {
  readonly group: LayerGroup;
  readonly isHere: boolean;
  readonly onShow: () => void;
}) {
  const { first, returnPeriods } = props.group;
  const { resolution_m: metres, coverage } = first;
  const [west, south, east, north] = coverage as [number, number, number, number];
  const isGlobal = east - west > 350;
  return (
    <li>
      <span class="line">
        <strong>{words(first.layer.replaceAll('-', ' '))}</strong>
        <span class="badges">{props.isHere && <Badge kind="active">here</Badge>}</span>
      </span>
      <span class="note">
        {first.version} · {metres >= 1000 ? `${number(metres / 1000)} km` : `${number(metres)} m`} ·{' '}
        {day(first.date)}
        {returnPeriods.length > 0 && ` · every ${returnPeriods.map(number).join(', ')} years`}
        {first.unit !== '1' && ` · ${first.unit}`}
      </span>
      <small class="block">
        {first.source} ({first.licence}). For {first.perils.map((one) => one).join(', ')}.
      </small>
      <small class="block">
        {isGlobal ? 'All longitudes, ' : ''}
        {isGlobal
          ? `${south.toFixed(0)}° to ${north.toFixed(0)}°`
          : `${west.toFixed(2)}° to ${east.toFixed(2)}°, ${south.toFixed(2)}° to ${north.toFixed(2)}°`}{' '}
        <button
          type="button"
          class="quiet"
          aria-label={`Show on the map: ${first.layer} ${first.version}`}
          onClick={props.onShow}
        >
          Show on the map
        </button>
      </small>
    </li>
  );
}
