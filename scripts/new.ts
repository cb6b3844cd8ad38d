// Writes the skeleton of a peril, an operation or a sensor by the recipes of CONTRIBUTING.md, and prints the files touched.
// Run as `npm run new -- peril NAME`, `npm run new -- operation NAME RESOURCE` or `npm run new -- sensor NAME`.
import { writeEdits } from './new/edit.ts';
import { newOperation } from './new/operation.ts';
import { newPeril, pinPeril } from './new/peril.ts';
import { newSensor } from './new/sensor.ts';

const USAGE = 'npm run new -- peril NAME | operation NAME RESOURCE | sensor NAME';

function misuse(message: string): never {
  console.error(`${message}\n${USAGE}`);
  process.exit(2);
}

const [kind, name, resource, ...rest] = process.argv.slice(2);
if (kind === '--help' || kind === '-h') {
  console.log(USAGE);
  process.exit(0);
}
if (kind === undefined || name === undefined || rest.length > 0)
  misuse('Expected what to make, and its name.');
const isKebab = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name);
const isCamel = /^[a-z][A-Za-z0-9]*$/.test(name);
try {
  if (kind === 'peril' && isKebab) newPeril(name);
  else if (kind === 'sensor' && isKebab) newSensor(name);
  else if (kind === 'operation' && isCamel) {
    if (resource === undefined)
      misuse('Expected the resource that the operation belongs to, such as stations.');
    newOperation(name, resource);
  } else
    misuse(
      `Expected peril, operation or sensor, and a name such as heat, readTides or sentinel-3; got ${kind} ${name}.`,
    );
  const touched = [...writeEdits(), ...(kind === 'peril' ? [pinPeril(name)] : [])];
  console.log(
    [
      'Touched:',
      ...touched.map((file) => `  ${file}`),
      'Next: npm run generate, npm run check, npm test',
    ].join('\n'),
  );
} catch (error) {
  console.error(`${(error as Error).message}. Nothing was written.`);
  process.exit(1);
}
