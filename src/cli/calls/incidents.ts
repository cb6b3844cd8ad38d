import { type Command, Misuse, moment, table, text } from '../command.ts';
import { areaId, service } from './service-call.ts';

const STATUSES = ['open', 'closed'] as const;

export const incidentsCommand: Command = {
  name: 'incidents',
  summary: 'List what happened, in words, over the API (groundwatch login first)',
  options: {
    area: { value: 'NAME|ID', meaning: 'one area of interest', fallback: 'all of them' },
    since: { value: 'TIME', meaning: 'began at or after', fallback: 'any time' },
    status: { value: STATUSES.join('|'), meaning: 'open or closed ones', fallback: 'both' },
  },
  async run(context, given) {
    const [since, named, said] = [moment(given, 'since'), text(given, 'area'), text(given, 'status')];
    const status = STATUSES.find((known) => known === said);
    if (status !== said) throw new Misuse(`--status: expected one of ${STATUSES.join(', ')}, got ${said}`);
    const groundwatch = await service(context);
    const query = {
      limit: 1000,
      ...(named !== undefined && { aoi_id: await areaId(groundwatch, named) }),
      ...(since !== undefined && { since: new Date(since) }),
      ...(status !== undefined && { status }),
    };
    const incidents = [];
    for await (const incident of groundwatch.incidents(query)) incidents.push(incident);
    context.print(
      { incidents },
      incidents.length === 0
        ? 'no incidents'
        : table(
            ['ID', 'SEVERITY', 'STATUS', 'WHAT'],
            incidents.map(({ id, severity, status: state, title }) => [id, severity, state, title]),
          ),
    );
  },
};
