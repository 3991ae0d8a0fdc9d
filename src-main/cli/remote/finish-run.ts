import type { Run } from '../../shared/remote/run.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { EXIT_FAILURE, EXIT_INTERRUPTED } from '../output/exit-codes.ts';
import { bringRun } from './bring-run.ts';
import { followRun } from './follow-run.ts';
import type { HostSession } from './remote-session.ts';

interface FinishOptions {
  /** Absolute: a copy of the trace there too. */
  readonly out?: string;
  readonly force: boolean;
  /** Nobody waits for it here. */
  readonly detach: boolean;
}

/** From a run that records, or has ended, to its trace in the library. */
export async function finishRun(
  host: HostSession,
  started: Run,
  options: FinishOptions,
): Promise<Result<number>> {
  const { speaker } = host;
  if (options.detach) {
    speaker.print(leftText(started), { event: 'detached', run: started });
    return ok(0);
  }
  const { how, run } = await followRun(host, started);
  if (how !== 'ended') {
    speaker.print(leftText(run), { event: 'detached', run });
    return ok(how === 'left' ? EXIT_INTERRUPTED : EXIT_FAILURE);
  }
  if (run.message !== undefined)
    speaker.say(cleanText(run.message, 1000), { event: 'ended', message: run.message });
  const brought = await bringRun(host, run, options);
  return brought.ok ? ok(0) : brought;
}

function leftText({ id, host, what }: Run): string {
  const name = id.slice(0, 8);
  return [
    `${cleanText(what, 200)} is being recorded on ${cleanText(host, 200)} as ${name}; it ends by itself.`,
    `  stalltrace captures --bring ${name}   brings the trace back`,
    `  stalltrace captures --stop ${name}    ends it`,
  ].join('\n');
}
