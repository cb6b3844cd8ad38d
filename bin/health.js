#!/usr/bin/env node
// Exits with 0 if the service in this container is ready. For the HEALTHCHECK of the image.
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';

const { GROUNDWATCH_PORT, GROUNDWATCH_WORKER_PORT } = process.env;
const ofWorker = process.argv[2] === 'worker';
const port = ofWorker ? GROUNDWATCH_WORKER_PORT : GROUNDWATCH_PORT || '8443';
// The certificate is for the name that callers use. Nothing leaves this machine, and nothing secret is sent.
const options = { host: '127.0.0.1', port, path: '/readyz', timeout: 4_000, rejectUnauthorized: false };
(ofWorker ? plain : secure)(options, (answer) => {
  answer.resume();
  process.exit(answer.statusCode === 200 ? 0 : 1);
})
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1))
  .end();
