import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviceOn } from './postgres-cluster.ts';

test('a database that cannot be created from this folder names the folder and what to do', () => {
  const why = 'initdb: error: program "postgres" is needed by initdb but was not found';
  for (const folder of ['/srv/a"b/bin', '/srv/$HOME/bin', '/srv/`a`/bin', '/srv/a\\b/bin'])
    assert.ok(adviceOn(why, folder).endsWith(`install Groundwatch in another than ${folder}`), folder);
  for (const folder of ['/srv/a b/bin', "/srv/it's/ä#%20?/bin"]) assert.equal(adviceOn(why, folder), '');
  assert.match(adviceOn('could not look up effective user ID 4711', '/srv/bin'), /\/etc\/passwd/);
});
