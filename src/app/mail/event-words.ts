import type { WebhookEvent } from '../../contract/event-payloads.ts';
import { phenomenonOf } from '../../incident/phenomena.ts';
import { changeSeverity } from '../../incident/severity.ts';
import { KNOWN_METRICS } from '../series/known-metrics.ts';
import type { MailContent } from './mail-content.ts';

/** What the words of a mail need beside the event. */
export interface WordParts {
  /** Address of the console. */
  readonly base: string;
  /** Names of areas by id, of those that are known. */
  readonly areaNames: ReadonlyMap<string, string>;
}

type EventOf<T extends WebhookEvent['type']> = Extract<WebhookEvent, { type: T }>;
type ChangeEvent = EventOf<'change.detected' | 'change.updated' | 'change.suspected'>;
type IncidentEvent = EventOf<'incident.opened' | 'incident.updated' | 'incident.closed'>;
type AnomalyEvent = EventOf<'anomaly.detected' | 'anomaly.ended'>;

const NOTHING = {
  tone: 'plain',
  paragraphs: [],
  facts: [],
  items: [],
  action: undefined,
  picturedChange: undefined,
  pictureAreasUntilMs: undefined,
} as const satisfies Omit<MailContent, 'kicker' | 'title'>;

/** Says an event in plain words. */
export function contentOfEvent(event: WebhookEvent, parts: WordParts): MailContent {
  switch (event.type) {
    case 'incident.opened':
    case 'incident.updated':
    case 'incident.closed':
      return incidentContent(event, parts);
    case 'incident.digest':
      return digestContent(event, parts);
    case 'change.detected':
    case 'change.updated':
    case 'change.suspected':
      return changeContent(event, parts);
    case 'anomaly.detected':
    case 'anomaly.ended':
      return anomalyContent(event, parts);
    case 'risk.threshold_exceeded':
      return riskContent(event, parts);
    case 'webhook.disabled':
      return {
        ...NOTHING,
        kicker: 'Endpoint switched off',
        title: 'An endpoint gets no more events',
        tone: 'medium',
        paragraphs: ['It can be switched on again on its page.'],
        facts: [
          ['Address', event.data.endpoint_url.replace(/^mailto:.*$/, 'an e-mail address')],
          ['Reason', event.data.reason],
          ['Failing since', dayText(event.data.failing_since)],
        ],
        action: { label: 'Open the endpoint', href: page(parts, 'webhooks', event.data.webhook_id) },
      };
    case 'webhook.test':
    default:
      return {
        ...NOTHING,
        kicker: 'Test',
        title: 'Mails to this address arrive',
        paragraphs: ['This mail was asked for to try the address. There is nothing to do.'],
        action: { label: 'Open the console', href: `${parts.base}/` },
      };
  }
}

function incidentContent({ type, data }: IncidentEvent, parts: WordParts): MailContent {
  const kicker = {
    'incident.opened': 'New incident',
    'incident.updated': 'Incident updated',
    'incident.closed': 'Incident closed',
  }[type];
  const merged = data.merged_into;
  return {
    ...NOTHING,
    kicker,
    title: data.title,
    tone: data.severity,
    paragraphs:
      typeof merged === 'string'
        ? ['It has the same cause as another incident, which goes on in its place.']
        : [],
    facts: [
      ['How severe', upperFirst(data.severity)],
      ['Where', areasText(data.aoi_ids, data.area_count, parts)],
      ...(data.area_m2 === null ? [] : ([['How large', areaText(data.area_m2)]] as const)),
      ['When', whenText(data)],
      ['Consists of', membersText(data.anomaly_count, data.change_count)],
      ...(data.perils.length === 0 ? [] : ([['Perils', upperFirst(data.perils.join(', '))]] as const)),
    ],
    action: {
      label: 'Open the incident',
      href: page(parts, 'incidents', typeof merged === 'string' ? merged : data.id),
    },
    picturedChange: changeIn(data.images_url),
    pictureAreasUntilMs: data.ended_at === null ? Infinity : Date.parse(data.ended_at),
  };
}

function digestContent({ data }: EventOf<'incident.digest'>, parts: WordParts): MailContent {
  const { incidents, incident_count: count } = data;
  const area = areasText([data.aoi_id], 1, parts);
  const worst = (['critical', 'high', 'medium', 'low'] as const).find((tone) =>
    incidents.some(({ severity }) => severity === tone),
  );
  const left = count - incidents.length;
  return {
    ...NOTHING,
    kicker: data.digest === 'hourly' ? 'Hourly digest' : 'Daily digest',
    title: `${count === 1 ? 'One incident' : `${count} incidents`} began or changed at ${area}`,
    tone: worst ?? 'plain',
    paragraphs: left > 0 ? [`${left} more are in the console.`] : [],
    items: incidents.map((incident) => ({
      title: incident.title,
      note: `${upperFirst(incident.severity)}, ${STATE_WORDS[incident.status]}, ${membersText(incident.anomaly_count, incident.change_count)}`,
      href: page(parts, 'incidents', incident.id),
    })),
    action: { label: 'Open the incidents', href: `${parts.base}/#/incidents` },
    picturedChange: incidents.map(({ images_url: url }) => changeIn(url)).find((id) => id !== undefined),
    pictureAreasUntilMs: Infinity,
  };
}

function changeContent({ type, data }: ChangeEvent, parts: WordParts): MailContent {
  const { words } = phenomenonOf({ kind: 'change', what: data.type, sign: 1, peril: null });
  const kicker =
    data.status === 'rejected'
      ? 'Change withdrawn'
      : data.status === 'recovered'
        ? 'Change recovered'
        : {
            'change.detected': 'Change confirmed',
            'change.updated': 'Change updated',
            'change.suspected': 'Change suspected',
          }[type];
  const size = areaText(data.area_m2);
  return {
    ...NOTHING,
    kicker,
    title: `${upperFirst(words)} on ${size} at ${areasText(data.aoi_ids, data.aoi_ids.length, parts)}`,
    tone: data.status === 'confirmed' ? changeSeverity(data.area_m2) : 'plain',
    facts: [
      ['Where', areasText(data.aoi_ids, data.aoi_ids.length, parts)],
      ['How large', size],
      ['Since', dayText(data.first_anomaly_at)],
      ...(data.confirmed_at === null ? [] : ([['Confirmed on', dayText(data.confirmed_at)]] as const)),
      ...(data.recovered_at === null ? [] : ([['Recovered on', dayText(data.recovered_at)]] as const)),
      ['How sure', `${Math.round(data.confidence * 100)} %`],
    ],
    action: { label: 'Open the change', href: page(parts, 'changes', data.id) },
    picturedChange: data.id,
  };
}

function anomalyContent({ type, data }: AnomalyEvent, parts: WordParts): MailContent {
  const { words } = phenomenonOf({
    kind: 'anomaly',
    what: data.metric,
    sign: data.residual < 0 ? -1 : 1,
    peril: data.peril,
  });
  const unit = KNOWN_METRICS.find(({ key }) => key === data.metric)?.unit ?? '1';
  const value = (number: number): string => `${roundedText(number)}${unit === '1' ? '' : ` ${unit}`}`;
  return {
    ...NOTHING,
    kicker: type === 'anomaly.ended' ? 'Back to normal' : 'Unusual values',
    title: `${upperFirst(words)} at ${areasText([data.aoi_id], 1, parts)}`,
    tone: type === 'anomaly.ended' ? 'plain' : data.severity,
    facts: [
      ['How severe', upperFirst(data.severity)],
      ['Measured', `${value(data.value)} (${data.metric.replaceAll('_', ' ')})`],
      ['Expected', value(data.expected)],
      [
        'When',
        data.ended_at === null
          ? `Since ${dayText(data.started_at)}`
          : spanText(data.started_at, data.ended_at),
      ],
      ['Peril', upperFirst(data.peril)],
    ],
    action: { label: 'Open the anomaly', href: page(parts, 'anomalies', data.id) },
    pictureAreasUntilMs: data.ended_at === null ? Infinity : Date.parse(data.ended_at),
  };
}

function riskContent({ data }: EventOf<'risk.threshold_exceeded'>, parts: WordParts): MailContent {
  const where = data.aoi_id === undefined ? `${data.lat}, ${data.lng}` : areasText([data.aoi_id], 1, parts);
  return {
    ...NOTHING,
    kicker: 'Risk above its threshold',
    title: `${upperFirst(data.peril)} risk at ${where} is above ${roundedText(data.threshold)}`,
    tone: 'high',
    facts: [
      ['Score', `${roundedText(data.risk_score)} of 1`],
      ['Before', roundedText(data.previous_score)],
      ['How sure', `${Math.round(data.confidence * 100)} %`],
    ],
    action: {
      label: 'Open the watches',
      href: data.watch_id === undefined ? `${parts.base}/#/watches` : page(parts, 'watches', data.watch_id),
    },
    pictureAreasUntilMs: Infinity,
  };
}

const STATE_WORDS = { open: 'ongoing', standing: 'still there', closed: 'over' } as const;

/** When an incident was. One that stands has no end: nothing new happens to it. */
function whenText({ status, started_at: from, ended_at: to }: IncidentEvent['data']): string {
  if (to !== null) return spanText(from, to);
  return status === 'standing' ? `First seen ${dayText(from)}, still there` : `Since ${dayText(from)}`;
}

const page = ({ base }: WordParts, pane: string, id: string): string =>
  `${base}/#/${pane}/${encodeURIComponent(id)}`;

/** Id of the change whose pictures are at a path of the API. */
function changeIn(imagesUrl: string | null): string | undefined {
  return /^\/v1\/changes\/([^/]+)\/images$/.exec(imagesUrl ?? '')?.[1];
}

function areasText(ids: readonly string[], count: number, { areaNames }: WordParts): string {
  const main = ids.map((id) => areaNames.get(id)).find((name) => name !== undefined);
  if (main === undefined) return count === 1 ? 'an area' : `${count} areas`;
  return count <= 1 ? main : `${main} and ${count - 1} more ${count === 2 ? 'area' : 'areas'}`;
}

function membersText(anomalies: number, changes: number): string {
  const counted = (count: number, one: string, many: string): string[] =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  return [...counted(anomalies, 'anomaly', 'anomalies'), ...counted(changes, 'change', 'changes')].join(
    ' and ',
  );
}

/** A day as `5 October 2024`, in UTC. */
export function dayText(time: string): string {
  return new Date(time).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

function spanText(from: string, to: string): string {
  const [first, last] = [dayText(from), dayText(to)];
  return first === last ? first : `${first} to ${last}`;
}

function areaText(areaM2: number): string {
  if (areaM2 < 1_000) return `${Math.round(areaM2)} m²`;
  if (areaM2 < 1_000_000) return `${roundedText(areaM2 / 10_000)} ha`;
  return `${roundedText(areaM2 / 1_000_000)} km²`;
}

/** At most two decimals, or two significant digits of a small number. */
function roundedText(value: number): string {
  return Math.abs(value) >= 0.1 || value === 0 ? String(Math.round(value * 100) / 100) : value.toPrecision(2);
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
