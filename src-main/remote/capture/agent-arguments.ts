import { modeSpec } from '../../shared/capture-modes/modes.ts';
import { type CaptureRequest, comesInByLine } from '../../shared/remote/capture-request.ts';

/** The smallest file that the agent agrees to. */
const SMALLEST_MAX_BYTES = 4 * 1024 ** 2;

/** What the trace of a capture may have; its recorder holds to that whatever happens. */
export function mostTraceBytes({ maxSizeBytes }: CaptureRequest): number {
  return Math.max(maxSizeBytes, SMALLEST_MAX_BYTES);
}

interface Where {
  readonly traceFile: string;
  /** Absent: the agent's own place. */
  readonly runBase?: string | undefined;
  readonly asRoot: boolean;
  readonly userName: string;
  readonly loginShell: string;
}

/** The words after `stalltrace-agent` that begin a capture. */
export function recordArguments(request: CaptureRequest, where: Where): readonly string[] {
  return [
    'record',
    '--detach',
    '--json',
    ...['--out', where.traceFile],
    ...['--duration', `${request.durationS}s`],
    ...['--max-size', String(mostTraceBytes(request))],
    ...['--samples', String(request.samplesHz)],
    ...(request.profiles.length === 0 ? [] : ['--profile', request.profiles.join(',')]),
    ...modeSpec(request.mode).agentArguments,
    ...gpuArguments(request),
    ...remoteArguments(request),
    ...runDirectory(where.runBase),
    ...targetArguments(request.target, where),
  ];
}

/** What is recorded from inside; a mode that can't do without the library, or has none, has said so. */
function gpuArguments({ target, mode, gpuRecords }: CaptureRequest): readonly string[] {
  const { fromInside, hasGpuRecords } = modeSpec(mode);
  if (target.kind === 'machine' || !hasGpuRecords || gpuRecords === 'all') return [];
  if (gpuRecords === 'no-cupti') return ['--no-cupti'];
  if (gpuRecords !== 'off') return ['--gpu-records', gpuRecords];
  return fromInside ? ['--gpu-records', 'none'] : ['--no-inside'];
}

function remoteArguments(request: CaptureRequest): readonly string[] {
  return comesInByLine(request) && request.remotePython ? ['--remote-python'] : [];
}

/** Which run, for the verbs that follow one. */
export function runArguments(run: {
  readonly agentRun: string;
  readonly runBase?: string | undefined;
}): readonly string[] {
  return ['--run', run.agentRun, ...runDirectory(run.runBase)];
}

export function runDirectory(runBase: string | undefined): readonly string[] {
  return runBase === undefined ? [] : ['--run-dir', runBase];
}

function targetArguments(target: CaptureRequest['target'], where: Where): readonly string[] {
  switch (target.kind) {
    case 'processes':
      return target.pids.flatMap((pid) => ['--pid', String(pid)]);
    case 'machine':
      return ['--all'];
    case 'command': {
      // Root's rights are the agent's alone: the command is the signing-in user's.
      const user = where.asRoot ? ['--user', where.userName] : [];
      return [...user, '--', ...commandWords(target, where.loginShell)];
    }
  }
}

/** `~` is what people write for their home; nothing else of it is for a shell. */
const IN_FOLDER = `case $1 in "~" | "~/"*) to=$HOME\${1#"~"} ;; *) to=$1 ;; esac
cd -- "$to" || exit 1
shift
exec "$@"`;

/** A line for the user's own shell, started as at signing in, so that PATH and conda are as there. */
function commandWords(
  { line, folder, environment }: Extract<CaptureRequest['target'], { kind: 'command' }>,
  loginShell: string,
): readonly string[] {
  const name = loginShell.split('/').at(-1) ?? '';
  // Theirs takes -l alone, and reads its rc file anyway.
  const option = ['csh', 'tcsh'].includes(name) ? '-c' : '-lc';
  const shell = [
    ...(environment === undefined ? [] : ['env', ...environment]),
    ...[loginShell, option, line],
  ];
  if (folder === undefined) return shell;
  return ['/bin/sh', '-c', IN_FOLDER, 'sh', folder, ...shell];
}
