import { table, type Command } from './command.ts';

export const listNodesCommand: Command = {
  name: 'nodes',
  isLight: true,
  summary: 'List the processes that serve, with their version, clock and load, and count their jobs',
  async run(context) {
    const { storage } = await context.open();
    const nodes = (await storage.nodes.list()).map((node) => ({
      id: node.id,
      roles: node.roles,
      host: node.host,
      version: node.version,
      started_at: node.startedAt.toISOString(),
      seen_at: node.seenAt.toISOString(),
      silent_seconds: Math.round(node.silentS),
      clock_offset_seconds: Number(node.clockOffsetS.toFixed(3)),
      load: Number(node.load.toFixed(2)),
    }));
    const jobs = (await storage.jobs.counts()).map(({ name, waiting, running, failed, overdueS }) => ({
      kind: name,
      waiting,
      running,
      failed,
      overdue_seconds: Math.round(overdueS),
    }));
    const work = jobs.map(
      ({ kind, waiting, running, failed, overdue_seconds: overdue }) =>
        `${kind}: ${waiting} wait (${overdue} s), ${running} run, ${failed} were given up`,
    );
    const rows = nodes.map((node) => [
      node.host,
      node.roles.join(' '),
      node.version,
      node.started_at,
      `${node.silent_seconds} s`,
      `${node.clock_offset_seconds} s`,
      String(node.load),
    ]);
    const header = ['host', 'roles', 'version', 'started', 'silent for', 'clock off by', 'load'];
    context.print(
      { nodes, jobs },
      [nodes.length === 0 ? 'No process serves' : table(header, rows), ...work].join('\n'),
    );
  },
};
