import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SANDBOX_GRID } from '../../../sandbox/terrain.ts';
import { dayOf } from '../../../sandbox/weather.ts';
import { mapGrid } from '../../../geo/grid.ts';
import { judgeAnomalies, plantedSpells, type SeenAnomaly } from './anomalies.ts';

const MIDDLE = 150 * SANDBOX_GRID.width + 150;
const [LNG, LAT] = mapGrid(SANDBOX_GRID).pixelCentre(MIDDLE);
const bowl = {
  id: 'subsidence-10',
  kind: 'subsidence',
  pixels: Uint32Array.of(MIDDLE),
  since: Int32Array.of(dayOf(2023, 7, 1)),
  until: null,
} as const;
const SPELLS = plantedSpells([bowl], dayOf(2025, 1, 1));

function anomaly(over: Partial<SeenAnomaly>): SeenAnomaly {
  return {
    collectionId: 'col_1',
    station: null,
    metric: 'fwi',
    severity: 'high',
    residual: 20,
    startedAt: new Date('2023-06-20T12:00:00Z'),
    endedAt: new Date('2023-07-10T12:00:00Z'),
    area: { id: 'aoi_1', bounds: [LNG - 0.01, LAT - 0.01, LNG + 0.01, LAT + 0.01] },
    ...over,
  };
}

const found = (...seen: readonly SeenAnomaly[]) =>
  judgeAnomalies(SPELLS, [], seen).planted.filter(({ foundIn }) => foundIn.length > 0);

describe('comparing anomalies with the planted truth', () => {
  test('an anomaly matches a spell that moves its metric in its direction at its time', () => {
    const [drought, ...others] = found(
      anomaly({}),
      anomaly({ metric: 'humidity', residual: -30, severity: 'low' }),
    );
    assert.deepEqual(others, []);
    assert.deepEqual(drought, {
      what: 'drought',
      from: '2023-06-05',
      to: '2023-08-25',
      foundIn: ['fwi', 'humidity'],
      lagDays: 15,
      severity: 'high',
      whyNot: null,
    });
    assert.deepEqual(found(anomaly({ residual: -20 })), [], 'it goes the other way');
    assert.deepEqual(found(anomaly({ metric: 'gust' })), [], 'its metric does not tell of droughts');
    const after = {
      startedAt: new Date('2023-10-16T12:00:00Z'),
      endedAt: new Date('2023-10-20T12:00:00Z'),
    };
    assert.equal(found(anomaly(after)).length, 1, '52 days after, which the drought code remembers');
    assert.equal(found(anomaly({ ...after, metric: 'temperature' })).length, 0, 'which the air does not');
  });

  test('a ground event matches anomalies of an area that contains it and of a station on it', () => {
    const sinks = { metric: 'displacement_up', residual: -9, endedAt: null };
    const station = { id: 'sta_1', key: 'SIM-TOWN', lng: LNG, lat: LAT };
    assert.equal(found(anomaly(sinks))[0]!.what, 'subsidence-10');
    assert.equal(found(anomaly({ ...sinks, station }))[0]!.to, null);
    assert.deepEqual(found(anomaly({ ...sinks, station: { ...station, lng: LNG + 0.005 } })), []);
    const elsewhere = { id: 'aoi_2', bounds: [LNG + 0.1, LAT, LNG + 0.2, LAT + 0.1] } as const;
    assert.deepEqual(found(anomaly({ ...sinks, area: elsewhere })), []);
  });

  test('an anomaly of a station in several areas counts once, and is false when no spell matches it', () => {
    const station = { id: 'sta_1', key: 'SIM-PLAIN', lng: LNG, lat: LAT };
    const seen = ['aoi_1', 'aoi_2'].map((id) => anomaly({ station, area: { ...anomaly({}).area, id } }));
    const chance = anomaly({ metric: 'wind', startedAt: new Date('2024-03-01'), endedAt: null, station });
    const { claims } = judgeAnomalies(SPELLS, [], [...seen, chance]);
    assert.deepEqual(claims, { anomalies: 2, onPlanted: 1, onRareWeather: 0, falseShare: 0.5 });
    assert.equal(judgeAnomalies(SPELLS, [], []).claims.falseShare, null);
  });

  test('anomalies of rare unplanted weather are not false, and such weather is listed when an anomaly matches it', () => {
    const station = { id: 'sta_1', key: 'SIM-PLAIN', lng: LNG, lat: LAT };
    const gale = (day: number) => ({
      what: 'high wind',
      from: day,
      to: day,
      signs: { wind: 1 as const },
      afterDays: {},
      places: null,
    });
    const rare = [gale(dayOf(2024, 3, 1)), gale(dayOf(2024, 3, 9))];
    const told = anomaly({
      metric: 'wind',
      startedAt: new Date('2024-03-01T12:00:00Z'),
      endedAt: new Date('2024-03-02T12:00:00Z'),
      station,
    });
    const { claims, rareWeather } = judgeAnomalies(SPELLS, rare, [anomaly({ station }), told]);
    assert.deepEqual(claims, { anomalies: 2, onPlanted: 1, onRareWeather: 1, falseShare: 0 });
    assert.deepEqual(
      rareWeather.map(({ what, from, foundIn }) => [what, from, foundIn]),
      [['high wind', '2024-03-01', ['wind']]],
    );
    const late = anomaly({ ...told, startedAt: new Date('2024-03-03T12:00:00Z'), endedAt: null });
    assert.equal(judgeAnomalies(SPELLS, [rare[0]!], [late]).claims.falseShare, 1, 'it is over the next day');
  });

  test('missed weather is listed with the reason; ground events are listed only when found', () => {
    const { planted } = judgeAnomalies(SPELLS, [], []);
    assert.deepEqual(
      planted.map(({ what }) => what),
      ['cold', 'drought', 'heat', 'storm', 'drought', 'heat', 'deluge'],
    );
    assert.match(planted[0]!.whyNot!, /341 days after the start of the series/);
    assert.match(planted[3]!.whyNot!, /missed in wind, gust/);
  });
});
