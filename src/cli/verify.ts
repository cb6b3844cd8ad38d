import { verifyChange } from '../app/changes/verify-change.ts';
import { Failed, type Command } from './command.ts';

const PROGRESS_EVERY_MS = 1000;

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Recompute a change from its provenance, and compare digests',
  operands: ['CHANGE_ID'],
  async run(context, given) {
    const deps = await context.open();
    let told = 0;
    const { id, digest, recomputed, scenes, problems } = await verifyChange(
      deps,
      given.operands[0]!,
      (done, total) => {
        const now = deps.clock.now();
        if (done < total && now - told < PROGRESS_EVERY_MS) return;
        told = now;
        context.note(`pixels: ${done} of ${total}`);
      },
    );
    const verified = problems.length === 0;
    const [first] = problems;
    context.print(
      { id, verified, digest, recomputed, scenes, problems },
      verified
        ? `${id} holds: ${scenes} scenes as they were, and the same digest again, ${digest}`
        : problems.map(({ kind, message }) => `${kind}: ${message}`).join('\n'),
    );
    // What another release made may hold well: this one cannot tell.
    const isElsewhere = problems.every(({ kind }) => kind === 'software');
    if (first !== undefined)
      throw new Failed(
        `${id} ${isElsewhere ? 'cannot be verified here' : 'does not hold'}: ${first.message}`,
      );
  },
};
