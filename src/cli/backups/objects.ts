import { InvalidInput, NotFound } from '../../base/errors.ts';
import { type BucketBackups, type CliContext, type Command, table } from '../command.ts';

export const listBackupsCommand: Command = {
  name: 'objects backups',
  summary: 'List the backups that keep objects of GROUNDWATCH_OBJECTS from being deleted',
  async run(context) {
    const found = (await backupsOf(context)).list();
    const backups = (await found).map(({ id, made_at, is_complete: complete, cubes }) => ({
      id,
      made_at,
      complete,
      cubes: cubes.length,
    }));
    const rows = backups.map(({ id, made_at, complete }) => [id, made_at, complete ? '' : 'unfinished']);
    context.print(
      { backups },
      backups.length === 0 ? 'No backup keeps objects' : table(['id', 'made', ''], rows),
    );
  },
};

export const releaseBackupCommand: Command = {
  name: 'objects release',
  summary: 'Let go of the objects that a backup keeps; it cannot be restored from the bucket any more',
  operands: ['ID'],
  audited: true,
  async run(context, { operands }) {
    const id = operands[0]!;
    const deleted = await (await backupsOf(context)).release(id);
    if (deleted === undefined) throw new NotFound(`No backup ${id} keeps objects`);
    context.print(
      { id, deleted },
      `${id}: deleted ${deleted} objects; what is in use, or younger than an hour, stays`,
    );
  },
};

async function backupsOf(context: CliContext): Promise<BucketBackups> {
  const { bucketBackups } = await context.open();
  if (bucketBackups === undefined)
    throw new InvalidInput('GROUNDWATCH_OBJECTS: expected a bucket, got nothing; backups are whole files');
  return bucketBackups;
}
