// Worker thread that measure-area.ts starts: does one geometry task, then ends.
import { parentPort, workerData } from 'node:worker_threads';
import { geometryWork, type GeometryTask } from './geometry-work.ts';

parentPort?.postMessage(geometryWork(workerData as GeometryTask));
