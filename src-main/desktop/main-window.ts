import { type BrowserWindow, screen } from 'electron';
import { preloadFile } from '../hosts/resources.ts';
import type { Log } from './log.ts';
import { createWindow } from './window.ts';
import type { WindowCalls } from './window-calls.ts';
import { loadWindowState, rememberWindowState } from './window-state.ts';

/** The desktop's one window, which on macOS comes and goes while the app runs. */
export class MainWindow {
  #window: BrowserWindow | undefined;
  #opening = false;
  #savedState: { flush(): Promise<void> } | undefined;
  readonly #stateFile: string;
  readonly #calls: WindowCalls;
  readonly #log: Log;

  constructor(stateFile: string, calls: WindowCalls, log: Log) {
    this.#stateFile = stateFile;
    this.#calls = calls;
    this.#log = log;
  }

  /** The window a dialog belongs to, where one is open. */
  get current(): BrowserWindow | undefined {
    return this.#window;
  }

  /** Brings the window to the front, making it anew where it was closed. */
  show(): void {
    if (this.#window === undefined) {
      void this.#open();
      return;
    }
    if (this.#window.isMinimized()) this.#window.restore();
    this.#window.show();
    this.#window.focus();
  }

  /** Resolves when the place of a closed window is on disk. */
  async flush(): Promise<void> {
    await this.#savedState?.flush();
  }

  async #open(): Promise<void> {
    if (this.#opening) return;
    this.#opening = true;
    const displays = screen.getAllDisplays().map((display) => display.workArea);
    const state = await loadWindowState(this.#stateFile, displays);
    const window = createWindow(preloadFile, state, this.#log);
    this.#calls.accept(window.webContents);
    this.#savedState = rememberWindowState(window, this.#stateFile);
    window.once('closed', () => {
      this.#window = undefined;
    });
    this.#window = window;
    this.#opening = false;
  }
}
