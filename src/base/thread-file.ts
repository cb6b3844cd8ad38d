/**
 * URL of a thread's file in the folder of a module: `.ts` when the module runs from the sources, `.js` from the
 * build.
 */
export function threadFile(name: string, moduleUrl: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
}
