import { open } from 'node:fs/promises';
import type { AuditRecord } from '../app/access/audit-store.ts';
import { Failed, Misuse, text, type Command } from './command.ts';

export const exportAuditCommand: Command = {
  name: 'audit export',
  summary: 'Write the audit log to a new file, one JSON object per line',
  operands: ['FILE'],
  async run(context, { operands }) {
    const path = operands[0]!;
    const { storage } = await context.open();
    let last: AuditRecord | undefined;
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const records of storage.audit.read()) {
        await file.write(records.map((record) => `${JSON.stringify(present(record))}\n`).join(''));
        last = records.at(-1);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    const head = last === undefined ? null : `${last.seq}:${last.hash.toString('hex')}`;
    context.print(
      { file: path, entries: last?.seq ?? 0, head },
      head === null
        ? `${path}: the log is empty`
        : `${path}: ${last!.seq} entries. Keep this elsewhere: with it audit verify --noted proves that no entry was removed:\n${head}`,
    );
  },
};

export const verifyAuditCommand: Command = {
  name: 'audit verify',
  summary: 'Prove that the audit log is whole and unaltered',
  options: {
    noted: { value: 'SEQ:HASH', meaning: 'an entry that was noted down earlier, which must still be there' },
  },
  async run(context, given) {
    const asked = text(given, 'noted');
    const form = /^(\d{1,15}):([0-9a-f]{64})$/.exec(asked ?? '');
    if (asked !== undefined && form === null)
      throw new Misuse('--noted: expected SEQ:HASH as audit export prints it');
    const { storage } = await context.open();
    const noted = form === null ? undefined : { seq: Number(form[1]), hash: form[2]! };
    const verdict = await storage.audit.verify(noted);
    if (!verdict.intact)
      throw new Failed(`The audit log is broken at entry ${verdict.seq}: ${verdict.reason}`);
    const head = `${verdict.entries}:${verdict.head}`;
    context.print(
      { intact: true, entries: verdict.entries, head },
      `The audit log is whole: ${verdict.entries} entries, ending with ${head}`,
    );
  },
};

function present(record: AuditRecord): Readonly<Record<string, unknown>> {
  return {
    seq: record.seq,
    at: record.at.toISOString(),
    actor: record.actor,
    action: record.action,
    target: record.target,
    account_id: record.accountId,
    environment: record.environment,
    address: record.address,
    request_id: record.requestId,
    result: record.result,
    count: record.count,
    hash: record.hash.toString('hex'),
  };
}
