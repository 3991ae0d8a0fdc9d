import { spawnSync } from 'node:child_process';
import { builtFile } from './built.ts';

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command line in `cwd`; `environment` beside this process's own. */
export function runCli(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): CliRun {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [builtFile('main/cli.js'), ...args],
    {
      cwd,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
      env: { ...process.env, ...environment },
    },
  );
  return { code: status, stdout, stderr };
}
