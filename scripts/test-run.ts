// What `npm run believe` keeps of a run of `npm test`, and what a row of such runs proves.

export interface TestRun {
  readonly commit: string;
  /** Those asked for; none: all. */
  readonly stages: readonly string[];
  /** ISO 8601. */
  readonly began: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of what failed, and one sentence for a run that came to no end of its own. */
  readonly failures: readonly string[];
  readonly stageSeconds: Readonly<Record<string, number>>;
}

export type Outcome = Pick<TestRun, 'passed' | 'failed' | 'skipped' | 'failures' | 'stageSeconds'>;

/** Reads what scripts/test.mjs printed; `status` is how it exited. */
export function readOutcome(output: string, status: number | null): Outcome {
  const lines = output.split('\n');
  const counts = lines.map((line) => COUNTS.exec(line)).findLast((found) => found !== null);
  const [passed = 0, failed = 0, skipped = 0] = counts?.slice(1).map(Number) ?? [];
  const failures = lines.flatMap((line) => FAILURE.exec(line)?.slice(1) ?? []);
  if (counts === undefined) failures.push('The run ended before its last line.');
  else if (status !== 0 && failures.length === 0) failures.push(`npm test exited with ${status}.`);
  const times = lines.flatMap((line) => [STAGE_TIME.exec(line)?.slice(1) ?? []]);
  const stageSeconds = Object.fromEntries(
    times.flatMap(([name, seconds]) => (name === undefined ? [] : [[name, Number(seconds)]])),
  );
  return { passed, failed, skipped, failures, stageSeconds };
}

const COUNTS = /^(\d+) passed, (\d+) failed, (\d+) skipped$/;
/** With CI=true a test that was not run stands in a list of its own, and fails the run. */
const FAILURE = /^(?:FAILED|!!! {2}) (.+)$/;
const STAGE_TIME = /^=== ([\w-]+): ([\d.]+) s$/;

export function isGood({ failures, failed, skipped, passed }: TestRun): boolean {
  return failures.length + failed + skipped === 0 && passed > 0;
}

/**
 * Those of the same stages, of a file with one run a line. Of whole runs those of earlier commits count
 * too: a row takes longer than most commits are the newest.
 */
export function readRuns(
  text: string,
  { commit, stages }: Pick<TestRun, 'commit' | 'stages'>,
): readonly TestRun[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((line): TestRun => JSON.parse(line))
    .filter((run) => run.stages.join() === stages.join())
    .filter((run) => stages.length === 0 || run.commit === commit);
}

/** How many of the last runs passed one after the other. */
export function rowOf(runs: readonly TestRun[]): number {
  return runs.length - 1 - runs.findLastIndex((run) => !isGood(run));
}

/** The last line of all, and above it each failure with how often it came. */
export function sayVerdict(runs: readonly TestRun[], wanted: number): string {
  const row = rowOf(runs);
  const names = runs.flatMap(({ failures }) => failures);
  const counted = [...new Set(names)].map((name) => {
    const times = names.filter((other) => other === name).length;
    return `  ${times} of ${runs.length} runs: ${name}`;
  });
  const failures = counted.length === 0 ? [] : ['What failed:', ...counted];
  return [...failures, `${Math.min(row, wanted)} of ${wanted} passes in a row.`].join('\n');
}

/**
 * What a run may see of this one's environment: where the programs are, whose home it is, and how
 * packages are reached. Not what `npm run` put there, the Node of this checkout above all.
 */
export function emptyEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => KEPT.test(name));
  const path = (environment.PATH ?? '').split(':').filter((folder) => !/node_modules/.test(folder));
  return { ...Object.fromEntries(kept), PATH: path.join(':'), CI: 'true' };
}

const KEPT = /^(HOME|(https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i;
