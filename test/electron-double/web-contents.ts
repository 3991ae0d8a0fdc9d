import type { CDPSession, Page } from 'playwright-core';
import { deliverIpc } from './ipc.ts';
import { watchNavigation } from './navigation.ts';
import { toHttp } from './protocol.ts';
import { StrictEmitter, strict } from './strict.ts';

const EVENTS = [
  'destroyed',
  'did-navigate',
  'render-process-gone',
  'will-attach-webview',
  'will-frame-navigate',
  'will-navigate',
  'will-redirect',
];

type WindowOpenHandler = (details: { url: string }) => { action: string };

/** The page behind a window. It is there at once; what needs Chromium waits for `attach`. */
export class WebContentsDouble extends StrictEmitter {
  readonly #page = Promise.withResolvers<Page>();
  /** Addresses main asked for, which raise no will-navigate. */
  readonly #ownLoads = new Set<string>();
  #windowOpenHandler: WindowOpenHandler = () => ({ action: 'allow' });
  #sending: Promise<unknown> = Promise.resolve();
  #destroyed = false;

  constructor() {
    super('webContents', EVENTS);
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.#page.promise;
    const address = new URL(toHttp(url)).href;
    this.#ownLoads.add(address);
    await page.goto(address);
  }

  send(channel: string, ...args: unknown[]): void {
    const message = [channel, structuredClone(args)];
    // One after the other; a page that is gone or that is no longer ours reads nothing.
    this.#sending = this.#sending.then(async () => {
      const page = await this.#page.promise;
      await page.evaluate(receive, message).catch(() => undefined);
    });
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.#windowOpenHandler = handler;
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  /** Not Electron's: lets the page's preload reach main, which sees `visible` as the sender. */
  static async connectIpc(visible: WebContentsDouble, page: Page): Promise<void> {
    await page.exposeBinding('__electronDoubleSend', ({ frame }, channel, args) =>
      deliverIpc(visible, frame, channel, args),
    );
  }

  /** Not Electron's: gives the contents their page, ready for the first load. */
  static async attach(contents: WebContentsDouble, page: Page, cdp: CDPSession): Promise<void> {
    await watchNavigation(contents, cdp, {
      takeOwnLoad: (url) => contents.#ownLoads.delete(url),
      openWindow(url) {
        const { action } = contents.#windowOpenHandler({ url });
        if (action !== 'deny') throw new Error(`electron double: can't open a window on ${url}`);
      },
    });
    contents.#page.resolve(page);
  }

  static destroy(contents: WebContentsDouble): void {
    if (contents.#destroyed) return;
    contents.#destroyed = true;
    contents.emit('destroyed');
  }
}

/** Runs in the page. */
function receive(message: unknown): void {
  const receiver = (globalThis as { __electronDoubleReceive?: (...all: unknown[]) => void })
    .__electronDoubleReceive;
  receiver?.(...(message as unknown[]));
}

export function createWebContents(): { contents: WebContentsDouble; visible: WebContentsDouble } {
  const contents = new WebContentsDouble();
  return { contents, visible: strict('webContents', contents) };
}
