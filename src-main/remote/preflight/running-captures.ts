import { z } from 'zod';
import type { HostError } from '../../shared/remote/connection.ts';
import type { Preflight } from '../../shared/remote/preflight.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { HostSession } from '../shell/host-session.ts';
import { askAgent } from './agent-json.ts';

const status = z.object({
  runs: z
    .array(
      z.object({
        run_id: z.string().regex(/^[0-9a-f]{8,64}$/),
        state: z.string().max(32),
        process_alive: z.boolean().nullish(),
        run: z
          .object({ file: z.string().max(4096).nullish(), pid: z.number().int().nullish() })
          .nullish(),
      }),
    )
    .max(2000),
  left_out: z.number().int().nonnegative().default(0),
});

type RunningCapture = Preflight['running'][number];

export interface RunningCaptures {
  readonly running: readonly RunningCapture[];
  /** How many more have notes on the host, and were not looked at: those that changed longest ago. */
  readonly leftOut: number;
}

/** Captures in the background that run, of the rights at hand; ours are those that write into our folders. */
export async function runningCaptures(
  session: Pick<HostSession, 'openAgent' | 'baseFolder' | 'baseFolders'>,
  options: { readonly asRoot: boolean; readonly signal: AbortSignal },
): Promise<Result<RunningCaptures, HostError | 'cancelled'>> {
  // Root's are in the agent's own folder, a user's beside the traces.
  const where = options.asRoot ? [] : ['--run-dir', `${session.baseFolder}/runs`];
  const told = await askAgent(session, ['status', '--json', ...where], status, options);
  if (!told.ok) return told;
  const running = told.value.runs
    .filter((run) => run.state === 'running' && run.process_alive !== false)
    .map((run) => ({
      runId: run.run_id,
      ours: session.baseFolders.some((base) => run.run?.file?.startsWith(`${base}/`) === true),
      text: describe(run.run?.file, run.run?.pid),
    }));
  return ok({ running, leftOut: told.value.left_out });
}

function describe(file: string | null | undefined, pid: number | null | undefined): string {
  const into = file ? `writes ${cleanText(file, 300)}` : 'its file is not known';
  return pid ? `process ${pid}, ${into}` : into;
}
