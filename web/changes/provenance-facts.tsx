import type { Provenance } from '../../src/client/index.ts';
import { moment } from '../format.ts';
import { Copyable, Facts, SimulatedNote } from '../parts.tsx';

const DIGITS_SHOWN = 12; // of the 64 hexadecimal digits of a digest; enough to compare two digests by eye

/** Inputs, method and parameters of a change, from which it can be recomputed. */
export function ProvenanceFacts({ provenance }: { readonly provenance: Provenance }) {
  const { collection, scenes, baseline, method, model_version, software_version, digest } = provenance;
  const monitored = scenes.filter(({ role }) => role === 'monitoring').length;
  const { kind, observations } = baseline as Readonly<Record<string, unknown>>;
  return (
    <>
      {provenance.simulated === true && <SimulatedNote />}
      <Facts
        of={{
          Collection: `${collection.name} (${collection.metric})`,
          Scenes: `${scenes.length - monitored} for the baseline, ${monitored} since`,
          Baseline:
            typeof kind === 'string'
              ? `${kind}${typeof observations === 'number' ? ` of ${observations} observations` : ''}`
              : undefined,
          Method: `${method}, ${model_version}`,
          Software: software_version,
          Digest: <Copyable text={digest} label="the digest" />,
        }}
      />
      <details>
        <summary>Every scene used ({scenes.length})</summary>
        <div class="scroll" role="region" aria-label="Scenes" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Acquired</th>
                <th scope="col">Role</th>
                <th scope="col">Source</th>
                <th scope="col">SHA-256</th>
              </tr>
            </thead>
            <tbody>
              {scenes.map((scene) => (
                <tr key={scene.id}>
                  <td class="nowrap">{moment(scene.datetime)}</td>
                  <td>{scene.role}</td>
                  <td>
                    <code>{scene.href}</code>
                  </td>
                  <td>
                    <code title={scene.sha256}>{scene.sha256.slice(0, DIGITS_SHOWN)}…</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
      <details>
        <summary>Parameters</summary>
        <pre tabIndex={0}>
          <code>
            {JSON.stringify({ baseline, parameters: provenance.parameters, grid: provenance.grid }, null, 2)}
          </code>
        </pre>
      </details>
    </>
  );
}
