// Builds everything a host needs: the sample investigation, then out/ (main, preload, renderer).
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireNode24 } from './node-version.mjs';

requireNode24();

function run(command, args) {
  const shell = process.platform === 'win32';
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell });
  if (status !== 0) process.exit(status ?? 1);
}

run('node', ['scripts/make-sample.ts']);
// electron-vite asks for Electron's version, not for its binary.
process.env.ELECTRON_MAJOR_VER ??= '45';
run('electron-vite', ['build', '--logLevel', 'warn']);
writeFileSync(join('out', 'built'), `${new Date().toISOString()}\n`);
