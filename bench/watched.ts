/**
 * Whether pixels that the kernel watches have the events, the objects and the states of pixels that the engine alone
 * follows, to the byte: on a simulated region and on the labelled stacks that are there, from the first scene to the
 * last, in two parts and at once. Prints the share of the scenes that the kernel has looked at, the processor time of
 * both, and a digest of states and events. NAME... names stacks: countryside, slovenia, tura, matogrosso.
 */
import { createHash } from 'node:crypto';
import { loadavg } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { WatchKernel } from '../src/change/kernel/watch-kernel.ts';
import { changeObjects } from '../src/change/object/objects.ts';
import { packEvents, type PixelEvent } from '../src/change/pixel/pixel-events.ts';
import { PixelMonitor } from '../src/change/pixel/pixel-monitor.ts';
import { StateReader } from '../src/change/state/state-reader.ts';
import { StateWriter } from '../src/change/state/state-writer.ts';
import { firstScenes, resume, type Outcome, type Stack } from '../test/oracles/resumed-passes.ts';
import { WHOLE_STACKS } from './accuracy/sources/whole-stacks.ts';

/** Share of the scenes after which the state of the first part is saved. */
const CUT = 0.7;

/** What following the pixels of a stack has given. */
interface Followed {
  readonly state: Uint8Array<ArrayBuffer>;
  readonly events: readonly PixelEvent[];
  readonly digest: string;
  readonly seconds: number;
}

/** A stack followed at once and in two parts. */
interface FollowedTwice {
  readonly whole: Followed;
  /** Digests of both parts and of the whole. */
  readonly digests: readonly string[];
}

/** Scenes that the kernel has looked at. */
let looked = 0;
// oxlint-disable-next-line typescript/unbound-method -- called with its own object below
const { watch } = WatchKernel.prototype;
WatchKernel.prototype.watch = function counted(this: WatchKernel, from: number, isFirst: boolean): number {
  const next = watch.call(this, from, isFirst);
  looked += next - from;
  return next;
};

function follow(
  { spec, metrics }: Stack,
  followed: Outcome['followed'],
  watches: boolean,
  since: number,
  left?: Uint8Array<ArrayBuffer>,
): Followed {
  const begun = process.threadCpuUsage();
  const monitor = new PixelMonitor(spec, followed, watches);
  const series = Object.values(metrics);
  const times = spec.timesMs.length;
  const state = { left: left && new StateReader(left), kept: new StateWriter() };
  const events: PixelEvent[] = [];
  const emit = (event: PixelEvent): void => void events.push(event);
  for (let p = 0; p < spec.width * spec.height; p++)
    monitor.resume(p, series, p * times, since, state, emit, emit);
  const { user, system } = process.threadCpuUsage(begun);
  const bytes = state.kept.written();
  const digest = createHash('sha256').update(bytes).update(JSON.stringify(events)).digest('hex');
  return { state: bytes, events, digest, seconds: (user + system) / 1e6 };
}

function compare(name: string, stack: Stack): boolean {
  const { spec, metrics } = stack;
  const times = spec.timesMs.length;
  const cut = Math.floor(CUT * times);
  const early = firstScenes(stack, cut);
  const contexts = [early, stack].map((each) => resume(each, 0, undefined).followed);
  looked = 0;
  const twice = (watches: boolean): FollowedTwice => {
    const first = follow(early, contexts[0]!, watches, 0);
    const second = follow(stack, contexts[1]!, watches, cut, first.state);
    const whole = follow(stack, contexts[1]!, watches, 0);
    return { whole, digests: [first, second, whole].map(({ digest }) => digest) };
  };
  const [kernel, engine] = [twice(true), twice(false)];
  const share = looked / (spec.width * spec.height * 2 * times);
  const others = Object.keys(metrics).slice(1);
  const { traits } = contexts[1]![0]!;
  const objectsOf = ({ whole }: FollowedTwice): string =>
    JSON.stringify(changeObjects(spec, traits, packEvents([...whole.events], others.length + 1), others));
  const isSame = isDeepStrictEqual(kernel.digests, engine.digests) && objectsOf(kernel) === objectsOf(engine);
  console.log(
    `${name.padEnd(12)} ${Object.keys(metrics).join(', ')}, ${spec.width} x ${spec.height} x ${times}: ${(100 * share).toFixed(0)} % of the scenes in the kernel; ${kernel.whole.seconds.toFixed(1)} s, ${engine.whole.seconds.toFixed(1)} s the engine alone; ${kernel.whole.events.length} events, ${kernel.whole.digest.slice(0, 12)}; ${isSame ? 'the same' : 'SOMETHING ELSE'}`,
  );
  return isSame;
}

const asked = process.argv.slice(2);
console.log(`load ${loadavg()[0]!.toFixed(1)}`);
for (const [name, read] of Object.entries(WHOLE_STACKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const stack = await read();
  if (stack === undefined) console.log(`${name.padEnd(12)} is not here`);
  else if (!compare(name, stack)) process.exitCode = 1;
}
console.log(`load ${loadavg()[0]!.toFixed(1)} at the end`);
