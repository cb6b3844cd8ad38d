/** Last part of a path with slashes or backslashes. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1)!;
}
