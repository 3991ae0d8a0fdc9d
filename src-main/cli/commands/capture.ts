import { resolve } from 'node:path';
import { captureModeSpecs, modeOn, modeSpec } from '../../shared/capture-modes/modes.ts';
import { captureProfiles } from '../../shared/capture-modes/profiles.ts';
import { captureCost } from '../../shared/remote/capture-cost.ts';
import { type CaptureRequest, defaultCapture } from '../../shared/remote/capture-request.ts';
import type { Preflight } from '../../shared/remote/preflight.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { modeOptionTypes, readCaptureRequest } from '../arguments/capture-request.ts';
import {
  HOST_USAGE,
  type HostOptions,
  hostOptionsOf,
  hostOptionTypes,
} from '../arguments/host-options.ts';
import { defineCommand } from '../command/command.ts';
import { checkOutputs } from '../output/check-outputs.ts';
import { createSpeaker } from '../output/speaker.ts';
import { finishRun } from '../remote/finish-run.ts';
import {
  type HostSession,
  type RemoteSession,
  signIn,
  withRemote,
} from '../remote/remote-session.ts';
import { watchInterrupts } from '../terminal/interrupts.ts';

interface CaptureOptions extends HostOptions {
  readonly request: CaptureRequest;
  /** Absolute. */
  readonly out?: string;
  readonly force: boolean;
  readonly detach: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

const modeLines = captureModeSpecs
  .flatMap(({ choice }) =>
    choice === undefined ? [] : `  ${`--${choice.option}`.padEnd(17)}  ${choice.optionHelp}`,
  )
  .join('\n');

export const capture = defineCommand({
  name: 'capture',
  synopsis: 'HOST (--pid PID | --all | -- COMMAND…)',
  summary: 'capture there, bring the trace back, clean up',
  usage: `Usage: stalltrace capture HOST (--pid PID… | --all | -- COMMAND…) [--duration TIME] [--out FILE]

Captures on a host, brings the trace into your library and cleans up there. Ctrl+C ends the capture
and brings back what there is; Ctrl+C once more leaves it running: stalltrace captures lists it.

  --pid PID          this process and its descendants; may be repeated
  --all              the whole machine
  -- COMMAND…        run by your login shell there, as you; one word is taken as a whole line
  --folder DIR       where on the host COMMAND runs (default: your home)
  --env NAME=VALUE   for COMMAND; may be repeated. Others there can read it: no place for secrets
  --gpu-records WHAT of the job, from inside: all, copies, none, no-cupti (leaves CUPTI to another
                     profiler of the job, as torch.profiler) or off (default all)
  --remote-python    ask a --pid of Python 3.14 to load what records it from inside, instead of
                     pasting the line that is shown
  --duration TIME    as in 30s, 5min, 1h (default 60s)
  --max-size SIZE    of the trace, as in 500M, 4G (default 4G)
  --profile LIST     more to record: ${captureProfiles.join(', ')}
  --samples HZ       CPU samples of each thread a second; 0 = none (default ${defaultCapture.samplesHz})
${modeLines}
  --keep-agent       leave the agent on the host for the next time
  --out FILE         a copy of the trace there too; --force replaces what is there
  --detach           leave once it records; stalltrace captures --bring ID fetches it
  --yes              don't ask before it starts
  --json             one JSON object a line, documented in docs/cli.md

${HOST_USAGE}`,
  options: {
    ...hostOptionTypes,
    pid: { type: 'string', multiple: true, default: [] },
    all: { type: 'boolean', default: false },
    folder: { type: 'string' },
    env: { type: 'string', multiple: true, default: [] },
    'remote-python': { type: 'boolean', default: false },
    'gpu-records': { type: 'string', default: defaultCapture.gpuRecords },
    duration: { type: 'string', default: '60s' },
    'max-size': { type: 'string', default: '4G' },
    profile: { type: 'string', multiple: true, default: [] },
    samples: { type: 'string', default: String(defaultCapture.samplesHz) },
    ...modeOptionTypes,
    'keep-agent': { type: 'boolean', default: false },
    out: { type: 'string' },
    force: { type: 'boolean', default: false },
    detach: { type: 'boolean', default: false },
    yes: { type: 'boolean', short: 'y', default: false },
    json: { type: 'boolean', default: false },
  },
  takesOperands: true,
  startsProgram: true,
  read({ values, operands, program }, startFolder): CaptureOptions | string {
    const host = hostOptionsOf(values, operands, startFolder);
    if (typeof host === 'string') return host;
    const request = readCaptureRequest(values, program);
    if (typeof request === 'string') return request;
    const { out, force, detach, yes, json } = values;
    if (out === '') return 'The name of the file for --out is empty.';
    if (out !== undefined && detach) return 'Give --out to stalltrace captures --bring, not here.';
    const file = out === undefined ? {} : { out: resolve(startFolder, out) };
    return { ...host, request, ...file, force, detach, yes, json };
  },
  run(options) {
    const speaker = createSpeaker(options.json);
    return withRemote({ interrupts: watchInterrupts(), speaker }, async (session) => {
      const done = await captureOn(session, options);
      return done.ok ? done.value : speaker.fail(done.error);
    });
  },
});

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
  return ok({ ...request, mode: modeOn(preflight.mode, request.mode, request.target.kind) });
}

/** Says what it costs, and at a terminal waits for a yes. */
async function isWanted(
  { speaker, terminal, context }: HostSession,
  preflight: Preflight,
  request: CaptureRequest,
  { yes, json }: CaptureOptions,
): Promise<boolean> {
  const { sentence, warnings } = captureCost(preflight, request);
  const { mode, headline } = preflight;
  if (mode !== 'none' && modeSpec(mode).limits !== undefined)
    speaker.say(cleanText(headline, 1000), { event: mode, preflight });
  speaker.say(cleanText(sentence, 2000), { event: 'cost', sentence, warnings });
  if (!json) {
    for (const warning of warnings)
      speaker.say(`warning: ${cleanText(warning, 2000)}`, { event: 'warning', warning });
  }
  if (yes || json || terminal === undefined) return true;
  const typed = await terminal.readLine('Start? [Y/n] ', { echo: true, signal: context.signal });
  return typed !== undefined && /^(y(es)?)?$/i.test(typed.trim());
}
