import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { type Recording, type RunOptions, runAgent, standIn } from './agent-run.ts';

/** Recordings from inside the job, without any privilege: several at a time do not disturb each other. */

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-inside-'));
let runs = 0;

/** A file that nothing else makes. */
export function freshPath(): string {
  return join(folder, `file-${++runs}`);
}

/** Call once in a file that records. */
export function removeRecordings(): void {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

export interface InsideRun {
  /** With BPF beside it; without otherwise. */
  readonly bpf?: true;
  /** `STALLTRACE_STAND_IN_CUPTI`. */
  readonly cupti?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly meanwhile?: RunOptions['meanwhile'];
  /** As somebody with no rights at all: empty bounding set, no way to gain any. Needs root. */
  readonly asNobody?: true;
}

export const NOBODY = 65_534;
/** Mode of a folder that somebody without rights writes into. */
export const NOBODY_MAY_USE = 0o777;

/** Runs what follows as a user without any right, and no way to gain one. */
export function withoutRights(user: number): string[] {
  return [
    ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs'],
    ...['--bounding-set=-all', '--inh-caps=-all'],
  ];
}

export const asNobodyArguments = withoutRights(NOBODY);

export function recordInside(
  command: readonly string[],
  { bpf, cupti, args = [], env = {}, meanwhile, asNobody }: InsideRun = {},
): Promise<Recording> {
  const own = mkdtempSync(join(folder, `${++runs}-`));
  if (asNobody) for (const path of [folder, own]) chownSync(path, NOBODY, NOBODY);
  return runAgent(command, {
    folder: own,
    ...(asNobody ? { through: asNobodyArguments } : {}),
    ...(meanwhile === undefined ? {} : { meanwhile }),
    args: [...(bpf ? [] : ['--no-bpf']), '--inside', ...args],
    env: { ...(cupti === undefined ? {} : { STALLTRACE_STAND_IN_CUPTI: cupti }), ...env },
  });
}

export const trouble = standIn('trouble');

/** What a job says and returns that nobody records: 128 + signal where it is killed. */
export async function runAlone(command: readonly string[]) {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code, signal]] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  const numbers: Partial<Record<NodeJS.Signals, number>> = { SIGABRT: 134, SIGKILL: 137 };
  return {
    stdout: stdout.toString(),
    stderr: stderr.toString(),
    code: signal === null ? code : (numbers[signal] ?? -1),
  };
}
