import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { bboxesOverlap, type Bbox } from '../geo/bbox.ts';
import { expandBbox } from '../geo/nearby.ts';
import { groupMembers } from './group-members.ts';
import { LINKS_OF } from './links.ts';
import type { Member } from './member.ts';
import { phenomenonOf } from './phenomena.ts';

const START = Date.UTC(2024, 9, 1);

function anomaly(
  id: string,
  what: string,
  fromDay: number,
  toDay: number,
  over: Partial<Member> = {},
): Member {
  const place: Bbox = [14, 46, 14.1, 46.1];
  return {
    kind: 'anomaly',
    id,
    what,
    sign: 1,
    peril: 'flood',
    severity: 'medium',
    fromMs: START + fromDay * DAY_MS,
    toMs: START + toDay * DAY_MS,
    overMs: START + toDay * DAY_MS,
    ground: place,
    extent: place,
    areas: [{ id: 'aoi_a', name: 'River plain' }],
    areaM2: 0,
    departure: null,
    ...over,
  };
}

/** Ids of the members of each group, as text. */
const idsOf = (members: readonly Member[]): string[] =>
  groupMembers(members).map((group) => group.map(({ id }) => id).join(' '));

/** A generator of numbers in [0, 1) that always gives the same ones. */
function draws(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

function shuffled<T>(items: readonly T[], draw: () => number): T[] {
  return items
    .map((item) => ({ item, at: draw() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

describe('grouping by cause', () => {
  test('rain, the river after it and the water on the ground are one group', () => {
    const members = [
      anomaly('rain', 'precipitation', 0, 2),
      anomaly('river', 'river_level', 5, 12, { ground: [14.12, 46.15, 14.12, 46.15] }),
      anomaly('water', 'mndwi', 20, 30),
    ];
    assert.deepEqual(idsOf(members), ['rain river water']);
  });

  test('a gap counts up to the day, and a distance up to the metre that is documented', () => {
    const rain = anomaly('a', 'precipitation', 0, 2);
    assert.deepEqual(idsOf([rain, anomaly('b', 'precipitation', 4, 5)]), ['a b']);
    assert.deepEqual(idsOf([rain, anomaly('b', 'precipitation', 4.01, 5)]), ['a', 'b']);
    // A degree of latitude is 111 km: .2 are 22 km, .24 are 26.7 km.
    const north = (by: number) =>
      anomaly('b', 'precipitation', 0, 2, { ground: [14, 46.1 + by, 14.1, 46.2 + by] });
    assert.deepEqual(idsOf([rain, north(0.2)]), ['a b']);
    assert.deepEqual(idsOf([rain, north(0.24)]), ['a', 'b']);
  });

  test('what has no cause in common stays apart on the same day and ground', () => {
    const members = [
      anomaly('cold', 'temperature', 0, 9),
      anomaly('lake', 'water_gain', 3, 3, { kind: 'change' }),
      anomaly('felling', 'vegetation_loss', 3, 3, { kind: 'change' }),
      anomaly('bowl', 'ground_subsidence', 3, 3, { kind: 'change' }),
    ];
    assert.equal(groupMembers(members).length, 4);
  });

  test('nested rings of one sinking bowl are one group, whenever each of them was found', () => {
    const ring = (id: string, day: number, half: number) =>
      anomaly(id, 'ground_subsidence', day, Infinity, {
        kind: 'change',
        ground: [14 - half, 46 - half, 14 + half, 46 + half],
      });
    const rings = [ring('a', 0, 0.001), ring('b', 200, 0.002), ring('c', 500, 0.004), ring('d', 900, 0.005)];
    assert.deepEqual(idsOf(rings), ['a b c d']);
    assert.deepEqual(
      idsOf(
        [...rings, ring('far', 0, 0.001)].map((one) =>
          one.id === 'far' ? { ...one, ground: [15, 46, 15.01, 46.01] as const } : one,
        ),
      ),
      ['a b c d', 'far'],
    );
  });

  test('ground on both sides of the antimeridian, and around a pole, is near', () => {
    const west = anomaly('a', 'precipitation', 0, 2, { ground: [179.9, -17, 179.95, -16.9] });
    const east = anomaly('b', 'precipitation', 0, 2, { ground: [-179.99, -17, -179.9, -16.9] });
    const across = anomaly('c', 'precipitation', 0, 2, { ground: [179.99, -17, 180.05, -16.9] });
    assert.deepEqual(idsOf([west, east]), ['a b']);
    assert.deepEqual(idsOf([east, across]), ['b c']);
    const pole = (id: string, lng: number) =>
      anomaly(id, 'temperature', 0, 2, { ground: [lng, 89.9, lng + 1, 89.95] });
    assert.deepEqual(idsOf([pole('a', 0), pole('b', 179)]), ['a b']);
  });

  /** Groups by testing every pair. */
  function byEveryPair(members: readonly Member[]): string[] {
    const group = new Map(members.map((member, i) => [member, i]));
    const areLinked = (a: Member, b: Member): boolean => {
      const link = LINKS_OF.get(phenomenonOf(a).phenomenon)!.get(phenomenonOf(b).phenomenon);
      return (
        link !== undefined &&
        Math.max(a.fromMs - b.toMs, b.fromMs - a.toMs) <= link.gapMs &&
        bboxesOverlap(expandBbox(a.ground, link.reachM), b.ground)
      );
    };
    for (const a of members)
      for (const b of members)
        if (group.get(a) !== group.get(b) && (areLinked(a, b) || areLinked(b, a))) {
          const [kept, lost] = [group.get(a)!, group.get(b)!];
          for (const [member, g] of group) if (g === lost) group.set(member, kept);
        }
    return [...Map.groupBy(members, (member) => group.get(member)).values()]
      .map((same) =>
        same
          .map(({ id }) => id)
          .toSorted()
          .join(' '),
      )
      .toSorted();
  }

  test('the groups are those of a test of every pair, in any order of the members', () => {
    const draw = draws(7);
    const kinds = [
      'precipitation',
      'wind',
      'temperature',
      'river_level',
      'displacement_up',
      'ndvi',
      'unknown',
    ];
    for (let round = 0; round < 20; round++) {
      // Grounds lie on meridians and parallels, so that the rounding of a distance decides no case.
      const members = Array.from({ length: 120 }, (_, i): Member => {
        const day = Math.floor(draw() * 120);
        const [lng, lat] = [Math.floor(draw() * 12) * 0.07 - 180.3, 45 + Math.floor(draw() * 12) * 0.07];
        const west = lng < -180 ? lng + 360 : lng;
        const size = draw() < 0.1 ? 2 : 0.01;
        return anomaly(
          `m${i}`,
          kinds[Math.floor(draw() * kinds.length)]!,
          day,
          day + Math.floor(draw() * 4),
          {
            ground: [west, lat, west + size, lat + size],
          },
        );
      });
      const expected = byEveryPair(members);
      for (let order = 0; order < 3; order++) {
        const groups = groupMembers(shuffled(members, draw));
        const found = groups.map((group) =>
          group
            .map(({ id }) => id)
            .toSorted()
            .join(' '),
        );
        assert.deepEqual(found.toSorted(), expected, `round ${round}`);
      }
      assert.deepEqual(
        groupMembers(shuffled(members, draw)),
        groupMembers(members),
        'the groups and their members come in the same order',
      );
    }
  });

  test('a storm over fifty thousand areas of a city is grouped without testing every pair', () => {
    const draw = draws(11);
    const members = Array.from({ length: 50_000 }, (_, i) => {
      const [west, south] = [14 + draw(), 46 + draw()];
      return anomaly(`m${i}`, 'gust', 0, 2, { ground: [west, south, west + 0.001, south + 0.001] });
    });
    assert.equal(groupMembers(members).length, 1);
  });
});
