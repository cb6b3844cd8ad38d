/** What the machine does at this moment by the plainest means, so that figures of different hours can be compared. */
import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from './quantile.ts';

const ROUNDS = 5; // of each measurement; the median counts
const STEPS = 20_000_000; // of the arithmetic, some 40 ms
const PAGE = 4096; // bytes of a page of Linux on x64
const PAGES = 16_384; // 64 MiB
const BLOCK = 8192; // bytes of a write before its fsync, a page of PostgreSQL

/**
 * One line: processor, cores and load; the time of a step of arithmetic [ns], of a page of memory that is touched first
 * [us, processor time], of a start of Node without a program [ms] and of a write with fsync in the folder for
 * temporary files [ms]. Takes about a second.
 */
export function machineLine(): string {
  const processors = cpus();
  const load = loadavg().map((average) => average.toFixed(1));
  return [
    `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, load ${load.join(' ')}`,
    `step ${repeated(stepNs).toFixed(2)} ns`,
    `new page ${repeated(newPageUs).toFixed(1)} us`,
    `start of Node ${repeated(startMs).toFixed(0)} ms`,
    `write and fsync ${repeated(fsyncMs).toFixed(1)} ms`,
  ].join(', ');
}

function repeated(measure: () => number): number {
  return quantile(Array.from({ length: ROUNDS }, measure), 0.5);
}

/** A chain of dependent whole-number steps [ns a step]: no memory, no system calls. */
function stepNs(): number {
  const begun = performance.now();
  let value = 1;
  for (let step = 0; step < STEPS; step++) value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0;
  const ms = performance.now() - begun;
  return value === 0 ? NaN : (ms * 1e6) / STEPS;
}

function newPageUs(): number {
  const before = process.cpuUsage();
  const memory = Buffer.allocUnsafeSlow(PAGES * PAGE);
  for (let at = 0; at < memory.length; at += PAGE) memory[at] = 1;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / PAGES;
}

function startMs(): number {
  const begun = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - begun;
}

function fsyncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-bench-'));
  const file = openSync(join(folder, 'block'), 'w');
  try {
    const begun = performance.now();
    writeSync(file, Buffer.alloc(BLOCK));
    fsyncSync(file);
    return performance.now() - begun;
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}
