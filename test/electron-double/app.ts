import { existsSync } from 'node:fs';
import { claimInstance } from './single-instance.ts';
import { isReady, markReady, preventable, StrictEmitter } from './strict.ts';

const EVENTS = [
  'activate',
  'before-quit',
  'open-file',
  'open-url',
  'quit',
  'second-instance',
  'web-contents-created',
  'will-quit',
  'window-all-closed',
] as const;

/** What `app.quit` closes; the windows register themselves. */
export interface Closable {
  /** Resolves to whether it closed: a `close` listener may have prevented it. */
  closeForQuit(): Promise<boolean>;
}

export class AppDouble extends StrictEmitter {
  readonly isPackaged = false;
  readonly name = 'Stalltrace';
  readonly #paths = new Map<string, string>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #cleanups: (() => unknown)[] = [];
  readonly #windows = new Set<Closable>();
  readonly #protocols: { scheme: string; path: string; args: readonly string[] }[] = [];
  #sandboxed = false;
  #quitting = false;
  #exiting = false;

  constructor() {
    super('app', EVENTS);
  }

  whenReady(): Promise<void> {
    return this.#ready.promise;
  }

  setPath(name: string, path: string): void {
    if (name !== 'userData') throw new Error(`electron double: no path "${name}"`);
    if (!existsSync(path)) throw new Error(`electron double: setPath: ${path} doesn't exist`);
    this.#paths.set(name, path);
  }

  enableSandbox(): void {
    if (isReady()) throw new Error('electron double: enableSandbox after ready');
    this.#sandboxed = true;
  }

  setAsDefaultProtocolClient(scheme: string, path?: string, args?: readonly string[]): boolean {
    // The system keeps the whole command and puts the link at its end, where an option would be one.
    if (path === undefined || args?.at(-1) !== '--')
      throw new Error('electron double: a command that would take a link for an option');
    this.#protocols.push({ scheme, path, args });
    return true;
  }

  requestSingleInstanceLock(): boolean {
    const folder = this.#paths.get('userData');
    // Without a profile folder of its own a test would share one lock with every other.
    if (folder === undefined) throw new Error('electron double: set the userData path first');
    const instance = claimInstance(folder, (argv, workingFolder) =>
      this.emit('second-instance', preventable({}), argv, workingFolder, undefined),
    );
    if (instance !== undefined) this.#cleanups.push(instance.release);
    return instance !== undefined;
  }

  quit(): void {
    if (this.#quitting) return;
    this.#quitting = true;
    void this.#quit();
  }

  exit(code = 0): void {
    void this.#exit(code);
  }

  async #quit(): Promise<void> {
    if (!isReady()) return this.#exit(0);
    this.emit('before-quit', preventable({}));
    for (const window of this.#windows) {
      if (!(await window.closeForQuit())) {
        this.#quitting = false;
        return;
      }
    }
    const event = preventable({});
    this.emit('will-quit', event);
    this.#quitting = !event.wasPrevented();
    if (this.#quitting) await this.#exit(0);
  }

  async #exit(code: number): Promise<void> {
    // The first word counts: what fails because everything is closing is no news.
    if (this.#exiting) return;
    this.#exiting = true;
    this.#quitting = true;
    // Last in, first out, and what starts meanwhile is cleaned up too.
    while (this.#cleanups.length > 0) await this.#cleanups.pop()?.();
    if (isReady()) this.emit('quit', preventable({}), code);
    process.exit(code);
  }

  /** Not Electron's: what the runner and the other parts of the double need. */
  static fireReady(app: AppDouble): void {
    if (app.#quitting) return;
    markReady();
    app.#ready.resolve();
  }

  static isSandboxed(app: AppDouble): boolean {
    return app.#sandboxed;
  }

  static protocols(app: AppDouble) {
    return app.#protocols;
  }

  static isQuitting(app: AppDouble): boolean {
    return app.#quitting;
  }

  static onExit(app: AppDouble, cleanup: () => unknown): void {
    app.#cleanups.push(cleanup);
  }

  static addWindow(app: AppDouble, window: Closable): void {
    app.#windows.add(window);
  }

  static removeWindow(app: AppDouble, window: Closable): void {
    app.#windows.delete(window);
    if (app.#windows.size > 0 || app.#quitting) return;
    if (!app.emit('window-all-closed')) app.quit();
  }
}

/** The one instance; `electron.ts` exports it behind `strict`. */
export const appDouble = new AppDouble();
