// `npm run ground-truth`: records the jobs of test/ground-truth with the real agent, asks the analysis, and holds
// what it says against what the jobs say of themselves. test/ground-truth/README.md explains options and table.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildStandIn } from '../test/support/agent/agent-run.ts';
import { root } from '../test/support/built.ts';
import { judge, judgeFixed } from './ground-truth/judge.ts';
import {
  type NotRun,
  type RecordedJob,
  readRecorded,
  recordJob,
} from './ground-truth/record-job.ts';
import { type Form, type JobResult, openPass } from './ground-truth/results.ts';
import { readSaid } from './ground-truth/said.ts';
import { tableOf, totalsOf } from './ground-truth/table.ts';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const USAGE =
  'npm run ground-truth -- [--job NAME]… [--runs N] [--fixed] [--keep DIR | --from DIR] [--out FILE]';

function end(sentence: string): never {
  console.error(`stalltrace: ${sentence}`);
  process.exit(1);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        job: { type: 'string', multiple: true },
        runs: { type: 'string', default: '1' },
        fixed: { type: 'boolean', default: false },
        keep: { type: 'string' },
        from: { type: 'string' },
        out: { type: 'string' },
      },
    });
    const runs = Number(values.runs);
    if (!Number.isSafeInteger(runs) || runs < 1) throw new Error('--runs takes a number');
    if (values.keep !== undefined && values.from !== undefined)
      throw new Error('--from reads what --keep kept: name one of them');
    return { ...values, runs, jobs: chosenJobs(values.job) };
  } catch (error) {
    return end(`${(error as Error).message}. Use: ${USAGE}`);
  }
}

/** All of them, or those asked for. */
function chosenJobs(asked: readonly string[] | undefined): readonly string[] {
  const all = globSync(join(root, 'test/ground-truth/jobs/*.py'))
    .map((path) => basename(path, '.py'))
    .sort();
  const unknown = asked?.find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw new Error(`There is no job "${unknown}"; there are ${all.join(', ')}`);
  return asked ?? all;
}

/** Of the commit, and of what is not committed yet. */
function versionHere(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changes = git('status', '--porcelain', '--', 'src-main', 'agent', 'test/ground-truth');
  return `${git('rev-parse', '--short=10', 'HEAD')}${changes === '' ? '' : '-changed'}`;
}

const options = readOptions();
if (process.getuid?.() !== 0)
  end('recording with BPF needs root: run "sudo npm run ground-truth".');
buildStandIn();
const version = versionHere();
mkdirSync(join(root, '.ground-truth'), { recursive: true });
const out = options.out ?? join(root, '.ground-truth', `${version}.json`);
// What is not committed may be another state of it each time.
if (options.out === undefined && version.endsWith('-changed')) rmSync(out, { force: true });
const scratch = mkdtempSync(join(tmpdir(), 'stalltrace-ground-truth-'));
const pass = openPass(out, version);
const notRun = new Map<string, string>();

function recordedIn(folder: string): RecordedJob | NotRun {
  if (!existsSync(join(folder, 'truth.json'))) return { notRun: `${folder} holds no recording` };
  return readRecorded(folder);
}

/** Records `form` of `job`, or reads what was recorded of it. */
async function recordForm(job: string, run: number, form: Form): Promise<RecordedJob | NotRun> {
  const name = `${job}-${run}-${form}`;
  if (options.from !== undefined) return recordedIn(join(options.from, name));
  const folder = join(options.keep ?? scratch, name);
  rmSync(folder, { recursive: true, force: true });
  return recordJob(job, form, folder);
}

function saidOf({ file, truth }: RecordedJob) {
  return readSaid(file, truth.pid, join(scratch, 'opened'));
}

function add(result: JobResult): void {
  pass.add(result);
  const [first] = result.said.findings;
  console.log(`  ${result.form}: ${result.judgement.grade}; ${first?.id ?? result.said.verdict}`);
}

/** Both forms: what can be won back is the difference. */
async function runJob(job: string, run: number): Promise<void> {
  const broken = await recordForm(job, run, 'broken');
  if ('notRun' in broken) return void notRun.set(job, broken.notRun);
  const hasFix = broken.truth.causes.length > 0;
  const fixed = hasFix ? await recordForm(job, run, 'fixed') : undefined;
  if (fixed !== undefined && 'notRun' in fixed) return void notRun.set(job, fixed.notRun);
  const wonSeconds = fixed && broken.truth.seconds - fixed.truth.seconds;
  if (options.fixed && fixed !== undefined) addFixed(job, run, fixed);
  const { truth, othersShare } = broken;
  const said = saidOf(broken);
  add({
    ...{ job, run, form: 'broken', truth, said, othersShare },
    judgement: judge(truth, said, { wonSeconds, othersShare }),
    ...(wonSeconds !== undefined && { wonSeconds }),
  });
}

function addFixed(job: string, run: number, fixed: RecordedJob): void {
  const { truth, othersShare } = fixed;
  const said = saidOf(fixed);
  const judgement = judgeFixed(truth, said);
  add({ job, run, form: 'fixed', truth, said, othersShare, judgement });
}

try {
  for (let run = 1; run <= options.runs; run++)
    for (const job of options.jobs) {
      if (pass.has(job, run)) continue;
      console.log(`${job}, run ${run} of ${options.runs}`);
      await runJob(job, run).catch((error: Error) => notRun.set(job, error.message));
    }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const totals = totalsOf(pass.results, notRun);
console.log(`\n${tableOf(pass.results)}\n\n${totals.sentences.join('\n')}\n${out}`);
process.exit(totals.isGoalReached ? 0 : 1);
