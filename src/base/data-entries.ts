/** Names of what the service keeps in a data folder. */
const ENTRIES: ReadonlySet<string> = new Set([
  'postgres',
  'postgres-location',
  'cubes',
  'objects-cache',
  'object-heads',
  'layers',
  'tls',
  'secret-key',
  'backup-signing-key',
  'demo-key',
  'service.sock',
  'commands.sock',
  'restore-unfinished',
  'lost+found', // of a file system that is mounted there
]);
/** Temporary files beside an entry, and folders that only try something. */
const TEMPORARY = /^\.|^(?:secret-key|backup-signing-key|demo-key|postgres-location)\./;

/** Whether an entry of a data folder is ours, by its name. */
export function isDataEntry(name: string): boolean {
  return ENTRIES.has(name) || TEMPORARY.test(name);
}
