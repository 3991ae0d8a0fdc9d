import { fail, ok, type Result } from '../src-main/shared/result.ts';
import type { FramePipe, ReplyFrame } from '../src-main/shared/rpc.ts';
import { CONNECTION_LOST } from './state/connection.svelte.ts';

/** `refused`: this browser has no session, a new launch link is needed. `unreachable`: try again. */
export type ConnectError = 'refused' | 'unreachable';

/** The launch token of a URL's fragment (`#token=…`). */
export function tokenOfFragment(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token');
  return token === null || token === '' ? undefined : token;
}

/** Trades the single-use token for the session's cookie. A refused token may still meet a valid cookie. */
export async function startSession(token: string): Promise<void> {
  await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).catch(() => undefined);
}

/** A refused WebSocket does not say why; a plain request for a trace that cannot exist does. */
async function whyRefused(): Promise<Result<never, ConnectError>> {
  const answer = await fetch('/data/00000000-0000-4000-8000-000000000000/gap').catch(
    () => undefined,
  );
  if (answer?.status === 401 || answer?.status === 403)
    return fail('refused', 'This page has no session with Stalltrace.');
  return fail('unreachable', CONNECTION_LOST);
}

/** Opens the WebSocket of the host that served this page. */
export function openSocketPipe(): Promise<Result<FramePipe, ConnectError>> {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/rpc`);
  return new Promise((resolve) => {
    socket.onopen = () => resolve(ok(pipeOf(socket)));
    socket.onerror = () => void whyRefused().then(resolve);
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
