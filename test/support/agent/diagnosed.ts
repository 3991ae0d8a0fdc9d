import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Diagnosed, diagnose } from '../../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../../src-main/analysis/roles/roles.ts';
import type { Finding } from '../../../src-main/shared/answers/diagnosis.ts';
import type { Trace } from '../../../src-main/shared/model/trace.ts';
import { root } from '../built.ts';
import { cpuGroup, mayGroup } from '../cpu-group.ts';
import { expectWhole, record, scratchFolder } from './agent.ts';
import { cudart, type Recording, type RunOptions } from './agent-run.ts';

/** Real training jobs, recorded by the real agent, and what the analysis says of them. */

const script = join(root, 'test/agent/jobs/dataloader.py');

interface TrainingReport {
  readonly pid: number;
  readonly workers: readonly number[];
  readonly batches: number;
  readonly copies: number;
}

export interface Training extends Diagnosed {
  readonly recording: Recording;
  readonly trace: Trace;
  readonly report: TrainingReport;
  /** Ids of its findings, costliest first. */
  readonly ids: readonly string[];
}

/** The command of a training job whose options are those of test/agent/jobs/dataloader.py. */
export function trainingCommand(report: string, options: readonly string[]): string[] {
  // Two CPUs wherever it runs: what is asked of them is what the tests are about.
  const pinned = ['taskset', '-c', '0,1'];
  return [
    ...pinned,
    '/usr/bin/python3',
    script,
    '--library',
    cudart,
    '--report',
    report,
    ...options,
  ];
}

/** Records a training job from its exec to its exit, on CPUs that are as good as its own, and diagnoses it. */
export async function train(
  options: readonly string[],
  run: Partial<RunOptions> & { readonly before?: readonly string[] } = {},
): Promise<Training> {
  const report = join(scratchFolder(), 'job.json');
  const { before = [], args = [], ...rest } = run;
  const command = [...before, ...trainingCommand(report, options)];
  const group = mayGroup() ? cpuGroup() : undefined;
  onTestFinished(() => group?.remove());
  // The agent too: it empties what the job fills.
  const through = group?.through ?? [];
  const recording = await record(command, {
    through,
    ...rest,
    args: ['--library', cudart, ...args],
  });
  expect(recording.code, recording.stderr).toBe(0);
  const trace = withRoles(expectWhole(recording));
  const diagnosed = diagnose(trace);
  return {
    ...diagnosed,
    recording,
    trace,
    report: JSON.parse(readFileSync(report, 'utf8')) as TrainingReport,
    ids: diagnosed.diagnosis.findings.map(({ id }) => id),
  };
}

/** Most of its time that others may have kept a thread of the job from a CPU, in the mean. */
const UNDISTURBED = 0.03;
const ATTEMPTS = 4;

/** As `train`, again where other work of this machine took the CPUs: then that is what was measured. */
export async function trainUndisturbed(...asked: Parameters<typeof train>): Promise<Training> {
  for (let attempt = 1; ; attempt++) {
    const job = await train(...asked);
    const by = disturbers(job);
    if (by.share <= UNDISTURBED) return job;
    if (attempt === ATTEMPTS)
      throw new Error(
        `Other work keeps this machine's CPUs busy (${by.names}): nothing can be said.`,
      );
  }
}

/** Mean share of its threads’ time in which strangers ran while they waited for a CPU, and who ran. */
function disturbers({ trace, ranks }: Training): { share: number; names: string } {
  const [facts] = ranks.map((rank) => rank.facts);
  if (facts === undefined) return { share: 0, names: '' };
  const strangers = facts.neighbours.filter(({ relation }) => relation === 'other');
  const ns = strangers.reduce((sum, each) => sum + each.ns, 0);
  const names = strangers.slice(0, 3).map(({ process }) => trace.processes[process]?.name);
  const threads = 1 + facts.workers.length;
  const lengthNs = facts.window[1] - facts.window[0];
  return { share: ns / (threads * lengthNs), names: names.join(', ') };
}

/** What was found and what it costs, for the message of a test that fails. */
export function told({ diagnosis }: Pick<Diagnosed, 'diagnosis'>): string {
  const cells = diagnosis.costs.map(({ label, ns }) => `${(ns / 1e6).toFixed(1)} ms ${label}`);
  return [diagnosis.headline, ...diagnosis.findings.map(line), ...cells].join('\n');
}

function line({ id, severity, confidence, costShare, sentence }: Finding): string {
  return `${id} ${severity} ${confidence} ${(100 * costShare).toFixed(1)} %: ${sentence}`;
}
