import type { Command } from './command.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'API and workers in one process (npm start)',
  options: {
    'no-worker': { meaning: 'only answer requests: deliveries and jobs are done by other processes' },
    'no-console': { meaning: 'do not serve the console' },
  },
  run: (context, { options }) =>
    context.serve({
      api: true,
      worker: options['no-worker'] !== true,
      console: options['no-console'] !== true,
    }),
};

export const workerCommand: Command = {
  name: 'worker',
  summary: 'Workers only, next to other nodes of the same database (DATABASE_URL)',
  run: (context) => context.serve({ api: false, worker: true, console: false }),
};
