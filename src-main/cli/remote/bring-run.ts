import { createReadStream } from 'node:fs';
import type { CallValue } from '../../contract/contract.ts';
import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import type { Run } from '../../shared/remote/run.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { shellWord } from '../../shared/text/shell-word.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { writeNewFile } from '../../system/write-file.ts';
import { cleanUpText } from '../texts/clean-up-text.ts';
import { transferLine } from '../texts/live-line.ts';
import { diagnoseBrought } from './diagnose-brought.ts';
import type { RemoteSession } from './remote-session.ts';

interface Out {
  readonly out?: string | undefined;
  readonly force: boolean;
}

/** Brings a capture's trace into the library, and says where it is and what to do with it. */
export async function bringRun(
  session: RemoteSession,
  run: Run,
  { out, force }: Out,
): Promise<Result<null>> {
  const { app, context, speaker } = session;
  let busy = true;
  app.onEvent((name, payload) => {
    if (!busy || name !== 'remote.run' || (payload as Run).id !== run.id) return;
    if (speaker.json) speaker.say('', { event: 'run', run: payload });
    else speaker.show(transferLine(payload as Run));
  });
  const brought = await app.handlers['remote.bringBack'](
    { run: run.id },
    { ...context, progress: ({ text }) => speaker.show(`${text} …`) },
  );
  busy = false;
  if (!brought.ok) return notBrought(run, brought.error);
  const { investigation } = brought.value;
  if (out !== undefined) {
    const copied = await copyOut(investigation, out, force, context.signal);
    if (!copied.ok) return copied;
  }
  const diagnosis = await diagnoseBrought(session, investigation);
  const told = { ...brought.value, out, diagnosis: diagnosis && headOf(diagnosis) };
  speaker.print(broughtText(run, told), { event: 'done', ...told });
  return ok(null);
}

function notBrought(
  { id }: Run,
  { code, message, detail }: { code: string; message: string; detail?: string },
): Result<null> {
  const goOn = `stalltrace captures --bring ${id.slice(0, 8)} goes on with it.`;
  if (code === 'cancelled') return fail(code, `Cancelled: what is here stays, and ${goOn}`, detail);
  // Nothing is here, and it would be the same again.
  if (code === 'host-broke-word') {
    const forget = `stalltrace captures --forget ${id.slice(0, 8)} does that.`;
    return fail(code, `${message} ${forget}`, detail);
  }
  return fail(code, `${message} What is here stays: ${goOn}`, detail);
}

interface Brought extends CallValue<'remote.bringBack'> {
  readonly out: string | undefined;
  readonly diagnosis: DiagnosisHead | undefined;
}

type DiagnosisHead = Pick<Diagnosis, 'verdict' | 'severity' | 'headline'>;

function headOf({ verdict, severity, headline }: Diagnosis): DiagnosisHead {
  return { verdict, severity, headline };
}

function broughtText({ host }: Run, { investigation, cleanUp, out, diagnosis }: Brought): string {
  const { name, path, sizeBytes } = investigation;
  const cleaned =
    cleanUp === undefined
      ? `${cleanText(host, 200)} could not be cleaned now: stalltrace clean ${shellWord(cleanText(host, 4096))} does it later.`
      : cleanUpText(host, cleanUp);
  return [
    `In your library: ${cleanText(name, 200)} (${formatBytes(sizeBytes)})`,
    `  ${cleanText(path, 4096)}`,
    ...(out === undefined ? [] : [`  ${cleanText(out, 4096)}`]),
    cleaned,
    ...(diagnosis === undefined ? [] : [cleanText(diagnosis.headline, 600)]),
    `Why the GPU waited: stalltrace explain ${shellWord(cleanText(out ?? path, 4096))}`,
  ].join('\n');
}

/** Streamed: a trace is larger than memory. */
async function copyOut(
  { path }: Investigation,
  out: string,
  force: boolean,
  signal: AbortSignal,
): Promise<Result<unknown>> {
  return writeNewFile(out, force, async (write) => {
    for await (const chunk of createReadStream(path)) {
      if (signal.aborted) return notCopied(path, out);
      await write(chunk as Buffer);
    }
    return ok(null);
  });
}

function notCopied(path: string, out: string): Result<never, 'cancelled'> {
  const [from, to] = [cleanText(path, 4096), cleanText(out, 4096)];
  const message = `Cancelled: the trace is in your library, as ${from}; only its copy ${to} is not made.`;
  return fail('cancelled', message);
}
