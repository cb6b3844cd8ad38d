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

test('Amazon S3 signs the request of its documentation for ten bytes of an object with the published signature', () => {
  const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const { authorization } = signAwsRequest(
    {
      method: 'GET',
      url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
      headers: { range: 'bytes=0-9', 'x-amz-content-sha256': hash },
      body: '',
    },
    { region: 'us-east-1', service: 's3' },
    {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      sessionToken: undefined,
    },
    Date.UTC(2013, 4, 24),
  );
  assert.match(authorization!, /Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/);
});

test('a path is signed in the one form that S3 reads it in, and a query in order', () => {
  const sign = (address: string) =>
    signAwsRequest(
      { method: 'GET', url: new URL(address), headers: {}, body: '' },
      { region: 'us-east-1', service: 's3' },
      CREDENTIALS,
      NOW,
    )['authorization'];
  assert.equal(
    sign('https://b.s3.amazonaws.com/a+(1)=.tif'),
    sign('https://b.s3.amazonaws.com/a%2B%281%29%3D.tif'),
  );
  assert.notEqual(sign('https://b.s3.amazonaws.com/a+b'), sign('https://b.s3.amazonaws.com/a%20b'));
  // The example "list objects" of the documentation has the query max-keys=2&prefix=J.
  const list = signAwsRequest(
    {
      method: 'GET',
      url: new URL('https://examplebucket.s3.amazonaws.com/?prefix=J&max-keys=2'),
      headers: { 'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
      body: '',
    },
    { region: 'us-east-1', service: 's3' },
    {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      sessionToken: undefined,
    },
    Date.UTC(2013, 4, 24),
  )['authorization'];
  assert.match(list!, /Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/);
});
