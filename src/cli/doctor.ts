import { checkInstallation, type CheckFinding } from './installation-check.ts';
import { judgeSandbox, type SandboxJudgement } from '../app/sandbox/truth/judge-sandbox.ts';
import type { AnomalyJudgement, JudgedSpell } from '../app/sandbox/truth/anomalies.ts';
import { type Command, Failed, table } from './command.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check settings, database, disk, layers, cubes, certificate and time, and say what to do',
  options: {
    sandbox: { meaning: 'compare the results in the simulated region with its known truth instead' },
  },
  async run(context, given) {
    if (given.options['sandbox'] === true) {
      const deps = await context.open();
      await deps.layers.loadInstalled();
      const judgement = await judgeSandbox(deps);
      context.print({ ...judgement }, report(judgement));
      return;
    }
    const findings: CheckFinding[] = [];
    for await (const finding of checkInstallation(await context.checks())) {
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

function report(judgement: SandboxJudgement): string {
  const { date, modelVersion, events, accuracy, claims, anomalies, risk } = judgement;
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
    ...(anomalies === null ? ['No account has the areas that anomalies are judged in.'] : spells(anomalies)),
    '',
    table(
      ['peril', 'places', 'answered', 'mean confidence', 'ranked right'],
      risk.map((row) => [
        row.peril,
        String(row.places),
        String(row.answered),
        share(row.meanConfidence),
        share(row.ranked),
      ]),
    ),
    '',
    table(
      ['peril', 'score', 'where the truth says'],
      risk.flatMap(({ peril, exposed, safe }) =>
        [exposed, safe].map(({ what, meanScore }) => [peril, share(meanScore), what]),
      ),
    ),
  ].join('\n');
}

function spells({ planted, rareWeather, claims }: AnomalyJudgement): readonly string[] {
  return [
    spellTable('planted', planted),
    '',
    ...(rareWeather.length === 0 ? [] : [spellTable('rare by thirty years', rareWeather), '']),
    `Of ${claims.anomalies} anomalies ${claims.onPlanted} tell of something planted, ${claims.onRareWeather} of other ` +
      `weather that is rare by thirty years; share that tells of neither ${share(claims.falseShare)}`,
  ];
}

function spellTable(title: string, judged: readonly JudgedSpell[]): string {
  return table(
    [title, 'from', 'to', 'seen in', 'severity', 'lag [d]', 'why not'],
    judged.map((spell) => [
      spell.what,
      spell.from,
      text(spell.to),
      spell.foundIn.join(', '),
      text(spell.severity),
      text(spell.lagDays),
      spell.whyNot ?? '',
    ]),
  );
}

function share(value: number | null): string {
  return value === null ? '-' : value.toFixed(2);
}

function text(value: string | number | null): string {
  return value === null ? '-' : String(value);
}
