/**
 * Which share of the pixels is passed over as calm by a search of some scenes more, and whether its events and objects
 * are those of a search that follows each pixel, to the bit: on a simulated region and on the labelled stacks that are
 * there. Prints the processor time of the last pass of both; the one that follows each pixel also writes their states.
 * NAME... names stacks: countryside, slovenia, tura, matogrosso.
 */
import { isDeepStrictEqual } from 'node:util';
import { loadavg } from 'node:os';
import { resumeStrips } from '../src/change/monitor.ts';
import { CalmPixels } from '../src/change/calm/calm-pixels.ts';
import { StateReader } from '../src/change/state/state-reader.ts';
import { StateWriter, type StripState } from '../src/change/state/state-writer.ts';
import { firstScenes, resume, type Stack } from '../test/oracles/resumed-passes.ts';
import { WHOLE_STACKS } from './accuracy/sources/whole-stacks.ts';

/** Numbers of scenes since the state. */
const SCENES_MORE = [1, 2, 3, 4, 5];
/** Shares of a stack after which its state is saved. */
const STATES_AT = [0.6, 0.9];
/** Processor time of this thread [s], and the result. */
function timed<T>(act: () => T): { readonly seconds: number; readonly result: T } {
  const begun = process.threadCpuUsage();
  const result = act();
  const { user, system } = process.threadCpuUsage(begun);
  return { seconds: (user + system) / 1e6, result };
}

/** Compares both searches of a stack. Returns whether they find the same. */
function compare(
  name: string,
  stack: Stack,
  since: number,
  more: number,
  before: ReturnType<typeof resume>,
): boolean {
  const known = firstScenes(stack, since + more);
  const { spec } = known;
  const oracle = resume(known, since, before.left);
  const passed = resume(known, since, before.left, false);
  const isSame =
    isDeepStrictEqual(oracle.own, passed.own) && isDeepStrictEqual(oracle.objects, passed.objects);

  const strips = Object.values(known.metrics).map((values) => ({ from: 0, values }));
  const reader = new StateReader(before.left.follow);
  const pixels = new CalmPixels(spec, oracle.followed, since);
  let calm = 0;
  for (let p = 0; p < spec.width * spec.height; p++) {
    if (pixels.passOver(p, strips, p, reader, [])) calm += 1;
    else reader.skipRecord();
  }
  const follow = (kept?: StateWriter): number => {
    const state: StripState = { left: new StateReader(before.left.follow), kept };
    return timed(() => resumeStrips(spec, oracle.followed, strips, since, state)).seconds;
  };
  const [all, some] = [follow(new StateWriter()), follow()];
  const share = (calm / (spec.width * spec.height)).toFixed(2);
  console.log(
    `${name.padEnd(12)} ${since} + ${more} scenes: ${share} calm; ${some.toFixed(2)} s, ${all.toFixed(2)} s following each; ${isSame ? 'the same' : 'SOMETHING ELSE'}`,
  );
  return isSame;
}

const asked = process.argv.slice(2);
console.log(`load ${loadavg()[0]!.toFixed(1)}`);
for (const [name, read] of Object.entries(WHOLE_STACKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const stack = await read();
  if (stack === undefined) {
    console.log(`${name.padEnd(12)} is not here`);
    continue;
  }
  const times = stack.spec.timesMs.length;
  for (const share of STATES_AT) {
    const since = Math.floor(share * times);
    const before = resume(firstScenes(stack, since), 0, undefined);
    for (const more of SCENES_MORE)
      if (since + more <= times && !compare(name, stack, since, more, before)) process.exitCode = 1;
  }
}
console.log(`load ${loadavg()[0]!.toFixed(1)} at the end`);
