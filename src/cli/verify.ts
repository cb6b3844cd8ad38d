import { verifyChange } from '../app/changes/verify-change.ts';
import { Failed, type Command } from './command.ts';
import { progressNotes } from './progress.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Recompute a change from its provenance, and compare digests',
  operands: ['CHANGE_ID'],
  async run(context, given) {
    const deps = await context.open();
    const { id, digest, recomputed, scenes, problems } = await verifyChange(
      deps,
      given.operands[0]!,
      progressNotes(context, deps.clock)('pixels'),
    );
    const verified = problems.length === 0;
    const [first] = problems;
    context.print(
      { id, verified, digest, recomputed, scenes, problems },
      verified
        ? `${id} is verified: ${scenes} scenes are unchanged and give the same digest, ${digest}`
        : problems.map(({ kind, message }) => `${kind}: ${message}`).join('\n'),
    );
    // A change that was detected by another release of the software may be correct, but this release cannot verify
    // it.
    const isElsewhere = problems.every(({ kind }) => kind === 'software');
    if (first !== undefined)
      throw new Failed(
        `${id} ${isElsewhere ? 'cannot be verified here' : 'does not hold'}: ${first.message}`,
      );
  },
};
