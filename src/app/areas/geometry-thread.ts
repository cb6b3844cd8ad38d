// Thread of measure-area.ts: one piece of work on geometry, then it ends.
import { parentPort, workerData } from 'node:worker_threads';
import { geometryWork, type GeometryTask } from './measure-area.ts';

parentPort?.postMessage(geometryWork(workerData as GeometryTask));
