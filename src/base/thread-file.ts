/**
 * Returns the URL of a thread's file in the folder of a module. The file ends in `.ts` when the module runs from the
 * sources, and in `.js` when it runs from the build.
 */
export function threadFile(name: string, moduleUrl: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
}
