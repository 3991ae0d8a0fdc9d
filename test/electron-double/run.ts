import { registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppDouble, appDouble } from './app.ts';
import { openBrowser, setBrowser } from './browser.ts';
import { answerControl, type ControlMessage, type ControlRequest } from './control.ts';
import { serveSchemes } from './protocol.ts';

/**
 * `node run.ts ENTRY [ARGUMENT…]`: what the electron executable does with a built main, on plain
 * Node and Chromium. See docs/electron-double.md for what that proves and what it can't.
 */

/** Before the test gives the start up, so that it can say why. */
const IMPORT_LIMIT_MS = 50_000;

const [executable = '', , entry, ...rest] = process.argv;
if (entry === undefined) throw new Error('usage: node run.ts ENTRY [ARGUMENT…]');
process.argv = [executable, resolve(entry), ...rest];

// Electron's main has no channel to a parent and knows its own version.
const toTest = process.send?.bind(process);
Object.defineProperty(process, 'send', { value: undefined });
Object.defineProperty(process, 'versions', { value: { ...process.versions, electron: 'double' } });
Object.defineProperty(process, 'type', { value: 'browser' });

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== 'electron') return nextResolve(specifier, context);
    return { url: new URL('./electron.ts', import.meta.url).href, shortCircuit: true };
  },
});

function post(message: ControlMessage): void {
  toTest?.(message);
}

async function importEntry(path: string): Promise<void> {
  // `ready` waits for the entry: one that awaits `ready` at its top level waits for ever.
  const timer = setTimeout(() => {
    console.error('electron double: the entry did not finish loading: top-level await on ready?');
    process.exit(71);
  }, IMPORT_LIMIT_MS);
  await import(pathToFileURL(path).href);
  clearTimeout(timer);
}

async function main(): Promise<void> {
  await importEntry(resolve(entry ?? ''));
  if (AppDouble.isQuitting(appDouble)) return;
  const [server, browser] = await Promise.all([serveSchemes(), openBrowser()]);
  setBrowser(browser);
  AppDouble.onExit(appDouble, async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });
  process.on('message', (request: ControlRequest) => void answerControl(request).then(post));
  // A test that died must not leave a browser behind.
  process.on('disconnect', () => appDouble.exit(72));
  AppDouble.fireReady(appDouble);
  const { port } = server.address() as AddressInfo;
  post({ kind: 'ready', debugPort: browser.debugPort, httpPort: port });
}

await main();
