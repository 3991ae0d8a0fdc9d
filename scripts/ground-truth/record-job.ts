import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cudart, event, runAgent } from '../../test/support/agent/agent-run.ts';
import { root } from '../../test/support/built.ts';
import { cpuGroup, mayGroup } from '../../test/support/cpu-group.ts';
import { othersShareSince, readCpuTime } from './cpu-time.ts';
import type { Form } from './results.ts';
import { parseTruth, type Truth } from './truth.ts';

/** Records one form of a job with the real agent, as a user would. */

const python = '/usr/bin/python3';
const folderOf = join(root, 'test/ground-truth');
/** What a job exits with that lacks something of this machine; it says what. */
const CANNOT_RUN = 77;
/** What runs beside a job gets ready within this. */
const READY_LIMIT_MS = 60_000;

export interface RecordedJob {
  readonly file: string;
  readonly truth: Truth;
  readonly othersShare: number;
}

/** Why it can't run here. */
export interface NotRun {
  readonly notRun: string;
}

/** Into `folder`: run.trace.db, truth.json, machine.json. The loop ends after `loopSeconds`, where they are given. */
export async function recordJob(
  job: string,
  form: Form,
  folder: string,
  loopSeconds?: number,
): Promise<RecordedJob | NotRun> {
  mkdirSync(folder, { recursive: true });
  const group = mayGroup() ? cpuGroup() : undefined;
  const through = group?.through ?? [];
  const flags = form === 'fixed' ? ['--fixed'] : [];
  const truthFile = join(folder, 'truth.json');
  const before = readCpuTime();
  const stop = await startBeside(job, folder, through, flags);
  try {
    const script = join(folderOf, 'jobs', `${job}.py`);
    // Two CPUs wherever it runs: what is asked of them is what the jobs are about.
    const command = ['taskset', '-c', '0,1', python, script, truthFile, ...flags];
    const recording = await runAgent(command, {
      ...{ folder, through, args: ['--library', cudart] },
      env: {
        ...{ STALLTRACE_CUDART: cudart, STALLTRACE_BESIDE: folder },
        ...(loopSeconds !== undefined && { STALLTRACE_LOOP_SECONDS: String(loopSeconds) }),
      },
    });
    const { code, stderr } = recording;
    if (code === CANNOT_RUN) return { notRun: need(stderr) };
    if (code !== 0) throw new Error(`it ended with ${code}, ${problem(stderr)}`);
    const lost = event(recording, 'finished')?.drops;
    if (JSON.stringify(lost) !== '{}') throw new Error(`${job}: lost ${JSON.stringify(lost)}`);
  } finally {
    await stop();
    group?.remove();
  }
  const othersShare = othersShareSince(before);
  writeFileSync(join(folder, 'machine.json'), JSON.stringify({ othersShare }));
  return readRecorded(folder);
}

// The recorder's own sentences follow what the job said.
const need = (text: string) => /^needs .*$/m.exec(text)?.[0] ?? text;
const problem = (text: string) => /^\w*(?:Error|Exception)\b.*$/m.exec(text)?.[0] ?? text;

/** What `recordJob` left in `folder`. */
export function readRecorded(folder: string): RecordedJob {
  const truth = parseTruth(readFileSync(join(folder, 'truth.json'), 'utf8'));
  const { othersShare } = JSON.parse(readFileSync(join(folder, 'machine.json'), 'utf8'));
  return { file: join(folder, 'run.trace.db'), truth, othersShare };
}

/** Starts what runs beside the job, outside its process tree, if there is such; returns what ends it. */
async function startBeside(
  job: string,
  folder: string,
  through: readonly string[],
  flags: readonly string[],
): Promise<() => Promise<void>> {
  const script = join(folderOf, 'beside', `${job}.py`);
  if (!existsSync(script)) return async () => {};
  const [program = python, ...args] = [...through, python, script, folder, ...flags];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  const until = Date.now() + READY_LIMIT_MS;
  while (!existsSync(join(folder, 'ready'))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${script} is not ready`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}
