import assert from 'node:assert/strict';
import { test } from 'node:test';
import { componentPixels, connectedComponents } from './components.ts';
import { findRuns, labelRuns } from '../../src/raster/runs.ts';

function noise(seed: number, count: number, share: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 < share ? 1 + (state & 1) : 0;
  });
}

/** Labels connected components by a flood fill from each pixel, in row-major order. */
function flood(mask: Uint8Array, width: number, height: number, isDiagonal: boolean): Int32Array {
  const labels = new Int32Array(mask.length);
  let count = 0;
  for (let start = 0; start < mask.length; start++) {
    if (mask[start] === 0 || labels[start] !== 0) continue;
    labels[start] = ++count;
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [col, row] = [at % width, Math.floor(at / width)];
      for (const [dx, dy] of [
        [-1, 0],
        [1, 0],
        [0, -1],
        [0, 1],
        [-1, -1],
        [1, 1],
        [-1, 1],
        [1, -1],
      ] as const) {
        if (!isDiagonal && dx !== 0 && dy !== 0) continue;
        const [x, y] = [col + dx, row + dy];
        if (x < 0 || y < 0 || x >= width || y >= height) continue;
        const next = y * width + x;
        if (mask[next] === 0 || labels[next] !== 0) continue;
        labels[next] = count;
        open.push(next);
      }
    }
  }
  return labels;
}

test('components equal a flood fill on noise of every density', () => {
  for (let round = 0; round < 120; round++) {
    const [width, height] = [1 + (round % 23), 1 + ((round * 7) % 19)];
    const mask = noise(round, width * height, (round % 10) / 10 + 0.05);
    const expected = flood(mask, width, height, true);
    const { labels, count } = connectedComponents(mask, width, height);
    assert.deepEqual(labels, expected, `round ${round}`);
    assert.equal(
      count,
      expected.reduce((a, b) => Math.max(a, b), 0),
    );
    const lists = componentPixels(mask, width, height);
    assert.equal(lists.length, count);
    for (const [i, list] of lists.entries()) {
      assert.deepEqual(
        [...list],
        [...expected.keys()].filter((pixel) => expected[pixel] === i + 1),
      );
    }
  }
});

test('4-neighbour labels of runs equal a flood fill', () => {
  for (let round = 0; round < 60; round++) {
    const mask = noise(round + 500, 17 * 13, 0.55);
    const expected = flood(mask, 17, 13, false);
    const runs = findRuns(mask, 17, 13);
    const { labels, count } = labelRuns(runs, 0);
    assert.equal(
      count,
      expected.reduce((a, b) => Math.max(a, b), 0),
    );
    for (let row = 0; row < 13; row++) {
      for (let run = runs.rowOffsets[row]!; run < runs.rowOffsets[row + 1]!; run++) {
        for (let col = runs.starts[run]!; col < runs.ends[run]!; col++) {
          assert.equal(labels[run]! + 1, expected[row * 17 + col]);
        }
      }
    }
  }
});

test('an empty mask has no components', () => {
  assert.deepEqual(connectedComponents(new Uint8Array(6), 3, 2), { count: 0, labels: new Int32Array(6) });
  assert.deepEqual(componentPixels(new Uint8Array(0), 0, 0), []);
});
