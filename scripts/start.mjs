// `npm start`: the desktop app where Electron and a display can be had, else the same app in the
// browser, saying why. Options (--port, --root) belong to the browser's server, so they ask for it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const DOWNLOAD_LIMIT_MS = 30_000;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const startFolder = process.env.INIT_CWD ?? process.cwd();
const args = process.argv.slice(2);
const option = args.find((arg) => arg.startsWith('-'));

/** Why there can be no window here, or `undefined`. Cheap reasons first: none of them downloads. */
function noWindowReason() {
  if (option !== undefined) return `${option.replace(/=.*/s, '')} asks for the browser`;
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

function runAndExit(command, commandArgs) {
  const env = { ...process.env };
  // Some editors' terminals set it, and Electron would start as a Node without a window.
  delete env.ELECTRON_RUN_AS_NODE;
  // Paths among the arguments are taken from where the user stands.
  const child = spawn(command, commandArgs, { stdio: 'inherit', cwd: startFolder, env });
  // The terminal sends Ctrl+C to the child as well: it is waited for, not told again.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm ends on a signal without passing it on: whoever started this is gone then.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, 500).unref();
  child.on('error', (error) => {
    console.error(`stalltrace: ${command} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}

/** One line on recording: the command, or why there is none. scripts/build-agent.mjs wrote what there is. */
function recordingLine() {
  const folder = join(root, 'out', 'agent');
  const status = JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8'));
  const own = status.built.find(({ arch }) => arch === process.arch);
  if (process.platform === 'linux' && own !== undefined)
    return `To record a job here: sudo ${relative(startFolder, join(folder, own.path))} record -- COMMAND`;
  if (status.built.length > 0)
    return `To record a job, press “Capture from a GPU host…” in the library (docs/agent.md).`;
  const [missing] = status.missing;
  return `No capture agent: ${missing.why}; ${missing.next}. All but recording works without it.`;
}

/** Where no build left its word, there is none. */
function printRecordingLine() {
  try {
    console.log(`${recordingLine()}\n`);
  } catch {
    console.log('No capture agent: run "node scripts/build-agent.mjs" on Linux.\n');
  }
}

const reason = noWindowReason();
const electron = reason === undefined ? electronBinary() : undefined;
printRecordingLine();
if (typeof electron === 'string') {
  runAndExit(electron, [root, ...args.map((file) => resolve(startFolder, file))]);
} else {
  const why =
    reason ??
    'the Electron runtime could not be fetched within 30 s ("npx install-electron" fetches it without a limit)';
  console.log(`No desktop window: ${why}. Serving the same app to your browser instead.\n`);
  runAndExit(process.execPath, [join(root, 'out/main/cli.js'), 'serve', ...args]);
}
