import { checkInstallation, type CheckFinding } from '../app/installation-check.ts';
import { judgeSandbox, type SandboxJudgement } from '../app/judge-sandbox.ts';
import { type Command, Failed, table } from './command.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check settings, database, disk, layers, cubes, certificate and time, and say what to do',
  options: {
    sandbox: { meaning: 'hold what the service says of the simulated region against its truth instead' },
  },
  async run(context, given) {
    if (given.options['sandbox'] === true) {
      const judgement = await judgeSandbox(await context.open());
      context.print({ ...judgement }, report(judgement));
      return;
    }
    const findings: CheckFinding[] = [];
    for await (const finding of checkInstallation(context.checks())) {
      findings.push(finding);
      if (!context.json) context.note(line(finding));
    }
    const failed = findings.filter(({ status }) => status === 'fail').length;
    const warned = findings.filter(({ status }) => status === 'warn').length;
    context.print(
      { ok: failed === 0, findings },
      failed + warned === 0 ? 'All is well.' : `${failed} failed, ${warned} to look at.`,
    );
    if (failed > 0) throw new Failed(`${failed} of ${findings.length} checks failed`);
  },
};

function line({ part, status, found, remedy }: CheckFinding): string {
  return `${status.padEnd(5)}${part}: ${found}${remedy === undefined ? '' : `\n     -> ${remedy}`}`;
}

function report({ date, modelVersion, events, accuracy, claims, risk }: SandboxJudgement): string {
  const share = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
  const text = (value: string | number | null): string => (value === null ? '-' : String(value));
  return [
    `The simulated region on ${date}, by ${modelVersion}`,
    '',
    table(
      ['event', 'began', 'pixels', 'found as', 'status', 'share', 'seen', 'confirmed', 'lag [d]', 'why not'],
      events.map((event) => [
        event.id,
        event.began,
        String(event.pixels),
        text(event.foundAs),
        text(event.status),
        share(event.share),
        text(event.firstAnomalyAt),
        text(event.confirmedAt),
        text(event.lagDays),
        event.whyNot ?? '',
      ]),
    ),
    '',
    table(
      ['kind', 'planted', 'found', "producer's accuracy", 'median lag [d]'],
      accuracy.map((row) => [
        row.kind,
        String(row.planted),
        String(row.found),
        share(row.producersAccuracy),
        text(row.medianLagDays),
      ]),
    ),
    '',
    `${claims.onEvents} of ${claims.confirmed} confirmed changes lie on something planted: user's accuracy ` +
      `${share(claims.usersAccuracy)} by number, ${share(claims.usersAccuracyByArea)} by area`,
    '',
    table(
      ['peril', 'places', 'answered', 'mean confidence'],
      risk.map((row) => [row.peril, String(row.places), String(row.answered), share(row.meanConfidence)]),
    ),
  ].join('\n');
}
