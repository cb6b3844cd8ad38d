import { Type, type Static } from 'typebox';

/** A link of the OGC API documents. @see OGC 17-069r4, section 5.2 */
export const OgcLink = Type.Object(
  {
    href: Type.String({ format: 'uri-reference' }),
    rel: Type.String(),
    type: Type.Optional(Type.String({ description: 'Media type of what is there.' })),
    title: Type.Optional(Type.String()),
  },
  { title: 'OgcLink' },
);
export type OgcLink = Static<typeof OgcLink>;

export const OgcLinks = Type.Array(OgcLink);

/** Format of an answer at `/ogc`: there is one of each, so that programs that name it are understood. */
export const OgcFormat = Type.Optional(Type.Literal('json', { description: 'The only format.' }));
