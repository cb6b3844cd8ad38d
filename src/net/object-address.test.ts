import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inRegion, objectAddress, s3Bucket } from './object-address.ts';

test('links to objects have the addresses that the stores document', () => {
  for (const [href, place, address] of [
    [
      's3://sentinel-s2-l2a/tiles/33/S/VB/B04.jp2',
      {},
      'https://sentinel-s2-l2a.s3.amazonaws.com/tiles/33/S/VB/B04.jp2',
    ],
    ['S3://b-1/k', { region: 'us-west-2' }, 'https://b-1.s3.us-west-2.amazonaws.com/k'],
    [
      's3://maps.example.org/a/b',
      { region: 'eu-central-1' },
      'https://s3.eu-central-1.amazonaws.com/maps.example.org/a/b',
    ],
    ['s3://b-1/k', { region: 'no region' }, 'https://b-1.s3.amazonaws.com/k'],
    [
      's3://eodata/S2/B04.jp2',
      { platform: 'https://eodata.dataspace.copernicus.eu' },
      'https://eodata.dataspace.copernicus.eu/eodata/S2/B04.jp2',
    ],
    [
      's3://b-1/k',
      { platform: 'https://{bucket}.s3.{region}.amazonaws.com', region: 'us-west-2' },
      'https://b-1.s3.us-west-2.amazonaws.com/k',
    ],
    ['s3://b-1/k', { platform: 'http://plain.example.com' }, 'https://b-1.s3.amazonaws.com/k'],
    [
      'gs://gcp-public-data-sentinel-2/L2/tiles/a b.jp2',
      {},
      'https://storage.googleapis.com/gcp-public-data-sentinel-2/L2/tiles/a%20b.jp2',
    ],
    [
      'az://items/one.tif',
      { account: 'sentinel2l2a01' },
      'https://sentinel2l2a01.blob.core.windows.net/items/one.tif',
    ],
    [
      'abfss://items@pcstacitems.dfs.core.windows.net/a/b',
      {},
      'https://pcstacitems.blob.core.windows.net/items/a/b',
    ],
    ['s3://b-1/a+b(1)/../é=?#%', {}, 'https://b-1.s3.amazonaws.com/a%2Bb%281%29/%2E%2E/%C3%A9%3D%3F%23%25'],
    ['https://example.com/a', {}, undefined],
    ['ftp://example.com/a', {}, undefined],
  ] as const)
    assert.equal(objectAddress(href, place), address, href);
  for (const href of ['s3://bucket', 's3://bucket/', 's3:///key', 's3://a@b:c/d', 's3://a b/c'])
    assert.throws(() => objectAddress(href), /expected s3:\/\/BUCKET\/KEY/, href);
  assert.throws(() => objectAddress('az://items/one.tif'), /does not tell the storage account/);
  assert.throws(() => objectAddress('az://items/one.tif', { account: 'a.example.com/x' }), /storage account/);
});

test('a bucket is found in the addresses of Amazon S3 only, and moved to its region', () => {
  const bucket = (address: string) => s3Bucket(new URL(address));
  assert.deepEqual(bucket('https://b.c.s3.amazonaws.com/k'), { bucket: 'b.c', region: undefined });
  assert.deepEqual(bucket('https://b.s3-us-west-2.amazonaws.com/k'), { bucket: 'b', region: 'us-west-2' });
  assert.deepEqual(bucket('https://s3.eu-west-1.amazonaws.com/b/k'), { bucket: 'b', region: 'eu-west-1' });
  for (const other of ['https://b.s3.amazonaws.com.example.com/k', 'https://example.com/s3.amazonaws.com/k'])
    assert.equal(bucket(other), undefined);
  const moved = (address: string, region: string) => inRegion(new URL(address), region)?.href;
  assert.equal(
    moved('https://b.s3.amazonaws.com/k', 'eu-north-1'),
    'https://b.s3.eu-north-1.amazonaws.com/k',
  );
  assert.equal(
    moved('https://s3.amazonaws.com/b.c/k', 'eu-north-1'),
    'https://s3.eu-north-1.amazonaws.com/b.c/k',
  );
  assert.equal(moved('https://b.s3.eu-north-1.amazonaws.com/k', 'eu-north-1'), undefined);
  assert.equal(moved('https://b.s3.amazonaws.com/k', 'evil.example.com#-1'), undefined);
  assert.equal(moved('https://example.com/k', 'eu-north-1'), undefined);
});
