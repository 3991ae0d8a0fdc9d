import { resolve } from 'node:path';
import type { Run } from '../../shared/remote/run.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { defineCommand } from '../command/command.ts';
import { checkOutputs } from '../output/check-outputs.ts';
import { createSpeaker } from '../output/speaker.ts';
import { finishRun } from '../remote/finish-run.ts';
import {
  connectHost,
  type HostSession,
  type RemoteSession,
  withRemote,
} from '../remote/remote-session.ts';
import { watchInterrupts } from '../terminal/interrupts.ts';
import { cleanUpText } from '../texts/clean-up-text.ts';
import { runsText } from '../texts/runs-text.ts';

const ACTIONS = ['bring', 'stop', 'abandon', 'forget'] as const;
type Action = (typeof ACTIONS)[number];

interface CapturesOptions {
  readonly action?: Action;
  /** First digits of a run's. */
  readonly id: string;
  readonly out?: string;
  readonly force: boolean;
  readonly acceptNewKey: boolean;
  readonly json: boolean;
}

export const captures = defineCommand({
  name: 'captures',
  synopsis: '',
  summary: 'unfinished captures on hosts; --bring ID fetches one',
  usage: `Usage: stalltrace captures [--bring ID | --stop ID | --abandon ID | --forget ID] [--json]

Unfinished captures on hosts: those that still run, and those whose trace is not here yet.
The first digits of an ID are enough.

  --bring ID     bring the trace back, once the capture has ended; --out FILE: a copy there too
  --stop ID      end the capture; its trace stays there until it is brought
  --abandon ID   end it and delete its trace there; the job goes on
  --forget ID    take it off the list where its host is gone for good; deletes nothing
  --accept-new-host-key, --force, --json   as with stalltrace capture`,
  options: {
    bring: { type: 'string' },
    stop: { type: 'string' },
    abandon: { type: 'string' },
    forget: { type: 'string' },
    out: { type: 'string' },
    force: { type: 'boolean', default: false },
    'accept-new-host-key': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  takesOperands: false,
  read({ values }, startFolder): CapturesOptions | string {
    const [action, ...more] = ACTIONS.filter((name) => values[name] !== undefined);
    if (more.length > 0) return 'Give one of --bring, --stop, --abandon and --forget.';
    const id = (action === undefined ? '' : (values[action] ?? '')).replace(/^#/, '');
    if (action !== undefined && !/^[0-9a-f]{4,64}$/.test(id))
      return `--${action} ${id} is no ID of a capture: give four of its digits or more.`;
    if (values.out !== undefined && action !== 'bring') return '--out is for --bring only.';
    if (values.out === '') return 'The name of the file for --out is empty.';
    return {
      ...(action !== undefined && { action }),
      id,
      ...(values.out !== undefined && { out: resolve(startFolder, values.out) }),
      force: values.force,
      acceptNewKey: values['accept-new-host-key'],
      json: values.json,
    };
  },
  run(options) {
    const speaker = createSpeaker(options.json);
    return withRemote({ interrupts: watchInterrupts(), speaker }, async (session) => {
      const done = await act(session, options);
      return done.ok ? done.value : speaker.fail(done.error);
    });
  },
});

async function act(session: RemoteSession, options: CapturesOptions): Promise<Result<number>> {
  const { app, context, speaker } = session;
  const free = await checkOutputs('', [options.out], options.force);
  if (!free.ok) return free;
  const listed = await app.handlers['remote.runs']({}, context);
  if (!listed.ok) return listed;
  const runs = listed.value;
  if (options.action === undefined) {
    speaker.print(runsText(runs), { event: 'runs', runs });
    return ok(0);
  }
  const run = findRun(runs, options.id);
  if (!run.ok) return run;
  if (options.action === 'forget') return forget(session, run.value);
  if (run.value.phase === 'brought') return alreadyHere(run.value);
  const host = await connectTo(session, run.value, options);
  if (!host.ok) return host;
  speaker.step('Looking for the capture');
  const attached = await app.handlers['remote.attach'](
    { connection: host.value.connection, run: run.value.id },
    context,
  );
  return attached.ok ? actOn(host.value, attached.value, options) : attached;
}

function alreadyHere({ id, host }: Run): Result<never> {
  const message = `The trace of ${id.slice(0, 8)} is in your library already, and its host is not cleaned yet: stalltrace clean ${cleanText(host, 200)} does that.`;
  return fail('run-busy', message);
}

async function actOn(
  host: HostSession,
  run: Run,
  { action, out, force }: CapturesOptions,
): Promise<Result<number>> {
  const { app, context, speaker } = host;
  switch (action) {
    case 'stop': {
      const stopped = await app.handlers['remote.stop']({ run: run.id }, context);
      if (!stopped.ok) return stopped;
      const next = `Ended: stalltrace captures --bring ${run.id.slice(0, 8)} brings the trace back.`;
      speaker.print(next, { event: 'run', run: stopped.value });
      return ok(0);
    }
    case 'abandon': {
      const abandoned = await app.handlers['remote.abandon']({ run: run.id }, context);
      if (!abandoned.ok) return abandoned;
      const cleanUp = abandoned.value;
      speaker.print(cleanUpText(run.host, cleanUp), { event: 'cleaned', cleanUp });
      return ok(0);
    }
    default:
      return finishRun(host, run, { ...(out !== undefined && { out }), force, detach: false });
  }
}

async function connectTo(
  session: RemoteSession,
  { id }: Run,
  { acceptNewKey }: CapturesOptions,
): Promise<Result<HostSession>> {
  const where = await session.app.handlers['remote.runTarget']({ run: id }, session.context);
  if (!where.ok) return where;
  const { target, label } = where.value;
  return connectHost(session, target, { acceptNewKey, label });
}

async function forget({ app, context, speaker }: RemoteSession, run: Run): Promise<Result<number>> {
  const forgotten = await app.handlers['remote.forgetRun']({ run: run.id }, context);
  if (!forgotten.ok) return forgotten;
  speaker.print(`${run.id.slice(0, 8)} is off the list.`, { event: 'forgotten', run });
  return ok(0);
}

function findRun(runs: readonly Run[], id: string): Result<Run> {
  const found = runs.filter((run) => run.id.startsWith(id));
  const [run] = found;
  if (run === undefined)
    return fail('no-such-run', `There is no capture ${id}: stalltrace captures lists them.`);
  if (found.length > 1)
    return fail('no-such-run', `${found.length} captures begin with ${id}: give more digits.`);
  return ok(run);
}
