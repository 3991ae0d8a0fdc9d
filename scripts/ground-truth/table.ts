import { type Grade, percent } from './judge.ts';
import type { JobResult } from './results.ts';
import { trueShare } from './truth.ts';

/** The results as a table in Markdown, and what they come to. */

/** Of all jobs, so many must be told right. */
const GOAL = 0.9;

const HEAD = [
  ...['job', 'cause', 'verdict', 'findings', 'confidence', 'culprit', 'input said \\| true'],
  ...[
    'cause said \\| true',
    'won back ≤ said \\| true',
    'bounds',
    'false alarms',
    'others’ CPU',
    'told',
  ],
];

export function tableOf(results: readonly JobResult[]): string {
  const rows = [HEAD, ...results.map(rowOf)];
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(head), rule, ...body.map(line)].join('\n');
}

function rowOf(result: JobResult): string[] {
  const { truth, said, judgement, wonSeconds, othersShare } = result;
  const { hit, culprit, falseAlarms, violations, grade } = judgement;
  const told = said.findings.filter(({ severity }) => severity !== 'info').slice(0, 2);
  const { atLeast, atMost } = said.input;
  return [
    nameOf(result),
    truth.causes.map(({ ids }) => ids[0]).join(' + ') || 'none',
    said.verdict,
    told.map(({ id, share }) => `${id} ${percent(share)}`).join(', ') || '–',
    told.map(({ confidence }) => confidence).join(', ') || '–',
    culprit === undefined ? '–' : culprit ? 'named' : 'not named',
    `${percent(atLeast)} to ${percent(atMost)} \\| ${percent(truth.input_share)}`,
    truth.causes.map((cause) => shares(result, cause)).join(' + ') || '–',
    `${seconds(hit?.gainUpTo)} \\| ${seconds(wonSeconds)}`,
    violations.length === 0 ? 'kept' : `VIOLATED: ${violations.join('; ')}`,
    falseAlarms.join(', ') || '–',
    othersShare === undefined ? 'not known' : percent(othersShare),
    grade,
  ];
}

function shares({ truth, said }: JobResult, cause: JobResult['truth']['causes'][number]): string {
  const finding = said.findings.find(({ id }) => cause.ids.includes(id));
  const truly = trueShare(truth, cause);
  return `${finding === undefined ? '–' : percent(finding.share)} \\| ${truly === undefined ? '–' : percent(truly)}`;
}

const seconds = (value: number | undefined) =>
  value === undefined ? '–' : `${value.toFixed(2)} s`;

const nameOf = ({ job, run, form }: JobResult) =>
  `${job}${form === 'fixed' ? ' (fixed)' : ''}${run > 1 ? ` #${run}` : ''}`;

interface Totals {
  readonly sentences: readonly string[];
  readonly isGoalReached: boolean;
}

/** `notRun`: why jobs could not run here, by name. */
export function totalsOf(
  results: readonly JobResult[],
  notRun: ReadonlyMap<string, string>,
): Totals {
  const count = (grade: Grade) =>
    results.filter(({ judgement }) => judgement.grade === grade).length;
  const alarms = results.flatMap(({ judgement }) => judgement.falseAlarms).length;
  const violated = results.flatMap(({ judgement }) => judgement.violations).length;
  const grades = (['right', 'vague', 'wrong', 'silent'] as const).map(
    (grade) => `${count(grade)} ${grade}`,
  );
  const rightShare = results.length === 0 ? 0 : count('right') / results.length;
  return {
    sentences: [
      `${grades.join(', ')}; ${alarms} false alarms of high or medium severity, ${violated} violated bounds`,
      ...[...notRun].map(([job, why]) => `!!! NOT RUN: ${job}: ${why}`),
      `${Math.floor(100 * rightShare)} % right and specific`,
    ],
    isGoalReached: rightShare >= GOAL && alarms === 0 && violated === 0 && notRun.size === 0,
  };
}
