// `npm run believe`: runs `npm test` until it passed five times in a row, each time in a clean clone
// of HEAD, in an empty environment, beside two processes that keep the CPUs busy. It may be stopped at
// any time: the next start, of a later commit perhaps, goes on with the row. test/believed.jsonl keeps each
// whole run with its commit, to be committed; .believe/ their output, and runs of some stages.
// `npm run believe -- --stage remote --passes 10 --keep-going` counts how often what fails.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  hasEnded,
  type ProcessIdentity,
  processIdentityOf,
} from '../src-main/system/process-identity.ts';
import { startBusyProcesses } from './busy.ts';
import {
  emptyEnvironment,
  readOutcome,
  readRuns,
  rowOf,
  sayVerdict,
  type TestRun,
} from './test-run.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const kept = join(root, '.believe');
const runningPath = join(kept, 'running.json');
const BUSY_PROCESSES = 2;
/** What a run that was told to end may still take for it. */
const END_LIMIT_MS = 10_000;

interface Running {
  readonly process: ProcessIdentity;
  readonly scratch: string;
}

function end(sentence: string): never {
  console.error(`stalltrace: ${sentence}`);
  process.exit(1);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        passes: { type: 'string', default: '5' },
        stage: { type: 'string', multiple: true, default: [] },
        'keep-going': { type: 'boolean', default: false },
      },
    });
    const passes = Number(values.passes);
    if (!Number.isSafeInteger(passes) || passes < 1) throw new Error('--passes takes a number');
    return { passes, stages: values.stage, keepGoing: values['keep-going'] };
  } catch (error) {
    const usage = 'npm run believe -- [--passes N] [--stage NAME]… [--keep-going]';
    return end(`${(error as Error).message}. Use: ${usage}`);
  }
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) end(`git ${args[0]} failed: ${stderr}`);
  return stdout.trim();
}

let isStopped = false;
let endRun = () => {};

/** A clean clone. */
function cloneInto(scratch: string, commit: string): string {
  const clone = join(scratch, 'stalltrace');
  git('clone', '--quiet', '--no-checkout', root, clone);
  git('-C', clone, 'checkout', '--quiet', '--detach', commit);
  return clone;
}

function readRunning(): Running {
  try {
    return JSON.parse(readFileSync(runningPath, 'utf8'));
  } catch {
    return end(`${runningPath} is damaged: delete it, once no other run goes on.`);
  }
}

/**
 * A folder for the clones, with the real traces where this checkout has them beside it. One at a time:
 * what one that was killed left behind goes first.
 */
function claimScratch(): string {
  if (existsSync(runningPath)) {
    const other = readRunning();
    const { pid } = other.process;
    if (!hasEnded(other.process)) end(`process ${pid} makes these runs already: stop it first.`);
    rmSync(other.scratch, { recursive: true, force: true });
  }
  const scratch = mkdtempSync(join(tmpdir(), 'stalltrace-believe-'));
  // Some tests start jobs of other users from the clone.
  chmodSync(scratch, 0o755);
  const shared = join(root, '..', 'shared');
  if (existsSync(shared)) symlinkSync(shared, join(scratch, 'shared'));
  const running: Running = { process: processIdentityOf(), scratch };
  writeFileSync(runningPath, JSON.stringify(running));
  return scratch;
}

/** How `npm test` exited in `clone`; a signal to this process ends it and all that it started. */
async function runTests(clone: string, log: string): Promise<number | null> {
  const output = openSync(log, 'w');
  const child = spawn('npm', ['test', '--', ...stages.flatMap((name) => ['--stage', name])], {
    cwd: clone,
    env: emptyEnvironment(process.env),
    stdio: ['ignore', output, output],
    detached: true,
  });
  endRun = () => endGroup(child);
  if (isStopped) endRun();
  await once(child, 'exit');
  endRun = () => undefined;
  if (isStopped) signalGroup(child, 'SIGKILL');
  closeSync(output);
  return child.exitCode;
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  setTimeout(() => signalGroup(child, 'SIGKILL'), END_LIMIT_MS).unref();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // Nobody of it is left.
  }
}

async function makeRun(scratch: string, log: string): Promise<TestRun> {
  const clone = cloneInto(scratch, commit);
  const began = new Date();
  const busy = startBusyProcesses(BUSY_PROCESSES);
  try {
    const status = await runTests(clone, log);
    const outcome = readOutcome(readFileSync(log, 'utf8'), status);
    const quiet = busy.areRunning() ? [] : ['A busy process ended before the run did.'];
    return {
      ...{ commit, stages, began: began.toISOString() },
      seconds: Math.round((Date.now() - began.getTime()) / 1000),
      ...outcome,
      failures: [...outcome.failures, ...quiet],
    };
  } finally {
    busy.stop();
    rmSync(clone, { recursive: true, force: true, maxRetries: 20 });
  }
}

function sayRun(run: TestRun, log: string): void {
  const { seconds, passed, failed, skipped, failures } = run;
  console.log(`  ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s; ${log}`);
  for (const name of failures) console.log(`  FAILED ${name}`);
}

function runsSoFar(): readonly TestRun[] {
  return readRuns(existsSync(listPath) ? readFileSync(listPath, 'utf8') : '', { commit, stages });
}

/** Until the row is long enough or broken; with --keep-going until there are so many runs. */
function isDone(runs: readonly TestRun[], made: number): boolean {
  if (keepGoing) return runs.length >= passes;
  return rowOf(runs) >= passes || (made > 0 && rowOf(runs) === 0);
}

const { passes, stages, keepGoing } = readOptions();
const listPath =
  stages.length === 0 ? join(root, 'test', 'believed.jsonl') : join(kept, 'runs.jsonl');
const commit = git('rev-parse', 'HEAD');
mkdirSync(kept, { recursive: true });
const scratch = claimScratch();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isStopped = true;
    endRun();
  });

if (git('status', '--porcelain', '--', '.', ':!test/believed.jsonl') !== '')
  console.log('What is not committed is left out.');
let runs = runsSoFar();
for (let made = 0; !isDone(runs, made); made++) {
  const log = join(kept, `${commit.slice(0, 10)}-${runs.length + 1}.log`);
  console.log(
    `Run ${runs.length + 1} of ${commit.slice(0, 10)}, ${rowOf(runs)} passes in a row so far`,
  );
  const run = await makeRun(scratch, log);
  if (isStopped) break;
  appendFileSync(listPath, `${JSON.stringify(run)}\n`);
  sayRun(run, log);
  runs = runsSoFar();
}
rmSync(scratch, { recursive: true, force: true });
rmSync(runningPath);
console.log(sayVerdict(runs, passes));
process.exit(rowOf(runs) >= passes ? 0 : 1);
