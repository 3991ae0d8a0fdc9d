import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { type Build, buildOne } from '../../../scripts/agent/build.mjs';
import { canBuild } from '../../../scripts/agent/toolchain.mjs';
import { root } from '../built.ts';

/** The capture agent under test, and recordings of jobs made with it. */

export const agentFolder = join(root, 'out/agent', `linux-${process.arch}`);
export const agentPath = join(agentFolder, 'stalltrace-agent');
/** Before the test's own time is up, so that it can say what there is. */
const GIVE_UP_MS = 100_000;

/** What an agent is built of, built here; it need not be the one that is tested. */
export function buildAgentHere(arch: string): Build {
  const { built, missing } = buildOne(root, arch);
  if (built === undefined) throw new Error(`The agent can't be built: ${missing?.why}`);
  return built.build;
}

/** A library of test/cuda-stand-in or a job of test/agent/jobs, built. */
export function standIn(name: string): string {
  return join(root, 'out/agent-test', name);
}

/** Builds these, where there are an agent to record them with and a compiler. */
export function buildStandIn(): void {
  if (!existsSync(agentPath) || !canBuild(process.arch)) return;
  const folder = join(root, 'test/cuda-stand-in');
  const args = ['-s', '-j2', '-C', folder, `OUT=${standIn('')}`];
  const { status } = spawnSync('make', args, { stdio: 'inherit' });
  if (status !== 0) throw new Error('the stand-in for CUDA could not be built');
}

export const cudart = standIn('libcudart.so.12');

/** One line of `record --json`. */
interface AgentEvent {
  readonly event: string;
  readonly [key: string]: unknown;
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where the trace and the job's report are written. */
  readonly folder: string;
  /** Runs once the agent says that it records; ended before the recording is waited for. */
  readonly meanwhile?: (run: Running) => Promise<void> | void;
  /** The agent's standard input; none otherwise. */
  readonly stdin?: Socket | undefined;
  /** Instead of the agent itself: how to start it, its path and arguments following. */
  readonly through?: readonly string[];
  /** Another build of it; that for this machine otherwise. */
  readonly agent?: string;
}

interface Running {
  readonly agent: ChildProcess;
  readonly file: string;
  /** Resolves once the agent has said such an event, so many times, or ended. */
  readonly said: (event: string, pattern?: RegExp, times?: number) => Promise<void>;
  /** What the agent has said so far. */
  readonly events: () => readonly AgentEvent[];
}

export interface Recording {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly events: readonly AgentEvent[];
  readonly stdout: string;
  readonly stderr: string;
  readonly file: string;
  /** What the job wrote to JOB_REPORT. */
  readonly report: () => unknown;
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (data: string) => (text += data));
  return () => text;
}

function parseEvents(text: string): AgentEvent[] {
  // A killed agent may leave half a line.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AgentEvent);
}

async function until(condition: () => boolean, agent: ChildProcess): Promise<void> {
  while (!condition() && agent.exitCode === null && agent.signalCode === null) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** `stalltrace-agent record ... -- COMMAND`, to its end. */
export async function runAgent(
  command: readonly string[],
  options: RunOptions,
): Promise<Recording> {
  const { folder } = options;
  const file = join(folder, 'run.trace.db');
  const reportFile = join(folder, 'report.json');
  const target = command.length > 0 ? ['--', ...command] : [];
  const args = ['record', '--json-fd', '3', '--out', file, ...(options.args ?? []), ...target];
  const path = options.agent ?? agentPath;
  const [program = path, ...before] = [...(options.through ?? []), path];
  const agent = spawn(program, [...before, ...args], {
    stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, JOB_REPORT: reportFile, ...options.env },
  });
  const ended = new Promise<void>((resolve) => agent.on('close', () => resolve()));
  const timer = setTimeout(() => agent.kill('SIGKILL'), GIVE_UP_MS);
  const stdout = collect(agent.stdout);
  const stderr = collect(agent.stderr);
  const events = collect(agent.stdio[3] as NodeJS.ReadableStream);
  const said: Running['said'] = (name, pattern = /^/, times = 1) =>
    until(
      () =>
        parseEvents(events()).filter(
          (each) => each.event === name && pattern.test(JSON.stringify(each)),
        ).length >= times,
      agent,
    );
  try {
    if (options.meanwhile !== undefined) {
      await said('started');
      await options.meanwhile({ agent, file, said, events: () => parseEvents(events()) });
    }
    await ended;
  } finally {
    clearTimeout(timer);
  }
  return {
    code: agent.exitCode,
    signal: agent.signalCode,
    events: parseEvents(events()),
    stdout: stdout(),
    stderr: stderr(),
    file,
    report: () => JSON.parse(readFileSync(reportFile, 'utf8')),
  };
}

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Rows of a query on the recorded file. */
export function query(file: string, sql: string): Row[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** Begins a query: the frames of every stack as `stack_frame`, 0 = leaf. */
export const STACK_FRAMES = `WITH RECURSIVE walk (stack_id, position, row) AS (
    SELECT id, 0, id FROM stack
    UNION ALL SELECT stack_id, position + 1, prefix_id FROM walk JOIN stack ON id = row WHERE prefix_id > 0),
  stack_frame AS (SELECT stack_id, position, symbol, file, line, language FROM walk
    JOIN stack ON stack.id = row JOIN frame ON frame.id = frame_id)`;

/** The one value of a query. */
export function value(file: string, sql: string): SQLOutputValue {
  const [row] = query(file, sql);
  return Object.values(row ?? {})[0] ?? null;
}

export function event(recording: Recording, name: string): AgentEvent | undefined {
  return recording.events.find((each) => each.event === name);
}
