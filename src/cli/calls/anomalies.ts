import type { Anomaly } from '../../contract/anomalies.ts';
import { type Command, moment, table, text } from '../command.ts';
import { allOf, areaId, service } from './service-call.ts';

export const anomaliesCommand: Command = {
  name: 'anomalies',
  summary: 'List the anomalies of the account over the API (groundwatch login first)',
  options: {
    area: { value: 'NAME|ID', meaning: 'one area of interest', fallback: 'all of them' },
    since: { value: 'TIME', meaning: 'detected at or after', fallback: 'any time' },
  },
  async run(context, given) {
    const [since, named] = [moment(given, 'since'), text(given, 'area')];
    const groundwatch = await service(context);
    const area = named === undefined ? undefined : await areaId(groundwatch, named);
    const names = new Map<string, string>();
    for await (const { id, name } of groundwatch.aois({ limit: 1000 })) names.set(id, name);
    const query = { limit: 1000, ...(since !== undefined && { since: new Date(since) }) };
    const all = await allOf<Anomaly>((paging) =>
      groundwatch.listAnomalies({ ...query, ...paging, f: 'geojson' }),
    );
    const anomalies = all.filter((anomaly) => area === undefined || anomaly.aoi_id === area);
    context.print(
      { anomalies },
      anomalies.length === 0
        ? 'no anomalies; only areas with a subscription are looked at (POST /v1/anomalies/subscribe)'
        : table(
            ['ID', 'PERIL', 'SEVERITY', 'STATUS', 'STARTED', 'METRIC', 'VALUE', 'EXPECTED', 'AREA'],
            anomalies.map((anomaly) => [
              anomaly.id,
              anomaly.peril,
              anomaly.severity,
              anomaly.status,
              anomaly.started_at.slice(0, 10),
              anomaly.metric,
              anomaly.value.toPrecision(3),
              anomaly.expected.toPrecision(3),
              names.get(anomaly.aoi_id) ?? anomaly.aoi_id,
            ]),
          ),
    );
  },
};
