// `npm start`: the desktop app where Electron and a display can be had, else the same app in the
// browser, saying why.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const DOWNLOAD_LIMIT_MS = 30_000;
const startFolder = process.env.INIT_CWD ?? process.cwd();
const files = process.argv.slice(2).map((file) => resolve(startFolder, file));

/** Why there can be no window here, or `undefined`. Cheap reasons first: none of them downloads. */
function noWindowReason() {
  if (process.env.STALLTRACE_HOST === 'browser') return 'STALLTRACE_HOST=browser asks for it';
  if (process.platform === 'linux') {
    if (process.getuid?.() === 0) return 'Electron’s sandbox does not run as root';
    const { DISPLAY, WAYLAND_DISPLAY } = process.env;
    if (!DISPLAY && !WAYLAND_DISPLAY)
      return 'there is no display (DISPLAY and WAYLAND_DISPLAY are empty)';
  }
  return undefined;
}

/** Path of the Electron binary, downloaded at the first start. */
function electronBinary() {
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  if (!existsSync(join(folder, 'path.txt'))) {
    console.log('Fetching the Electron runtime (once; at most 30 s)…');
    const { status } = spawnSync(process.execPath, [join(folder, 'install.js')], {
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: DOWNLOAD_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    if (status !== 0) return undefined;
  }
  return createRequire(import.meta.url)('electron');
}

function runAndExit(command, args) {
  const child = spawn(command, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`stalltrace: ${command} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}

const reason = noWindowReason();
const electron = reason === undefined ? electronBinary() : undefined;
if (typeof electron === 'string') {
  runAndExit(electron, ['.', ...files]);
} else {
  const why =
    reason ??
    'the Electron runtime could not be fetched within 30 s ("npx install-electron" fetches it without a limit)';
  console.log(`No desktop window: ${why}. Serving the same app to your browser instead.\n`);
  runAndExit(process.execPath, ['out/main/cli.js', 'serve', ...files]);
}
