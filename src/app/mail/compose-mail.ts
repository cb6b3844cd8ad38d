import { InvalidInput, NotFound } from '../../base/errors.ts';
import { NoPlace } from '../../base/fair-queue.ts';
import type { WebhookEvent } from '../../contract/event-payloads.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import { makeAreaPicture } from '../pictures/area-picture.ts';
import { makeChangeImage } from '../pictures/change-images.ts';
import type { MailBox } from '../webhooks/mail-store.ts';
import { confirmationContent } from './confirmation-words.ts';
import { contentOfEvent, dayText } from './event-words.ts';
import { CONFIRM_PATH, STOP_PATH } from './link-paths.ts';
import type { Mail, MailContent, MailPicture } from './mail-content.ts';
import { htmlMail, type MailFooter, plainMail } from './mail-layout.ts';

export type MailDeps = Pick<Deps, 'storage' | 'pictures'> & {
  /** Address of the service. */
  readonly baseUrl: () => string;
};

/** What a mail is about and whom it is for. */
export interface MailOrder {
  readonly accountId: string;
  /** JSON text of the event. */
  readonly body: string;
  readonly box: MailBox;
}

/** Most areas whose names are looked up for one mail. */
const NAMED_AREAS = 3;
/** Longest subject [characters]. */
const SUBJECT_LENGTH = 150;

/**
 * Writes the mail of an event: in words, as plain text and HTML, with pictures. To an address that is not confirmed, the
 * mail that asks for it.
 */
export async function composeMail(deps: MailDeps, { accountId, body, box }: MailOrder): Promise<Mail> {
  const base = deps.baseUrl();
  const event = JSON.parse(body) as WebhookEvent;
  const owner: Owner = { accountId, environment: event.environment };
  const stopUrl = `${base}${STOP_PATH}/${box.stop}`;
  if (box.confirm !== undefined) {
    const { host } = new URL(base);
    return laidOut(confirmationContent(host, `${base}${CONFIRM_PATH}/${box.confirm}`), [], {
      reason: `This is the only mail about it from the Groundwatch service at ${host}.`,
      stopLabel: 'I did not ask for this',
      stopUrl,
    });
  }
  const storage = deps.storage.boundTo(owner);
  const areas: Aoi[] = [];
  for (const id of areasOf(event).slice(0, NAMED_AREAS)) {
    const area = await storage.aois.find(owner, id);
    if (area !== undefined) areas.push(area);
  }
  const content = contentOfEvent(event, {
    base,
    areaNames: new Map(areas.map(({ id, name }) => [id, name])),
  });
  const ofChange = await picturesOf({ ...deps, storage }, owner, content);
  const pictures =
    ofChange.length > 0 ? ofChange : await picturesOfAreas({ ...deps, storage }, owner, content, areas);
  const mark = owner.environment === 'production' ? '' : `[${owner.environment}] `;
  const mail = laidOut(content, pictures, {
    reason: `You get this mail because this address is registered for events of an account of Groundwatch${mark === '' ? '' : ` (${owner.environment} environment)`}.`,
    stopLabel: 'Send me no more of these mails',
    stopUrl,
  });
  return { ...mail, subject: shortened(`${mark}${mail.subject}`), thread: threadOf(event) };
}

function laidOut(content: MailContent, pictures: readonly MailPicture[], footer: MailFooter): Mail {
  return {
    subject: `${content.kicker}: ${content.title}`,
    text: plainMail(content, pictures, footer),
    html: htmlMail(content, pictures, footer),
    pictures,
    thread: undefined,
  };
}

/** The ground of a change before and after. A picture that cannot be made is left out: the mail matters more. */
async function picturesOf(
  deps: Pick<Deps, 'storage' | 'pictures'>,
  owner: Owner,
  { picturedChange: id }: MailContent,
): Promise<readonly MailPicture[]> {
  if (id === undefined) return [];
  const pictures: MailPicture[] = [];
  for (const moment of ['before', 'after'] as const)
    try {
      const png = await makeChangeImage(deps, owner, id, moment, 'metric');
      const alt = `the ground ${moment} the change, with its outline`;
      pictures.push({
        cid: `${moment}@groundwatch`,
        png,
        alt,
        caption: moment === 'before' ? 'Before' : 'After',
      });
    } catch (error) {
      if (!(error instanceof NotFound || error instanceof NoPlace || error instanceof InvalidInput))
        throw error;
    }
  return pictures;
}

/** The ground of the areas, where there is no picture of a change: weather is seen on no scene. */
async function picturesOfAreas(
  deps: Pick<Deps, 'storage' | 'pictures'>,
  owner: Owner,
  { pictureAreasUntilMs: untilMs }: MailContent,
  areas: readonly Aoi[],
): Promise<readonly MailPicture[]> {
  if (untilMs === undefined || areas.length === 0) return [];
  try {
    const { png, sceneAt, lines } = await makeAreaPicture(deps, owner, areas, untilMs);
    const names = areas.map(({ name }) => name).join(', ');
    return [
      sceneAt === null
        ? {
            cid: 'map@groundwatch',
            png,
            alt: `a map of ${names}`,
            caption: `${names}. The lines are ${Number(lines!.toPrecision(1))} degrees apart.`,
          }
        : {
            cid: 'area@groundwatch',
            png,
            alt: `the ground of ${areas[0]!.name}, with its outline`,
            caption: `${areas[0]!.name}, as it was seen on ${dayText(sceneAt)}`,
          },
    ];
  } catch (error) {
    if (!(error instanceof NotFound || error instanceof NoPlace || error instanceof InvalidInput))
      throw error;
    return [];
  }
}

function areasOf(event: WebhookEvent): readonly string[] {
  if ('aoi_ids' in event.data) return event.data.aoi_ids;
  return 'aoi_id' in event.data && typeof event.data.aoi_id === 'string' ? [event.data.aoi_id] : [];
}

function threadOf(event: WebhookEvent): string | undefined {
  const isThread = /^(?:incident\.(?:opened|updated|closed)|change\.|anomaly\.)/.test(event.type);
  return isThread && 'id' in event.data ? event.data.id : undefined;
}

function shortened(text: string): string {
  return text.length <= SUBJECT_LENGTH ? text : `${text.slice(0, SUBJECT_LENGTH - 3).toWellFormed()}...`;
}
