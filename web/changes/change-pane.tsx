import { useEffect } from 'preact/hooks';
import type { Aoi, Change, ChangeImages } from '../../src/client/index.ts';
import { type Answer, useAnswer } from '../answer.ts';
import { changeName } from './change-name.ts';
import { area, day, percent, signed } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { MapGap } from '../map/map-gap.tsx';
import { useUnits } from '../metric-units.ts';
import { Badge, Copyable, Facts, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';
import { ChangeImagesSection } from './change-images.tsx';
import { confidenceText, experienceOf, experienceText } from './experience.ts';
import { ProvenanceFacts } from './provenance-facts.tsx';
import { RecordSection } from './record-section.tsx';

/** Details of one change: type, place, dates, confidence, evidence and provenance. */
export function ChangePane({ id, areas }: { readonly id: string; readonly areas: readonly Aoi[] }) {
  const client = useClient();
  const { show } = useMap();
  const found = useAnswer((signal) => client.getChange(id, {}, { signal }), [id]);
  // Requested at the same time as the change, because the pictures are what a user looks at first.
  const images = useAnswer((signal) => client.getChangeImages(id, { signal }), [id]);
  const change = found.value;
  useEffect(() => {
    if (change !== undefined) show({ focus: { geometries: [change.geometry] }, chosenChanges: [change] });
  }, [change]);
  return (
    <>
      <p class="crumbs">
        <a href={routeHref({ pane: 'areas' })}>Areas</a>
        {change?.aoi_ids.map((aoiId) => (
          <a key={aoiId} href={routeHref({ pane: 'area', id: aoiId })}>
            {areas.find((one) => one.id === aoiId)?.name ?? aoiId}
          </a>
        ))}
      </p>
      <Problem error={found.error} again={found.again} />
      {change === undefined && found.waiting && <Waiting for="the change" />}
      {change && <ChangeDetails change={change} areas={areas} images={images} />}
    </>
  );
}

function ChangeDetails(props: {
  readonly change: Change;
  readonly areas: readonly Aoi[];
  readonly images: Answer<ChangeImages>;
}) {
  const { change, images } = props;
  const unit = useUnits()(change.metric);
  const client = useClient();
  const models = useAnswer((signal) => client.listModels({ signal }), []);
  const place = props.areas.find(({ id }) => id === change.aoi_ids[0])?.name;
  const alike = experienceOf(change, models.value?.change.experience ?? []);
  return (
    <>
      <div class="heading">
        <h1 class={`kind ${change.type}`}>{changeName(change.type)}</h1>
        <Badge kind={change.status}>{change.status}</Badge>
      </div>
      <p class="headline">
        {place !== undefined && `${place}, `}
        {area(change.area_m2)}, since {day(change.first_anomaly_at)}, {percent(change.confidence)} sure that
        it lasts
      </p>
      <MapGap />
      <ol class="dates" aria-label="Dates">
        <Dated name="First anomaly" on={change.first_anomaly_at} />
        {change.confirmed_at !== change.detected_at && <Dated name="Detected" on={change.detected_at} />}
        <Dated name="Confirmed" on={change.confirmed_at} />
        {change.recovered_at !== null && <Dated name="Recovered" on={change.recovered_at} />}
      </ol>
      <ChangeImagesSection found={images} />
      <Facts
        of={{
          Confidence: confidenceText(change),
          Experience: alike && experienceText(alike),
          Area: area(change.area_m2),
          Magnitude: `${signed(change.magnitude)}${unit} in ${change.metric}`,
          Identifier: <Copyable text={change.id} label="the identifier" />,
        }}
      />
      <RecordSection change={change} seed={{ ...images, value: images.value?.seed }} />
      <details>
        <summary>Provenance</summary>
        <ProvenanceFacts provenance={change.provenance} />
      </details>
    </>
  );
}

function Dated({ name, on }: { readonly name: string; readonly on: string | null }) {
  return (
    <li class={on === null ? 'pending' : undefined}>
      <span>{name}</span>
      {on === null ? <span>not yet</span> : <time dateTime={on}>{day(on)}</time>}
    </li>
  );
}
