// Builds everything a host needs: out/ (main, preload, renderer).
import { spawnSync } from 'node:child_process';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { requireNode24 } from './node-version.mjs';
import { BUILT_STAMP } from './staleness.mjs';

requireNode24();

function run(command, args) {
  const shell = process.platform === 'win32';
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell });
  if (status !== 0) process.exit(status ?? 1);
}

// A build that is interrupted must not pass for the one before it.
rmSync(BUILT_STAMP, { force: true });
const began = new Date();
// electron-vite asks for Electron's version, not for its binary.
process.env.ELECTRON_MAJOR_VER ??= '45';
run('electron-vite', ['build', '--logLevel', 'warn']);
writeFileSync(BUILT_STAMP, `${began.toISOString()}\n`);
// What changes while it is being built is not in the build.
utimesSync(BUILT_STAMP, began, began);
