import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PERILS } from '../../src/contract/vocabulary.ts';
import { type Points, ShippedAnswers } from '../fixtures/shipped-answers.ts';

type Place = readonly [name: string, lat: number, lng: number];

const LAKES: readonly Place[] = [
  ['Lake Victoria', -1, 33],
  ['Lake Geneva', 46.45, 6.55],
  ['Lake Constance', 47.6, 9.42],
  ['Vaenern', 58.9, 13.3],
  ['Caspian Sea, middle', 41.5, 50.8],
  ['Caspian Sea, north', 45, 49],
  ['Lake Michigan', 43.5, -87],
  ['Lake Superior', 47.7, -87.5],
  ['Lake Baikal', 53.5, 108],
  ['Lake Tanganyika', -6.5, 29.6],
  ['Lake Malawi', -12, 34.5],
  ['Lake Ladoga', 60.8, 31.5],
  ['Lake Titicaca', -15.8, -69.4],
  ['Great Salt Lake', 41.2, -112.5],
  ['Dead Sea', 31.5, 35.48],
  ['Lake Tahoe', 39.1, -120.03],
  ['Issyk-Kul', 42.4, 77.2],
  ['Lake Nicaragua', 11.5, -85.3],
  ['IJsselmeer', 52.8, 5.35],
  ['Lake Okeechobee', 26.95, -80.8],
];

const SEAS: readonly Place[] = [
  ['Atlantic', 30, -40],
  ['Pacific', 0, -140],
  ['Indian Ocean', -20, 80],
  ['Mediterranean', 35, 18],
  ['North Sea', 56, 3],
  ['Black Sea', 43, 34],
  ['Red Sea', 20, 38.5],
  ['Hudson Bay', 60, -86],
  ['Gulf of Mexico', 25, -90],
  ['Lake Maracaibo, open to the sea', 9.8, -71.5],
];

/** Inhabited places at shores, on islands, in polders and lagoons, on piers and by salt flats. */
const SHORES: readonly Place[] = [
  ['Manhattan', 40.78, -73.97],
  ['Venice', 45.4375, 12.3358],
  ['Burano', 45.485, 12.417],
  ['Chioggia', 45.22, 12.28],
  ['Singapore', 1.29, 103.85],
  ['Male', 4.175, 73.509],
  ['Lelystad', 52.515, 5.475],
  ['Almere', 52.37, 5.215],
  ['Urk', 52.66, 5.6],
  ['Santa Monica Pier', 34.0086, -118.4986],
  ['Wendover by the Bonneville Salt Flats', 40.737, -114.037],
  ['Uyuni', -20.46, -66.825],
  ['Hong Kong', 22.28, 114.16],
  ['Macau', 22.19, 113.54],
  ['Key West', 24.555, -81.78],
  ['Galveston', 29.3, -94.797],
  ['Miami Beach', 25.79, -80.13],
  ['Ocracoke', 35.114, -75.98],
  ['Tangier Island', 37.826, -75.99],
  ['Nantucket', 41.283, -70.1],
  ['Cadiz', 36.53, -6.29],
  ['Palm Jumeirah', 25.112, 55.138],
  ['Manama', 26.225, 50.586],
  ['Istanbul', 41.01, 28.96],
  ['Copenhagen', 55.676, 12.57],
  ['Stockholm', 59.325, 18.07],
  ['Kronstadt', 59.99, 29.77],
  ['Helgoland', 54.18, 7.887],
  ['Norderney', 53.707, 7.15],
  ['Terschelling', 53.36, 5.22],
  ['Saint Helier', 49.187, -2.107],
  ['Lerwick', 60.155, -1.145],
  ['Valletta', 35.899, 14.514],
  ['Santorini', 36.416, 25.432],
  ['Zanzibar', -6.162, 39.19],
  ['Lamu', -2.27, 40.9],
  ['Mumbai, Colaba', 18.91, 72.81],
  ['Kochi', 9.965, 76.243],
  ['Kansai airport', 34.43, 135.24],
  ['Majuro', 7.09, 171.38],
  ['Funafuti', -8.52, 179.2],
  ['Pitcairn', -25.066, -130.1],
  ['Bermuda', 32.295, -64.78],
  ['Geneva', 46.204, 6.143],
  ['Lausanne, Ouchy', 46.507, 6.627],
  ['Lindau', 47.546, 9.684],
  ['Chicago', 41.88, -87.62],
  ['Toronto Islands', 43.62, -79.38],
  ['Mackinac Island', 45.85, -84.617],
  ['Washington Island, Lake Michigan', 45.37, -86.89],
  ['Kisumu', -0.1, 34.75],
  ['Entebbe', 0.05, 32.46],
  ['Nansio, Lake Victoria', -2.12, 33.06],
  ['Likoma, Lake Malawi', -12.06, 34.73],
  ['Isla del Sol, Lake Titicaca', -16.02, -69.17],
  ['Taquile, Lake Titicaca', -15.77, -69.69],
  ['Valaam, Lake Ladoga', 61.39, 30.95],
  ['Khuzhir, Lake Baikal', 53.19, 107.34],
  ['Ometepe, Lake Nicaragua', 11.54, -85.7],
  ['Neft Daslari, on piles in the Caspian Sea', 40.25, 50.83],
  ['Ganvie, on stilts', 6.466, 2.42],
  ['Baku', 40.37, 49.85],
  ['Maracaibo', 10.64, -71.61],
];

let answers: ShippedAnswers;
before(async () => {
  answers = await ShippedAnswers.open();
});
after(() => answers.close());

const pointsOf = (places: readonly Place[]): Points => ({
  lats: Float64Array.from(places, ([, lat]) => lat),
  lngs: Float64Array.from(places, ([, , lng]) => lng),
});

for (const peril of PERILS) {
  test(`${peril}: in lakes and at sea the answer is the prior with confidence 0, and says that no building stands there`, () => {
    for (const [places, code, told] of [
      [LAKES, 'sea', /no building stands there/],
      [SEAS, 'unmapped', /no land is mapped here/],
    ] as const) {
      const short = answers.assess(peril, pointsOf(places));
      for (const [i, answer] of answers.explain(peril, pointsOf(places)).entries()) {
        const [name] = places[i]!;
        assert.equal(answer.confidence, 0, name);
        assert.equal(answer.evidence.class, 'none', name);
        assert.deepEqual(answer.hazardCurve, [], name);
        assert.deepEqual(
          answer.reasons.map((reason) => reason.code),
          [code],
          name,
        );
        assert.match(answer.reasons[0]!.message, told);
        assert.equal(short[i]!.confidence, 0, name);
        assert.equal(short[i]!.riskScore, answer.riskScore, name);
      }
    }
  });

  test(`${peril}: inhabited shores, islands, polders and piers are answered as land`, () => {
    for (const [i, answer] of answers.explain(peril, pointsOf(SHORES)).entries()) {
      const [name] = SHORES[i]!;
      assert.ok(answer.confidence > 0, `${name}: ${JSON.stringify(answer.reasons)}`);
      assert.ok(!answer.reasons.some(({ code }) => code === 'sea' || code === 'unmapped'), name);
      assert.ok(!answer.reasons.some(({ message }) => message.includes('is not told from land')), name);
    }
  });
}
