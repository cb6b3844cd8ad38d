import type { Change } from '../../contract/changes.ts';
import { CHANGE_STATUSES } from '../../contract/vocabulary.ts';
import { type Command, Misuse, moment, required, table, text } from '../command.ts';
import { allOf, AREA, areaId, service } from './service-call.ts';

const STATUSES = [...CHANGE_STATUSES, 'all'] as const;

export const changesCommand: Command = {
  name: 'changes',
  summary: 'List the changes of an area over the API (groundwatch login first)',
  options: {
    area: AREA,
    since: { value: 'TIME', meaning: 'detected at or after', fallback: 'any time' },
    status: { value: STATUSES.join('|'), meaning: 'state of the change', fallback: 'confirmed' },
  },
  async run(context, given) {
    const said = text(given, 'status') ?? 'confirmed';
    const status = STATUSES.find((known) => known === said);
    if (status === undefined)
      throw new Misuse(`--status: expected one of ${STATUSES.join(', ')}, got ${said}`);
    const since = moment(given, 'since');
    const groundwatch = await service(context);
    const area = await areaId(groundwatch, required(given, 'area'));
    const query = {
      aoi_id: area,
      status,
      limit: 1000,
      ...(since !== undefined && { since: new Date(since) }),
    };
    const changes = await allOf<Change>((paging) =>
      groundwatch.listChanges({ ...query, ...paging, f: 'geojson' }),
    );
    // Without images an empty list would wrongly say that nothing changed.
    const { imagery } = await groundwatch.getAoi(area);
    context.print(
      { changes, imagery },
      changes.length === 0
        ? imagery.length === 0
          ? 'no data: no images cover the area'
          : 'no changes'
        : table(
            ['ID', 'TYPE', 'STATUS', 'SINCE', 'CONFIDENCE', 'HA', 'METRIC'],
            changes.map((change) => [
              change.id,
              change.type,
              change.status,
              change.first_anomaly_at,
              change.confidence.toFixed(2),
              (change.area_m2 / 10_000).toFixed(2),
              change.metric,
            ]),
          ),
    );
  },
};
