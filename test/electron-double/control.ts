import { AppDouble, appDouble } from './app.ts';
import { type Bounds, BrowserWindowDouble, onlyWindow } from './browser-window.ts';
import { scriptDialog, shownDialogs } from './dialog.ts';
import { clickMenu, menuText } from './menu.ts';
import { privilegedSchemes } from './protocol.ts';
import { rotateStorageKey, setStorageBackend } from './safe-storage.ts';
import { permissionAnswers } from './session.ts';
import { openedExternally, trashedFiles } from './shell.ts';
import { preventable } from './strict.ts';

/** What a test can do to the app from outside: the user's hands, the system's events, and a look inside. */
const controls = {
  scriptDialog(method: string, answer: unknown): void {
    scriptDialog(method, answer);
  },
  clickMenu(path: readonly string[]): void {
    clickMenu(path);
  },
  /** As macOS does for a file dropped on the app's icon. */
  openFile(path: string): void {
    appDouble.emit('open-file', preventable({}), path);
  },
  /** As macOS does for a link that was clicked in another program. */
  openUrl(url: string): void {
    appDouble.emit('open-url', preventable({}), url);
  },
  /** Loads an address as main would, past the navigation policy: for what a policy let through. */
  async loadUrl(url: string): Promise<void> {
    await onlyWindow().webContents.loadURL(url);
  },
  /** Reports the page's process as gone; the page itself stays, Playwright can't revive a dead one. */
  loseRenderer(reason: string): void {
    onlyWindow().webContents.emit('render-process-gone', {}, { reason, exitCode: 5 });
  },
  attachWebview(): boolean {
    const event = preventable({});
    onlyWindow().webContents.emit('will-attach-webview', event, {}, {});
    return !event.wasPrevented();
  },
  throwInMain(): void {
    setImmediate(() => {
      throw new Error('thrown by a test');
    });
  },
  permissionAnswers(permission: string) {
    return permissionAnswers(permission, 'app://stalltrace');
  },
  /** `basic_text`: Linux without a password store. */
  setStorageBackend(name: Parameters<typeof setStorageBackend>[0]): void {
    setStorageBackend(name);
  },
  rotateStorageKey(): void {
    rotateStorageKey();
  },
  minimize(): void {
    BrowserWindowDouble.minimize(onlyWindow());
  },
  move(bounds: Bounds): void {
    BrowserWindowDouble.move(onlyWindow(), bounds);
  },
  /** What webUtils says for a file of that name, until the page is loaded anew. */
  setFilePath(name: string, path: string): Promise<void> {
    return BrowserWindowDouble.setFilePath(onlyWindow(), name, path);
  },
  closeWindow(): void {
    onlyWindow().close();
  },
  quit(): void {
    appDouble.quit();
  },
  look() {
    return {
      window: BrowserWindowDouble.describe(onlyWindow()),
      dialogs: shownDialogs(),
      openedExternally: openedExternally(),
      trashed: trashedFiles(),
      protocols: AppDouble.protocols(appDouble),
      schemes: privilegedSchemes(),
      menu: menuText(),
      sandboxed: AppDouble.isSandboxed(appDouble),
    };
  },
};
export type Controls = typeof controls;

export interface ControlRequest {
  readonly id: number;
  readonly name: keyof Controls;
  readonly args: readonly unknown[];
}
export type ControlMessage =
  | { readonly kind: 'ready'; readonly debugPort: number; readonly httpPort: number }
  | {
      readonly kind: 'answer';
      readonly id: number;
      readonly value?: unknown;
      readonly error?: string;
    };

/** Answers one request of the test that started the runner. */
export async function answerControl({ id, name, args }: ControlRequest): Promise<ControlMessage> {
  try {
    const control = controls[name] as (...all: readonly unknown[]) => unknown;
    return { kind: 'answer', id, value: await control(...args) };
  } catch (error) {
    return { kind: 'answer', id, error: String(error) };
  }
}
