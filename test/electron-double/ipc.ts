import type { Frame } from 'playwright-core';
import { fromHttp } from './protocol.ts';
import { StrictEmitter, strict } from './strict.ts';

/** ipcMain takes listeners for any channel, so it is no StrictEmitter. */
class IpcMainDouble extends StrictEmitter {
  readonly #channels = new Map<string, ((...args: never[]) => void)[]>();

  constructor() {
    super('ipcMain', []);
  }

  override on(channel: string, listener: (...args: never[]) => void): this {
    this.#channels.set(channel, [...(this.#channels.get(channel) ?? []), listener]);
    return this;
  }

  /** Not Electron's: delivers what a page sent. */
  static deliver(ipc: IpcMainDouble, channel: string, event: object, args: unknown[]): void {
    for (const listener of ipc.#channels.get(channel) ?? []) {
      (listener as (...all: unknown[]) => void)(event, ...args);
    }
  }
}

export const ipcMainDouble = new IpcMainDouble();

/** Hands a message from `frame` of `sender` to main's listeners. */
export function deliverIpc(sender: object, frame: Frame, channel: unknown, args: unknown): void {
  if (typeof channel !== 'string' || !Array.isArray(args)) return;
  const event = strict('IpcMainEvent', { sender, senderFrame: describeFrame(frame) });
  IpcMainDouble.deliver(ipcMainDouble, channel, event, structuredClone(args));
}

interface WebFrameMainDouble {
  readonly url: string;
  readonly origin: string;
  readonly parent: WebFrameMainDouble | null;
}

function describeFrame(frame: Frame): WebFrameMainDouble {
  const parentFrame = frame.parentFrame();
  const parent = parentFrame === null ? null : describeFrame(parentFrame);
  const url = fromHttp(frame.url());
  return strict('WebFrameMain', { url, origin: originOf(url, parent), parent });
}

function originOf(url: string, parent: WebFrameMainDouble | null): string {
  // about:blank and about:srcdoc have their parent's origin.
  if (url.startsWith('about:')) return parent?.origin ?? 'null';
  const match = /^[a-z]+:\/\/[^/?#]+/.exec(url);
  return match?.[0] ?? 'null';
}
