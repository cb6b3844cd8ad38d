import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { test } from 'node:test';
import { userName } from './user-name.ts';

test('a user without a name in /etc/passwd is called by its number', () => {
  assert.equal(userName(), userInfo().username);
  const nameless = (): never => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  assert.equal(userName(nameless), String(process.getuid?.() ?? 'unknown'));
});
