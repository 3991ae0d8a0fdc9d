import type { HostError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { AgentChannel } from '../shell/host-session.ts';
import type { Transport } from '../transport/transport.ts';
import { brokeItsWord } from './broken-word.ts';
import { ByteReader } from './byte-reader.ts';
import { ChannelPatience } from './channel-patience.ts';
import {
  agentSaid,
  type ChannelError,
  cancelled,
  type ErrorLine,
  FrameChannel,
  howItEnded,
  LOSS_TOLD_WITHIN_MS,
  type RemoteTrace,
  type TraceHost,
  within,
} from './frame-channel.ts';
import { LONGEST_LINE_BYTES, parseSendLine } from './send-lines.ts';

/** The exit code of `send` where there is no such file. */
const NO_FILE = 3;
const OPEN_S = 60;

export interface ChannelOptions {
  readonly signal: AbortSignal;
  /** By what patience counts. */
  readonly secondMs: number;
  /** Hears of all that crosses the wire. */
  onBytes(count: number): void;
}

/** Opens a channel to the trace, once there is a connection. */
export async function openFrameChannel(
  host: TraceHost,
  trace: RemoteTrace,
  options: ChannelOptions,
): Promise<Result<FrameChannel, ChannelError>> {
  const { signal, secondMs } = options;
  const transport = await host.link.transport(signal);
  if (!transport.ok) {
    const { code, message, detail } = transport.error;
    return fail(code === 'cancelled' ? code : 'not-connected', message, detail);
  }
  const limit = AbortSignal.timeout(OPEN_S * secondMs);
  const opened = await host.openAgent(['send', '--file', trace.path], {
    asRoot: trace.asRoot,
    signal: AbortSignal.any([signal, limit]),
    whenFull: 'fail',
  });
  if (!opened.ok)
    return opened.error.code === 'cancelled'
      ? notOpened(signal)
      : (opened as Result<never, HostError>);
  return greet(opened.value, transport.value, options);
}

async function greet(
  agent: AgentChannel,
  transport: Transport,
  { signal, secondMs, onBytes }: ChannelOptions,
): Promise<Result<FrameChannel, ChannelError>> {
  // What breaks on the way is told by the end of the output.
  for (const stream of [agent.stdin, agent.stdout]) stream.on('error', () => undefined);
  const patience = new ChannelPatience();
  const reader = new ByteReader(agent.stdout, (count) => {
    patience.heard(count);
    onBytes(count);
  });
  const close = () => agent.close();
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    close();
  }, OPEN_S * secondMs);
  signal.addEventListener('abort', close, { once: true });
  const line = await reader.line(LONGEST_LINE_BYTES);
  clearTimeout(late);
  signal.removeEventListener('abort', close);
  if (line.ok) {
    const said = parseSendLine(line.value);
    if (said.ok && said.value.event === 'ready') {
      const { bytes, inode, modified_unix_ns: modifiedUnixNs } = said.value;
      const identity = { bytes, inode, modifiedUnixNs };
      return ok(new FrameChannel({ agent, transport, reader, patience, secondMs }, identity));
    }
    if (said.ok && said.value.event === 'error') return notServed(agent, reader, said.value);
    agent.close();
    return fail('agent-failed', agentSaid('It answered with something else than its greeting.'));
  }
  agent.close();
  if (signal.aborted) return cancelled();
  if (isLate) return notOpened(signal);
  if (line.error.code === 'too-long')
    return { ok: false, error: brokeItsWord('it sent a line without an end') };
  return howItEnded(agent, transport);
}

/** The file can't be sent at all. */
async function notServed(
  agent: AgentChannel,
  reader: ByteReader,
  { message }: ErrorLine,
): Promise<Result<never, ChannelError>> {
  // It settles after the end of the output, which is not seen before it is read.
  void reader.waits();
  const exit = await within(agent.exit, LOSS_TOLD_WITHIN_MS);
  agent.close();
  if (exit?.code === NO_FILE)
    return fail(
      'trace-gone',
      `The trace is not on the host any more. ${message} Forget this capture, and record again.`,
    );
  return fail('no-permission', agentSaid(message));
}

function notOpened(signal: AbortSignal): Result<never, ChannelError> {
  if (signal.aborted) return cancelled();
  const message = `The agent did not start on the host within ${OPEN_S} s: check whether the host is overloaded, then bring the trace back again.`;
  return fail('timed-out', message);
}
