import { cleanText, upperFirst } from '../../shared/text/text.ts';
import { formatBytes, formatRoundDuration, plural } from '../../shared/text/units.ts';
import type { RunRecord } from '../state/run-record.ts';
import type { AgentLineOf } from './agent-lines.ts';

/** How a capture ended: what the screen says of it, and what is left of it on the host. */
export interface RunEnd {
  /** One or two sentences with the next step. */
  readonly message: string;
  readonly tone: RunRecord['tone'];
  readonly jobRunning?: boolean;
  /** Of the trace; absent: not known. */
  readonly bytesOnHost?: number;
  /** The same, where nothing more can come to it: a log that is still to be brought in. */
  readonly finalBytes?: number;
}

const BRING_BACK = 'bring back what was recorded until then.';

/** The end that the recorder itself tells. */
export function endOfFinished(
  line: AgentLineOf<'finished'>,
  { request }: Pick<RunRecord, 'request'>,
): RunEnd {
  const isCommand = request.target.kind === 'command';
  const { tone, message } = wordsOfEnd(line, request, isCommand);
  const losses = wordsOfLosses(line);
  return {
    tone: tone === 'ok' && losses !== '' ? 'warn' : tone,
    message: `${message}${losses}`,
    bytesOnHost: line.bytes,
    ...(CLEAN_ENDS.has(line.end) && { finalBytes: line.bytes }),
    ...(isCommand && { jobRunning: line.job_running }),
  };
}

/** After others, as of a full disk, the end of the trace may be in a log beside it until it is sent. */
const CLEAN_ENDS: ReadonlySet<string> = new Set(['duration', 'stopped', 'target-exited']);

function wordsOfEnd(
  line: AgentLineOf<'finished'>,
  { maxSizeBytes, durationS }: RunRecord['request'],
  isCommand: boolean,
): Pick<RunEnd, 'message' | 'tone'> {
  const time = formatRoundDuration(line.length_ns);
  const own = line.message === '' ? '' : ` ${asSentence(line.message)}`;
  switch (line.end) {
    case 'duration':
      return { tone: 'ok', message: `Recorded for ${time}${asAsked(line, durationS)}.${own}` };
    case 'stopped':
      return { tone: 'ok', message: `Stopped after ${time}.${own}` };
    case 'target-exited':
      return targetExited(line, isCommand, `after ${time}`, own);
    case 'max-size':
      return {
        tone: 'warn',
        message: `The trace reached its limit of ${formatBytes(maxSizeBytes)} after ${time}: to see longer, raise the limit or record less.${own}`,
      };
    case 'disk-full':
      return {
        tone: 'warn',
        message: `The host's disk is nearly full, so the capture ended after ${time}; ${BRING_BACK} Free space there before the next one.${own}`,
      };
    case 'memory-full':
      return {
        tone: 'warn',
        message: `The recorder ran out of memory after ${time}; ${BRING_BACK}${own}`,
      };
    default:
      return {
        tone: 'fail',
        message: `The capture failed after ${time}; ${BRING_BACK}${own}`,
      };
  }
}

/** On a host that is too busy to let the recorder run, a capture ends late. */
function asAsked({ length_ns }: AgentLineOf<'finished'>, durationS: number): string {
  if (length_ns / 1e9 <= durationS * 1.1 + 0.5) return ', as asked';
  return `, not ${formatRoundDuration(durationS * 1e9)}: the host was too busy to end it in time`;
}

/** What the recorder could not keep up with; the trace has it as gaps. */
function wordsOfLosses({ drops }: AgentLineOf<'finished'>): string {
  const lost = Object.values(drops).reduce((sum, count) => sum + count, 0);
  if (lost === 0) return '';
  const advice = 'Record fewer things, or one job instead of the machine, to lose none.';
  return ` ${plural(lost, 'event was', 'events were')} lost, which the trace marks. ${advice}`;
}

function targetExited(
  { exit_code }: AgentLineOf<'finished'>,
  isCommand: boolean,
  time: string,
  own: string,
): Pick<RunEnd, 'message' | 'tone'> {
  if (!isCommand) return { tone: 'ok', message: `The job ended ${time}.${own}` };
  if (exit_code === null || exit_code === 0)
    return { tone: 'ok', message: `The command ended ${time}.${own}` };
  const how = exit_code > 128 ? `by signal ${exit_code - 128}` : `with exit code ${exit_code}`;
  return { tone: 'warn', message: `The command ended ${how} ${time}.${own}` };
}

/** The recorder told that there is no capture after it had gone to the background. */
export function endOfError(line: AgentLineOf<'error'>): RunEnd {
  const next = line.next === '' ? '' : ` ${asSentence(line.next)}`;
  return { tone: 'fail', message: `${asSentence(line.message)}${next}`, jobRunning: false };
}

/** The recorder's process is gone without a last line; `log`: the end of its log. */
export function endOfDeath(log: string): RunEnd {
  const words =
    log === '' ? '' : ` Its last output: ${cleanText(log.split('\n').slice(-5).join(' · '), 600)}`;
  return {
    tone: 'fail',
    message: `The recorder on the host ended unexpectedly; the job goes on. Bring back the trace: it holds all but the last second.${words}`,
  };
}

/** `bootedAtMs`: Unix ms; `traceBytes`: what is left, undefined where nothing is. */
export function endOfReboot(bootedAtMs: number, traceBytes: number | undefined): RunEnd {
  const when = new Date(bootedAtMs).toISOString().replace('T', ' ').slice(0, 16);
  const left =
    traceBytes === undefined
      ? ', and its trace was lost with it: nothing can be brought back. Forget this capture.'
      : '; what was written until then survived: bring it back.';
  return {
    tone: 'fail',
    message: `The host restarted at ${when} UTC; the capture ended${left}`,
    jobRunning: false,
    bytesOnHost: traceBytes ?? 0,
  };
}

/** The agent's own folder of the run is gone, though the host did not restart. */
export function endOfNothing(traceBytes: number | undefined): RunEnd {
  if (traceBytes === undefined)
    return {
      tone: 'fail',
      message:
        'The host knows nothing of this capture any more, and its trace is gone: forget this capture.',
      jobRunning: false,
      bytesOnHost: 0,
    };
  return {
    tone: 'warn',
    message:
      'The host has forgotten how this capture ended, but its trace is there: bring it back.',
    bytesOnHost: traceBytes,
  };
}

function asSentence(text: string): string {
  const sentence = upperFirst(text.trim());
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
