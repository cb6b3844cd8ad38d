import { useEffect, useState } from 'preact/hooks';
import type { Peril } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { words } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { useClient, useSession } from '../session.ts';
import { PERILS } from './perils.ts';

/** Chooses the peril whose risk map is shown, and says what its colours mean. */
export function RiskMapChoice() {
  return useSession().scopes.includes('risk:read') ? <Choice /> : null;
}

function Choice() {
  const client = useClient();
  const { show } = useMap();
  const [peril, setPeril] = useState<Peril | undefined>('flood');
  const found = useAnswer(
    (signal) => (peril === undefined ? Promise.resolve(undefined) : client.getRiskTiles(peril, { signal })),
    [peril],
  );
  const described = found.value;
  useEffect(() => {
    if (peril === undefined) show({ riskMap: undefined });
    else if (described !== undefined) {
      const { minzoom, maxzoom } = described;
      show({ riskMap: { path: `risk/${peril}`, bounds: undefined, minzoom, maxzoom } });
    }
    return () => show({ riskMap: undefined });
  }, [peril, described]);
  return (
    <div class="risk-map">
      <label class="inline">
        <span>Map of</span>
        <select
          value={peril ?? ''}
          onChange={(event) => setPeril(PERILS.find((one) => one === event.currentTarget.value))}
        >
          {PERILS.map((one) => (
            <option key={one} value={one}>
              {words(one)} risk
            </option>
          ))}
          <option value="">no risk</option>
        </select>
      </label>
      {described && peril !== undefined && (
        <div class="legend">
          <span>0</span>
          <span
            class="ramp"
            style={{ background: `linear-gradient(to right, ${described.legend.colours.join(', ')})` }}
            role="img"
            aria-label="Colours of scores from 0 to 1"
          />
          <span>1</span>
          <small>faint: little confidence</small>
        </div>
      )}
    </div>
  );
}
