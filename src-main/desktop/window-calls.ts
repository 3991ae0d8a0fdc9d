import { type IpcMainEvent, ipcMain, type WebContents } from 'electron';
import type { Session } from '../rpc/router.ts';
import type { ReplyFrame } from '../shared/rpc/rpc.ts';
import { APP_ORIGIN } from './app-scheme.ts';
import { REPLY_CHANNEL, REQUEST_CHANNEL } from './channels.ts';
import type { Log } from './log.ts';

interface Router {
  connect(reply: (frame: ReplyFrame) => void): Session;
}

/** Serves the calls of the app's windows, and of nobody else. */
export interface WindowCalls {
  /** Takes calls from the top frame of `contents` from now on. */
  accept(contents: WebContents): void;
  /** Sends an event to every window that has called so far. */
  broadcast(name: string, payload: unknown): void;
}

export function serveWindowCalls(router: Router, log: Log): WindowCalls {
  const accepted = new Set<WebContents>();
  const sessions = new Map<WebContents, Session>();

  function sessionOf(contents: WebContents): Session {
    const existing = sessions.get(contents);
    if (existing !== undefined) return existing;
    const session = router.connect((frame) => send(contents, frame));
    sessions.set(contents, session);
    return session;
  }
  /** A page that is gone can't read its replies, and the next one must not get them. */
  function closeSession(contents: WebContents): void {
    sessions.get(contents)?.close();
    sessions.delete(contents);
  }

  ipcMain.on(REQUEST_CHANNEL, (event, message: unknown) => {
    const problem = accepted.has(event.sender) ? senderProblem(event) : 'another webContents';
    if (problem === undefined) sessionOf(event.sender).receive(message);
    else log.write(`call dropped, from ${problem}`);
  });

  return {
    accept(contents) {
      accepted.add(contents);
      contents.on('did-navigate', () => closeSession(contents));
      contents.on('render-process-gone', () => closeSession(contents));
      contents.once('destroyed', () => {
        closeSession(contents);
        accepted.delete(contents);
      });
    },
    broadcast(name, payload) {
      for (const contents of sessions.keys()) send(contents, { kind: 'event', name, payload });
    },
  };
}

function send(contents: WebContents, frame: ReplyFrame): void {
  if (!contents.isDestroyed()) contents.send(REPLY_CHANNEL, frame);
}

/** Why a message is not taken, or `undefined` for one of the app's own page in its top frame. */
function senderProblem({ senderFrame }: IpcMainEvent): string | undefined {
  if (senderFrame === null) return 'a frame that is gone';
  if (senderFrame.parent !== null) return `a frame inside the page (${senderFrame.url})`;
  return senderFrame.origin === APP_ORIGIN ? undefined : `another origin (${senderFrame.origin})`;
}
