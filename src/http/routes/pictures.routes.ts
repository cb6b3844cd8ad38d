import { describeChangeImages, makeChangeImage } from '../../app/pictures/change-images.ts';
import * as contract from '../../contract/pictures/change-images.ts';
import { route, type RouteContext } from '../route.ts';

export function pictureRoutes(context: RouteContext): void {
  const { pictures } = context.deps;
  route(context, contract.getChangeImages, ({ storage, principal, params }) =>
    describeChangeImages({ storage, pictures }, principal, params.id),
  );
  route(context, contract.getChangeImage, async ({ storage, principal, params, reply }) => {
    const picture = await makeChangeImage({ storage, pictures }, principal, params.id, params.moment);
    reply.type('image/png');
    return Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  });
}
