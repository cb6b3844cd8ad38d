// Writes the bill of materials of what the service runs, as in the image: CycloneDX as JSON, from the lock file. Usage: node scripts/sbom.ts FILE
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface BillOfMaterials {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly { readonly 'bom-ref': string; readonly purl: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const root = join(import.meta.dirname, '..');
const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('Usage: node scripts/sbom.ts FILE\n');
  process.exit(2);
}
// With --omit npm leaves out what the service needs too, if something omitted needs it. So all is asked for, and what the
// service needs is kept.
const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const { status, stdout, stderr } = spawnSync('npm', words, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
if (status !== 0) throw new Error(`npm sbom: ${stderr}`);
const all = JSON.parse(stdout) as BillOfMaterials;
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<
    Record<string, { version: string; optionalDependencies?: Readonly<Record<string, string>> }>
  >;
};
/** Names of the optional dependencies of packages. */
const optional = new Map(
  Object.entries(packages).map(([path, { version, optionalDependencies = {} }]) => [
    `${path.replace(/^.*node_modules\//, '')}@${version}`,
    new Set(Object.keys(optionalDependencies)),
  ]),
);
const needs = new Map(
  all.dependencies.map(({ ref, dependsOn }) => [
    ref,
    dependsOn.filter((other) => optional.get(ref)?.has(other.replace(/@[^@]*$/, '')) !== true),
  ]),
);
const direct = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
const needed = new Set(direct);
for (const ref of needed) for (const other of needs.get(ref) ?? []) needed.add(other);
const bill = {
  ...all,
  components: all.components.filter((component) => needed.has(component['bom-ref'])),
  dependencies: all.dependencies.flatMap(({ ref, dependsOn }) => {
    if (needed.has(ref)) return [{ ref, dependsOn }];
    return ref === all.metadata.component['bom-ref'] ? [{ ref, dependsOn: direct }] : [];
  }),
};
const listed = new Set(bill.components.map((component) => component['bom-ref']));
const missing = [...needed].filter((ref) => !listed.has(ref));
if (bill.bomFormat !== 'CycloneDX' || missing.length > 0)
  throw new Error(`npm sbom left out ${missing.join(', ')}`);
writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`);
process.stdout.write(`${file}: ${listed.size} packages, CycloneDX ${bill.specVersion}\n`);
