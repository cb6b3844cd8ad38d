import { useEffect, useState } from 'preact/hooks';
import type { Layer, LayerTiles, RiskTiles } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { number, words } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { useClient, useSession } from '../session.ts';
import { PERILS } from './perils.ts';

/** Unit of layers of classes, of which there are no tiles. */
const CLASSES = 'class';

/** Chooses what is shown around the place, the risk of a peril or a layer behind it, and says what its colours mean. */
export function RiskMapChoice() {
  return useSession().scopes.includes('risk:read') ? <Choice /> : null;
}

/** Value of the choice: `risk/{peril}` or `layers/{layer}`, the path of the tiles; '' for nothing. */
type Chosen = string;

function Choice() {
  const client = useClient();
  const { scopes } = useSession();
  const { show } = useMap();
  const [chosen, setChosen] = useState<Chosen>('risk/flood');
  const layers = useAnswer(
    (signal) =>
      scopes.includes('feeds:read') ? client.listLayers({ signal }) : Promise.resolve({ layers: [] }),
    [],
  );
  const found = useAnswer<RiskTiles | LayerTiles | undefined>(
    (signal) => {
      const [kind, name] = chosen.split('/');
      const peril = PERILS.find((one) => one === name);
      if (kind === 'risk' && peril !== undefined) return client.getRiskTiles(peril, { signal });
      return name === undefined ? Promise.resolve(undefined) : client.getLayerTiles(name, {}, { signal });
    },
    [chosen],
  );
  const described = found.value;
  useEffect(() => {
    if (chosen === '') show({ riskMap: undefined });
    else if (described !== undefined) {
      const { minzoom, maxzoom } = described;
      show({ riskMap: { path: chosen, bounds: undefined, minzoom, maxzoom } });
    }
    return () => show({ riskMap: undefined });
  }, [chosen, described]);
  return (
    <div class="risk-map">
      <label class="inline">
        <span>Map of</span>
        <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          {PERILS.map((one) => (
            <option key={one} value={`risk/${one}`}>
              {words(one)} risk
            </option>
          ))}
          <optgroup label="Layers behind the risk" hidden={layers.value === undefined}>
            {layersOf(layers.value?.layers ?? []).map((layer) => (
              <option key={layer} value={`layers/${layer}`}>
                {words(layer.replaceAll('-', '_'))}
              </option>
            ))}
          </optgroup>
          <option value="">nothing</option>
        </select>
      </label>
      {described && chosen !== '' && <Colours of={described} />}
    </div>
  );
}

/** What the colours of a risk map or layer mean. */
function Colours({ of }: { readonly of: RiskTiles | LayerTiles }) {
  const { min, max, colours } = of.legend;
  const unit = 'unit' in of && of.unit !== '1' ? ` ${of.unit}` : '';
  return (
    <div class="legend">
      <span>{number(min)}</span>
      <span
        class="ramp"
        style={{ background: `linear-gradient(to right, ${colours.join(', ')})` }}
        role="img"
        aria-label={
          'unit' in of
            ? `Colours of values from ${number(min)} to ${number(max)}${unit}`
            : 'Colours of scores from 0 to 1'
        }
      />
      <span>
        {number(max)}
        {unit}
      </span>
      <small>{'unit' in of ? noteOf(of) : 'faint: little confidence'}</small>
    </div>
  );
}

/** How coarse the maps of a layer are, and of what return period. */
function noteOf({ maps, return_period_years: years }: LayerTiles): string {
  const metres = Math.min(...maps.map(({ resolution_m }) => resolution_m));
  const distance = metres >= 1000 ? `${number(Math.round(metres / 1000))} km` : `${number(metres)} m`;
  return `a value every ${distance}${years === null ? '' : `, once in ${years} years`}`;
}

/** Names of the layers with values, each once. */
function layersOf(layers: readonly Layer[]): readonly string[] {
  return [...new Set(layers.filter(({ unit }) => unit !== CLASSES).map(({ layer }) => layer))];
}
