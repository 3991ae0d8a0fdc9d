import type { Page } from 'playwright-core';
import { AppDouble, appDouble, type Closable } from './app.ts';
import { requireBrowser } from './browser.ts';
import { preloadScript } from './preload.ts';
import { toHttp } from './protocol.ts';
import { applyPermissions } from './session.ts';
import { preventable, requireReady, StrictEmitter, strict } from './strict.ts';
import { createWebContents, WebContentsDouble } from './web-contents.ts';

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
interface WindowOptions {
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
  readonly minWidth?: number;
  readonly minHeight?: number;
  readonly title?: string;
  readonly show?: boolean;
  readonly webPreferences?: Readonly<Record<string, unknown>>;
}
const OPTIONS: readonly string[] = [
  ...(['x', 'y', 'width', 'height', 'minWidth', 'minHeight'] satisfies (keyof WindowOptions)[]),
  ...(['title', 'show', 'webPreferences'] satisfies (keyof WindowOptions)[]),
];
const EVENTS = ['close', 'closed', 'move', 'ready-to-show', 'resize'];

/** A window as a page of headless Chromium: its place, size and visibility are only remembered. */
export class BrowserWindowDouble extends StrictEmitter implements Closable {
  readonly webContents: WebContentsDouble;
  readonly #contents: WebContentsDouble;
  readonly #options: WindowOptions;
  #page: Page | undefined;
  #bounds: Bounds;
  #closed = false;
  #visible: boolean;
  #maximized = false;
  #minimized = false;

  constructor(options: WindowOptions = {}) {
    super('BrowserWindow', EVENTS);
    requireReady('BrowserWindow');
    checkOptions(options);
    this.#options = options;
    this.#visible = options.show ?? true;
    const { x = 0, y = 0, width = 800, height = 600 } = options;
    this.#bounds = { x, y, width, height };
    const { contents, visible } = createWebContents();
    this.#contents = contents;
    this.webContents = visible;
    AppDouble.addWindow(appDouble, this);
    windows.add(this);
    appDouble.emit('web-contents-created', preventable({}), visible);
    this.#open().catch((error: unknown) => {
      console.error('electron double: the window did not open:', error);
      appDouble.exit(70);
    });
    // biome-ignore lint/correctness/noConstructorReturn: unknown members must throw
    return strict('BrowserWindow', this);
  }

  async #open(): Promise<void> {
    const page = await requireBrowser().openPage();
    this.#page = page;
    const { width, height } = this.getNormalBounds();
    await page.setViewportSize({ width, height });
    const cdp = await page.context().newCDPSession(page);
    const preload = String(this.#options.webPreferences?.preload);
    page.once('domcontentloaded', () => this.emit('ready-to-show'));
    page.once('close', () => this.#finish());
    await WebContentsDouble.connectIpc(this.webContents, page);
    await page.addInitScript({ content: await preloadScript(preload) });
    await applyPermissions(cdp, new URL(toHttp('app://stalltrace/')).origin);
    // Last: from here on main's loadURL goes ahead.
    await WebContentsDouble.attach(this.#contents, page, cdp);
  }

  show(): void {
    this.#visible = true;
  }

  focus(): void {
    this.#visible = true;
  }

  maximize(): void {
    this.#maximized = true;
    this.#visible = true;
  }

  isMaximized(): boolean {
    return this.#maximized;
  }

  isMinimized(): boolean {
    return this.#minimized;
  }

  restore(): void {
    this.#minimized = false;
  }

  isDestroyed(): boolean {
    return this.#closed;
  }

  getNormalBounds(): Bounds {
    return this.#bounds;
  }

  close(): void {
    void this.closeForQuit();
  }

  destroy(): void {
    void this.#page?.close();
    this.#finish();
  }

  async closeForQuit(): Promise<boolean> {
    const event = preventable({});
    this.emit('close', event);
    if (event.wasPrevented()) return false;
    this.#finish();
    await this.#page?.close().catch(() => undefined);
    return true;
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    windows.delete(this);
    WebContentsDouble.destroy(this.#contents);
    this.emit('closed');
    AppDouble.removeWindow(appDouble, this);
  }

  /** Not Electron's: what a test may ask. */
  static describe(window: BrowserWindowDouble) {
    return { options: window.#options, visible: window.#visible, minimized: window.#minimized };
  }

  static move(window: BrowserWindowDouble, bounds: Bounds): void {
    window.#bounds = bounds;
    window.emit('move');
    window.emit('resize');
  }

  static async setFilePath(window: BrowserWindowDouble, name: string, path: string): Promise<void> {
    const assignment = `__electronDoubleFilePaths[${JSON.stringify(name)}] = ${JSON.stringify(path)}`;
    await window.#page?.evaluate(assignment);
  }

  static minimize(window: BrowserWindowDouble): void {
    window.#minimized = true;
  }
}

const windows = new Set<BrowserWindowDouble>();

export function onlyWindow(): BrowserWindowDouble {
  const [window] = windows;
  if (window === undefined) throw new Error('electron double: there is no window');
  return window;
}

function checkOptions(options: WindowOptions): void {
  const unknown = Object.keys(options).find((option) => !OPTIONS.includes(option));
  if (unknown !== undefined) throw new Error(`electron double: window option ${unknown}`);
  const { sandbox, contextIsolation, preload } = options.webPreferences ?? {};
  if (sandbox !== true || contextIsolation !== true || typeof preload !== 'string') {
    throw new Error('electron double: only sandboxed, isolated windows with a preload are known');
  }
}
