import type { Models } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { changeName } from '../changes/change-name.ts';
import { number, percent, whole, words } from '../format.ts';
import { Badge, Facts, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { useClient } from '../session.ts';
import { type Calibration, reliabilityWords } from './reliability-words.ts';
import { ReliabilityPlot } from './reliability-plot.tsx';
import { SourceTabs } from './source-tabs.tsx';

type ModelCard = Models['models'][number];

/** The cards of the models: method, limits, and how often their confidences held. */
export function ModelsPane() {
  const client = useClient();
  const found = useAnswer((signal) => client.listModels({ signal }), []);
  return (
    <>
      <h1>Models</h1>
      <SourceTabs current="models" />
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="models" />}
      {found.value?.models.map((model) => (
        <Card key={model.peril} model={model} />
      ))}
      {found.value && <ChangeModel change={found.value.change} />}
    </>
  );
}

function Card({ model }: { readonly model: ModelCard }) {
  const { calibration } = model;
  return (
    <section aria-labelledby={`model-${model.peril}`} class="model">
      <div class="heading">
        <h2 id={`model-${model.peril}`}>{words(model.peril)}</h2>
        <CalibrationBadge calibration={calibration} />
      </div>
      <p class="small">
        {model.model_version}. {model.method}
      </p>
      <p class="small">{reliabilityWords(calibration)}</p>
      <details>
        <summary>Reliability plots of {model.peril}</summary>
        <div class="plots">
          {calibration.checks
            .filter(({ reliability }) => reliability.length > 1)
            .map((check) => (
              <ReliabilityPlot key={check.basis} check={check} />
            ))}
        </div>
      </details>
      <details>
        <summary>All checks of {model.peril}</summary>
        <div class="scroll" role="region" aria-label={`Checks of ${model.peril}`} tabIndex={0}>
          <table class="numbers">
            <thead>
              <tr>
                <th scope="col">Evidence</th>
                <th scope="col">Cases</th>
                <th scope="col">Error</th>
                <th scope="col">Before correction</th>
                <th scope="col">90 % ranges that held</th>
              </tr>
            </thead>
            <tbody>
              {calibration.checks.map((check) => (
                <tr key={check.basis}>
                  <th scope="row">{check.basis}</th>
                  <td>{whole(check.cases)}</td>
                  <td>{number(check.ece)}</td>
                  <td>{number(check.raw_ece)}</td>
                  <td>{percent(check.range_coverage_90)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p class="note">{calibration.note}</p>
      </details>
      <details>
        <summary>Limits and sources of {model.peril}</summary>
        <ul class="reasons">
          {model.limits.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <ul class="reasons">
          {model.citations.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </details>
    </section>
  );
}

function CalibrationBadge({ calibration }: { readonly calibration: Calibration }) {
  const { status, not_calibrated_for: exceptions } = calibration;
  if (status === 'uncalibrated') return <Badge kind="paused">uncalibrated</Badge>;
  return exceptions.length === 0 ? (
    <Badge kind="active">calibrated</Badge>
  ) : (
    <Badge kind="paused">calibrated in part</Badge>
  );
}

function ChangeModel({ change }: { readonly change: Models['change'] }) {
  const { experience = [] } = change;
  return (
    <section aria-labelledby="model-change" class="model">
      <h2 id="model-change">Changes</h2>
      <Facts of={{ Version: change.model_version, Method: words(change.method.replaceAll('-', ' ')) }} />
      {experience.length > 0 && (
        <div class="scroll" role="region" aria-label="Experience" tabIndex={0}>
          <table class="numbers">
            <caption>What came of confirmed changes in collections that you can see</caption>
            <thead>
              <tr>
                <th scope="col">Type</th>
                <th scope="col">Metric</th>
                <th scope="col">Confirmed</th>
                <th scope="col">Stood</th>
                <th scope="col">Passed</th>
                <th scope="col">Taken back</th>
                <th scope="col">Too young</th>
              </tr>
            </thead>
            <tbody>
              {experience.map(
                ({ collection, type, baseline, claims, stood, passed, taken_back: back, young }) => (
                  <tr key={`${collection.id} ${type} ${baseline}`}>
                    <th scope="row">{changeName(type)}</th>
                    <td>{collection.metric}</td>
                    <td>{whole(claims)}</td>
                    <td>{whole(stood)}</td>
                    <td>{whole(passed)}</td>
                    <td>{whole(back)}</td>
                    <td>{whole(young)}</td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
