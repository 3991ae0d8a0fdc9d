import { captureCost } from '../../shared/remote/capture-cost.ts';
import type { CaptureRequest } from '../../shared/remote/capture-request.ts';
import type { Preflight } from '../../shared/remote/preflight.ts';
import type { Run } from '../../shared/remote/run.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { checkOutputs } from '../check-outputs.ts';
import { EXIT_INTERRUPTED } from '../exit-codes.ts';
import { wrongUsage } from '../wrong-usage.ts';
import { bringRun } from './bring-run.ts';
import { CAPTURE_USAGE, type CaptureOptions, parseCaptureOptions } from './capture-options.ts';
import { followRun } from './follow-run.ts';
import { watchInterrupts } from './interrupts.ts';
import { type HostSession, type RemoteSession, signIn, withRemote } from './remote-session.ts';
import { createSpeaker } from './speaker.ts';

/** `stalltrace capture HOST …`; the exit code. */
export async function capture(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseCaptureOptions(args, startFolder);
  if (typeof options === 'string') return wrongUsage('capture', options);
  if (options === undefined) {
    console.log(CAPTURE_USAGE);
    return 0;
  }
  const speaker = createSpeaker(options.json);
  return withRemote({ interrupts: watchInterrupts(), speaker }, async (session) => {
    const done = await captureOn(session, options);
    return done.ok ? done.value : speaker.fail(done.error);
  });
}

async function captureOn(session: RemoteSession, options: CaptureOptions): Promise<Result<number>> {
  const free = await checkOutputs('', [options.out], options.force);
  if (!free.ok) return free;
  const connected = await signIn(session, options);
  if (!connected.ok) return connected;
  const host = connected.value;
  const { connection, context, app } = host;
  const preflight = await app.handlers['remote.preflight']({ connection }, context);
  if (!preflight.ok) return preflight;
  const request = requestFor(preflight.value, options.request);
  if (!request.ok) return request;
  if (!(await isWanted(host, preflight.value, request.value, options)))
    return fail('cancelled', 'Nothing was started.');
  host.speaker.step('Starting the capture');
  const started = await app.handlers['remote.start'](
    { connection, request: request.value },
    context,
  );
  return started.ok ? finishRun(host, started.value, options) : started;
}

/** What is captured where not everything can be. */
function requestFor(preflight: Preflight, request: CaptureRequest): Result<CaptureRequest> {
  if (preflight.mode === 'none') return fail('no-permission', preflight.headline);
  return ok(preflight.mode === 'full' ? request : { ...request, mode: 'sampled' });
}

/** Says what it costs, and at a terminal waits for a yes. */
async function isWanted(
  { speaker, terminal, context }: HostSession,
  preflight: Preflight,
  request: CaptureRequest,
  { yes, json }: CaptureOptions,
): Promise<boolean> {
  const { sentence, warnings } = captureCost(preflight, request);
  if (preflight.mode === 'sampled')
    speaker.say(cleanText(preflight.headline, 1000), { event: 'sampled', preflight });
  speaker.say(cleanText(sentence, 2000), { event: 'cost', sentence, warnings });
  if (!json) {
    for (const warning of warnings)
      speaker.say(`warning: ${cleanText(warning, 2000)}`, { event: 'warning', warning });
  }
  if (yes || json || terminal === undefined) return true;
  const typed = await terminal.readLine('Start? [Y/n] ', { echo: true, signal: context.signal });
  return typed !== undefined && /^(y(es)?)?$/i.test(typed.trim());
}

/** From a run that records, or has ended, to its trace in the library. */
export async function finishRun(
  host: HostSession,
  started: Run,
  options: Pick<CaptureOptions, 'out' | 'force' | 'detach'>,
): Promise<Result<number>> {
  const { speaker } = host;
  if (options.detach) {
    speaker.print(leftText(started), { event: 'detached', run: started });
    return ok(0);
  }
  const { how, run } = await followRun(host, started);
  if (how !== 'ended') {
    speaker.print(leftText(run), { event: 'detached', run });
    return ok(how === 'left' ? EXIT_INTERRUPTED : 1);
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
