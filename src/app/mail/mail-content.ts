/** What a mail says, before it is laid out. All texts are plain. */
export interface MailContent {
  /** Kind of message in two or three words, such as `New incident`. */
  readonly kicker: string;
  /** Title in plain words. */
  readonly title: string;
  /** How urgent it is; it gives the colour of the mail. */
  readonly tone: Tone;
  readonly paragraphs: readonly string[];
  /** Names and values, in their order. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Things with a page of their own, such as the incidents of a digest. */
  readonly items: readonly { readonly title: string; readonly note: string; readonly href: string }[];
  readonly action: { readonly label: string; readonly href: string } | undefined;
  /** Change whose ground is shown before and after; undefined: none. */
  readonly picturedChange: string | undefined;
  /** Newest time that a picture of its areas may show, if there are no pictures of a change [ms]; undefined: none. */
  readonly pictureAreasUntilMs: number | undefined;
}

export type Tone = 'plain' | 'low' | 'medium' | 'high' | 'critical';

/** A picture in a mail. */
export interface MailPicture {
  /** Name by which the HTML refers to it. */
  readonly cid: string;
  readonly png: Uint8Array;
  /** What it shows, for those who do not see it. */
  readonly alt: string;
  /** Text below it. */
  readonly caption: string;
}

/** A mail that is ready to be encoded. */
export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly pictures: readonly MailPicture[];
  /** Identifier of the subject matter: mails about one incident or change are shown together. */
  readonly thread: string | undefined;
}
