/**
 * Process that moves cubes from a folder to objects, and prints a line when it begins and one for each. Run as `moving-node.ts JSON`, with the
 * ids of the cubes and their places.
 */
import { MovingCubeStore, type MovingCubesAt } from '../../src/cube/moving/moving-cube-store.ts';

const { cubes, at } = JSON.parse(process.argv[2]!) as {
  readonly cubes: readonly string[];
  readonly at: MovingCubesAt;
};
const store = new MovingCubeStore(at);
console.log('begun');
for (const cube of cubes) {
  const bytes = await store.move(cube);
  console.log(cube, bytes);
}
await store.close();
