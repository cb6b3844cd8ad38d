import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signAwsRequest } from './aws-signature.ts';

const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: undefined,
};
const NOW = Date.UTC(2015, 7, 30, 12, 36);

test('AWS Signature Version 4 test suite: get-vanilla and post-vanilla have the published signatures', () => {
  for (const [method, signature] of [
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ] as const)
    assert.equal(
      signAwsRequest(
        { method, url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' },
        { region: 'us-east-1', service: 'service' },
        CREDENTIALS,
        NOW,
      )['authorization'],
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    );
});

test('the headers, the body and the token of temporary keys are signed too', () => {
  const sign = (
    changed: { readonly body?: string; readonly target?: string; readonly token?: string } = {},
  ) =>
    signAwsRequest(
      {
        method: 'POST',
        url: new URL('https://kms.eu-central-1.amazonaws.com/'),
        headers: { 'x-amz-target': changed.target ?? 'TrentService.Encrypt' },
        body: changed.body ?? '{}',
      },
      { region: 'eu-central-1', service: 'kms' },
      { ...CREDENTIALS, sessionToken: changed.token ?? 'temporary' },
      NOW,
    );
  const { authorization, ...headers } = sign();
  assert.match(authorization!, /SignedHeaders=host;x-amz-date;x-amz-security-token;x-amz-target, /);
  assert.equal(headers['x-amz-security-token'], 'temporary');
  assert.equal(headers['x-amz-date'], '20150830T123600Z');
  for (const changed of [{ body: '{"a":1}' }, { target: 'TrentService.Decrypt' }, { token: 'other' }])
    assert.notEqual(sign(changed)['authorization'], authorization, JSON.stringify(changed));
});
