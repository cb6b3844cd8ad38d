import { useEffect, useState } from 'preact/hooks';
import type { ChangeImages } from '../../src/client/index.ts';
import { type Answer, useAnswer } from '../answer.ts';
import { day, number, percent } from '../format.ts';
import { metricName } from '../imagery/metric-names.ts';
import { useMap } from '../map/map-content.ts';
import { Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { useClient } from '../session.ts';
import { length, scaleBar } from './scale-bar.ts';

/** The ground before and after a change that is named by its id. */
export function ImagesOfChange({ id }: { readonly id: string }) {
  const client = useClient();
  return <ChangeImagesSection found={useAnswer((signal) => client.getChangeImages(id, { signal }), [id])} />;
}

/** The ground before and after a change, one over the other, with a divider that a slider moves. */
export function ChangeImagesSection({ found }: { readonly found: Answer<ChangeImages> }) {
  const images = found.value;
  const { show } = useMap();
  // The map shows the scene of the picture after the change, and its slider the others.
  useEffect(() => {
    const since = images?.after?.scene.datetime ?? images?.before?.scene.datetime;
    if (images !== undefined && since !== undefined)
      show({ imagery: { collection: images.collection.id, since } });
  }, [images]);
  return (
    <section aria-labelledby="images-heading" class="images">
      <h2 id="images-heading">Before and after</h2>
      <Problem error={found.error} again={found.again} />
      {images === undefined && found.waiting && <Waiting for="the pictures" />}
      {images && (images.before || images.after) && <Pictures images={images} />}
      {images && !images.before && !images.after && (
        <p class="empty">No scene shows the ground of this change.</p>
      )}
    </section>
  );
}

function Pictures({ images }: { readonly images: ChangeImages }) {
  const [share, setShare] = useState(50);
  const { before, after, metric, unit, collection, legend } = images;
  const both = before !== null && after !== null;
  const shown = [before, after].filter((one) => one !== null);
  const canBeTrue = shown.every((one) => one.true_colour_url !== null);
  const [wantsTrue, setWantsTrue] = useState(true);
  const colours = canBeTrue && wantsTrue ? 'true' : 'metric';
  const bar = scaleBar(images.width_m);
  return (
    <figure>
      {canBeTrue && (
        <label class="inline">
          <span>Colours</span>
          <select value={colours} onChange={(event) => setWantsTrue(event.currentTarget.value === 'true')}>
            <option value="true">As the eye sees them</option>
            <option value="metric">{metricName(metric)}</option>
          </select>
        </label>
      )}
      <div class="swipe" style={{ aspectRatio: `${images.width} / ${images.height}` }}>
        {after && <Picture images={images} moment="after" colours={colours} />}
        {before && (
          <div class="before" style={both ? { clipPath: `inset(0 ${100 - share}% 0 0)` } : {}}>
            <Picture images={images} moment="before" colours={colours} />
          </div>
        )}
        {before && <span class="tag left">Before · {day(before.scene.datetime)}</span>}
        {after && <span class="tag right">After · {day(after.scene.datetime)}</span>}
        {both && <span class="divider" style={{ left: `${share}%` }} />}
        <span class="scale" style={{ width: `${bar.share * 100}%` }}>
          {bar.text}
        </span>
        {both && (
          <input
            type="range"
            min="0"
            max="100"
            value={share}
            aria-label="How much of the picture before is shown"
            aria-valuetext={`${share} % before, ${100 - share} % after`}
            onInput={(event) => setShare(Number(event.currentTarget.value))}
          />
        )}
      </div>
      {!before && <p class="note">No scene before the change shows this ground.</p>}
      {!after && <p class="note">No scene since the change shows this ground.</p>}
      <div class="legend" hidden={colours === 'true'}>
        <span>{number(legend.min)}</span>
        <span
          class="ramp"
          style={{ background: `linear-gradient(to right, ${legend.colours.join(', ')})` }}
          role="img"
          aria-label={`Colours from ${number(legend.min)} to ${number(legend.max)}`}
        />
        <span>
          {number(legend.max)}
          {unit === '1' ? '' : ` ${unit}`}
        </span>
        <span class="missing" aria-hidden="true" />
        <span>not seen</span>
      </div>
      <figcaption class="note">
        {colours === 'true' ? 'True colour' : metric} of{' '}
        {images.simulated === true ? 'the simulated region' : collection.name}. One square is{' '}
        {length(images.pixel_m)}; the white line is the change.
        {!canBeTrue && images.simulated !== true && ' There is no picture in true colour of these scenes.'}
        {[before, after].some((one) => one && one.clear_fraction < 1) &&
          ` Seen: ${before ? `${percent(before.clear_fraction)} before` : ''}${both ? ', ' : ''}${after ? `${percent(after.clear_fraction)} after` : ''}.`}
      </figcaption>
    </figure>
  );
}

/** One of the pictures. It is fetched with the credential of the session, which an address in `src` would not send. */
function Picture({
  images,
  moment,
  colours,
}: {
  readonly images: ChangeImages;
  readonly moment: 'before' | 'after';
  readonly colours: 'metric' | 'true';
}) {
  const client = useClient();
  const [address, setAddress] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const key = `${images.change_id} ${images[moment]!.scene.id} ${colours}`;
  useEffect(() => {
    const stop = new AbortController();
    let made: string | undefined;
    setError(undefined);
    const load = async (): Promise<void> => {
      try {
        const bytes = await client.getChangeImage(images.change_id, moment, {
          signal: stop.signal,
          colours,
        });
        if (stop.signal.aborted) return;
        made = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/png' }));
        setAddress(made);
      } catch (reason) {
        if (!stop.signal.aborted) setError(reason);
      }
    };
    void load();
    return () => {
      stop.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [key]);
  if (error !== undefined) return <Problem error={error} />;
  if (address === undefined)
    return (
      <span class="loading" role="status">
        Loading the picture {moment} the change …
      </span>
    );
  return (
    <img
      src={address}
      alt={`The ground ${moment} the change, ${day(images[moment]!.scene.datetime)}, with its outline`}
    />
  );
}
