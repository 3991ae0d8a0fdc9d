import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import type { Diagnosis, Finding, Severity } from '../../src-main/shared/answers/diagnosis.ts';
import type { PhaseSplit } from '../../src-main/shared/answers/steps.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';

/** What the product says of one recording, as far as it is judged. */

/** So many of the lines that a finding shows can be called its answer. */
const LINES_READ = 2;

export interface SaidFinding {
  readonly id: string;
  readonly severity: Severity;
  readonly confidence: Finding['confidence'];
  /** Of the judged time. */
  readonly share: number;
  /** s; absent where nothing bounds it. */
  readonly gainUpTo?: number;
  /** Title, sentence, evidence, what to do, and the lines it shows first: where a culprit would be named. */
  readonly text: string;
}

export interface Said {
  readonly verdict: string;
  readonly headline: string;
  /** s of the time that is judged. */
  readonly window: number;
  /** Shares of the judged time. */
  readonly input: { readonly atLeast: number; readonly atMost: number };
  readonly phases: PhaseSplit;
  /** Of the process that the job reports of, costliest first. */
  readonly findings: readonly SaidFinding[];
}

/** What the analysis says of the process `pid` of the recording `file`. */
export function readSaid(file: string, pid: number, scratchDir: string): Said {
  const opened = openTrace(file, { scratchDir, importers, progress() {} });
  if (!opened.ok) throw new Error(`${opened.error.code}: ${opened.error.message}`);
  const trace = withRoles(opened.value);
  const { diagnosis } = diagnose(trace);
  const pids = diagnosis.ranks.map(({ rank }) => trace.processes[rank.process]?.pid);
  return saidOfRank(diagnosis, pids.indexOf(pid));
}

function saidOfRank(diagnosis: Diagnosis, at: number): Said {
  const { headline } = diagnosis;
  const judged = diagnosis.ranks[at];
  if (judged === undefined) return { ...nothing, headline };
  const { total, window } = judged.steps;
  const lengthNs = Math.max(1, window[1] - window[0]);
  const shares = Object.entries(total).map(([phase, ns]) => [phase, ns / lengthNs] as const);
  const phases = Object.fromEntries(shares) as PhaseSplit;
  const findings = diagnosis.findings.filter(({ rank }) => rank === at).map(saidFinding);
  // What is not shown to be for input is counted as other time, and may be for input all the same; so may be a
  // collective that is said to bring batches.
  const isBrought = findings.some(({ text }) => text.includes('waits there for its batch'));
  const mayBeInput = phases.other + (isBrought ? phases.collective : 0);
  return {
    verdict: diagnosis.ranks.length === 1 ? diagnosis.verdict : judged.verdict,
    headline,
    window: lengthNs / 1e9,
    input: { atLeast: phases.input, atMost: phases.input + mayBeInput },
    phases,
    findings,
  };
}

const none = { other: 0, input: 0, h2d: 0, compute: 0, collective: 0, idle: 0 };
/** The process was not found to train or to serve. */
const nothing = {
  ...{ verdict: 'not found', window: 0, phases: none, findings: [] },
  input: { atLeast: 0, atMost: 1 },
};

function saidFinding(finding: Finding): SaidFinding {
  const { id, severity, confidence, costShare, gainUpToNs } = finding;
  const lines = finding.hotLines
    .slice(0, LINES_READ)
    .map((line) => `${line.function} (${line.file}:${line.line})`);
  const evidence = finding.evidence.map(({ text }) => text);
  return {
    ...{ id, severity, confidence, share: costShare },
    ...(gainUpToNs !== undefined && { gainUpTo: gainUpToNs / 1e9 }),
    text: [finding.title, finding.sentence, ...evidence, finding.fix.title, ...lines].join('\n'),
  };
}
