import {
  CLOSED_FULL,
  CLOSED_UNKNOWN,
  type HelloFrame,
  UNKNOWN_PAGE,
} from '../src-main/shared/browser-session.ts';
import { fail, ok, type Result } from '../src-main/shared/rpc/result.ts';
import type { FramePipe, ReplyFrame } from '../src-main/shared/rpc/rpc.ts';
import type { ConnectError, PageSession } from './page-session.ts';
import { CONNECTION_LOST } from './state/common/connection.svelte.ts';

/** Opens the WebSocket of the host that served this page, with the secret that `session` finds. */
export async function openSocketPipe(
  session: PageSession,
): Promise<Result<FramePipe, ConnectError>> {
  for (;;) {
    const secret = await session.find();
    if (!secret.ok) return secret;
    const opened = await openWith(secret.value);
    if (opened.ok) {
      session.proved();
      opened.value.onClose(() => session.lost());
      return opened;
    }
    if (opened.error.code !== 'refused') return opened;
    // Another tab may know a newer one.
    session.reject(secret.value);
  }
}

/** The first frame each way is the secret and the host's welcome; those of the contract follow. */
function openWith(secret: string): Promise<Result<FramePipe, ConnectError>> {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/rpc`);
  return new Promise((resolve) => {
    const hello: HelloFrame = { kind: 'hello', secret };
    socket.onopen = () => socket.send(JSON.stringify(hello));
    socket.onmessage = () => resolve(ok(pipeOf(socket)));
    socket.onclose = ({ code, reason }) => {
      if (code === CLOSED_UNKNOWN) resolve(fail('refused', UNKNOWN_PAGE));
      else resolve(fail('unreachable', code === CLOSED_FULL ? reason : CONNECTION_LOST));
    };
  });
}

function pipeOf(socket: WebSocket): FramePipe {
  return {
    // A frame for a socket that just closed is dropped: onClose answers whoever waits for it.
    post: (frame) => socket.send(JSON.stringify(frame)),
    onFrame(listener) {
      socket.onmessage = ({ data }) => {
        if (typeof data === 'string') listener(JSON.parse(data) as ReplyFrame);
      };
    },
    onClose(listener) {
      socket.addEventListener('close', () => listener(CONNECTION_LOST));
      if (socket.readyState >= WebSocket.CLOSING) listener(CONNECTION_LOST);
    },
  };
}
