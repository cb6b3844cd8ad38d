import type { Peril, RiskAssessment } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { percent, words } from '../format.ts';
import { Badge, ScoreBar, SimulatedNote, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import type { Place } from '../route.ts';
import { useClient } from '../session.ts';
import { PERILS } from './perils.ts';
import { RiskExplanation } from './risk-explanation.tsx';

/** Score and confidence of a place for every peril. The user can unfold the explanation of each score. */
export function RiskScores({ at }: { readonly at: Place }) {
  const client = useClient();
  const models = useAnswer((signal) => client.listModels({ signal }), []);
  const found = useAnswer(
    async (signal) => {
      const locations = PERILS.map((peril) => ({ lat: at.lat, lng: at.lng, peril }));
      const { results } = await client.assessRiskBatch({ locations }, { explain: true }, { signal });
      return results;
    },
    [at.lat, at.lng],
  );
  const simulated = found.value?.filter(({ explain }) => explain?.simulated).length ?? 0;
  const allSimulated = simulated > 0 && simulated === found.value?.length;
  return (
    <section aria-labelledby="risk-heading">
      <h2 id="risk-heading">Risk</h2>
      {allSimulated && <SimulatedNote />}
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="scores" />}
      {found.value?.map((result, i) => (
        <RiskScore
          key={PERILS[i]}
          peril={PERILS[i]!}
          result={result}
          marked={!allSimulated && result.explain?.simulated === true}
          version={models.value?.models.find(({ peril }) => peril === PERILS[i])?.model_version}
        />
      ))}
      {found.value && (
        <p class="note">
          Scores are a fixed scale of the expected annual damage of a reference building: 0.2 is 0.01 % of its
          value per year, 0.4 is 0.2 %, 0.6 is 1 %, 0.8 is 5 %. The dark line in a bar is the range in which
          the score lies in 9 of 10 cases.
        </p>
      )}
    </section>
  );
}

/** The interval of a score in words. */
function between(range: { readonly low: number; readonly high: number } | undefined): string {
  return range === undefined
    ? ''
    : `; between ${range.low.toFixed(2)} and ${range.high.toFixed(2)} in 9 of 10 cases`;
}

function RiskScore(props: {
  readonly peril: Peril;
  readonly result: Omit<RiskAssessment, 'model_version'>;
  readonly version: string | undefined;
  /** Whether to mark this score as simulated. Used when only some of the scores are simulated. */
  readonly marked: boolean;
}) {
  const { risk_score, confidence, explain } = props.result;
  const known = confidence > 0;
  return (
    <details class={`score${known ? '' : ' unknown'}`}>
      <summary>
        <span class="line">
          <strong>{words(props.peril)}</strong>
          {props.marked && <Badge kind="simulated">simulated</Badge>}
          {known ? (
            <span class="figure">{risk_score.toFixed(2)}</span>
          ) : (
            <span class="figure">no data: prior {risk_score.toFixed(2)}</span>
          )}
        </span>
        <ScoreBar
          score={risk_score}
          label={`${words(props.peril)} risk`}
          range={known ? explain?.score_range : undefined}
        />
        <span class="note">
          {known
            ? `${percent(confidence)} confident that it lies within 0.1${between(explain?.score_range)}`
            : 'Confidence 0: the score that is assumed where no data are known'}
        </span>
      </summary>
      {explain && <RiskExplanation explain={explain} version={props.version} />}
    </details>
  );
}
