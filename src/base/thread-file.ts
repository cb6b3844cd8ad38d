/** Address of a thread's file beside a module: `.ts` when the module runs from the sources, `.js` from the build. */
export function threadFile(name: string, moduleUrl: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
}
