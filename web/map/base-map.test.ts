import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseOfStyle, baseOfTiles } from './base-map.ts';

test('tiles are one raster layer', () => {
  const { sources, below } = baseOfTiles('https://maps.example.com/{z}/{y}/{x}.png', 'Us');
  assert.deepEqual(Object.values(sources), [
    {
      type: 'raster',
      tiles: ['https://maps.example.com/{z}/{y}/{x}.png'],
      tileSize: 256,
      maxzoom: 19,
      attribution: 'Us',
    },
  ]);
  assert.equal(below.length, 1);
});

test('the names of a style get a prefix, and its addresses become whole', () => {
  const { sources, below, glyphs, sprite, fonts } = baseOfStyle(
    {
      version: 8,
      glyphs: '../fonts/{fontstack}/{range}.pbf',
      sprite: 'sprite',
      sources: {
        areas: { type: 'vector', tiles: ['tiles/{z}/{x}/{y}.pbf'] },
        land: { type: 'vector', url: '/land.json' },
      },
      layers: [
        { id: 'ground', type: 'background' },
        { id: 'areas', type: 'symbol', source: 'areas', layout: { 'text-font': ['Noto Sans'] } },
      ],
    },
    'https://maps.example.com/styles/light/style.json',
    '',
  );
  assert.deepEqual(sources, {
    'base/areas': { type: 'vector', tiles: ['https://maps.example.com/styles/light/tiles/{z}/{x}/{y}.pbf'] },
    'base/land': { type: 'vector', url: 'https://maps.example.com/land.json' },
  });
  assert.deepEqual(
    below.map((layer) => [layer.id, 'source' in layer ? layer.source : undefined]),
    [
      ['base/ground', undefined],
      ['base/areas', 'base/areas'],
    ],
  );
  assert.equal(glyphs, 'https://maps.example.com/styles/fonts/{fontstack}/{range}.pbf');
  assert.equal(sprite, 'https://maps.example.com/styles/light/sprite');
  assert.deepEqual(fonts, ['Noto Sans']);
});
