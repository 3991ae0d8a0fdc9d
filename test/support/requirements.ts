import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { findChromium } from './chromium.ts';

/**
 * What a machine may lack. A test that needs one of these runs in `describeWith`, which skips it
 * under a title that says what is missing and which command brings it: `npm test` lists those
 * titles, and fails on them with CI=true.
 */
interface Requirement {
  readonly met: boolean;
  readonly missing: string;
}

/** The real traces: a folder beside the checkout, not part of it. */
export const sharedData = fileURLToPath(new URL('../../../shared/data', import.meta.url));

/** CAP_SYS_ADMIN, which root lacks in most containers. */
function mayMount(): boolean {
  if (process.platform !== 'linux') return false;
  const effective = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return ((BigInt(`0x${effective ?? '0'}`) >> 21n) & 1n) === 1n;
}

const requirements = {
  sharedData: {
    met: existsSync(sharedData),
    missing:
      'needs ../shared/data (real traces beside the checkout; not published with the source)',
  },
  chromium: {
    met: findChromium() !== undefined,
    missing: 'needs Chromium: install it or set CHROMIUM_PATH',
  },
  binutils: {
    met: ['nm', 'c++filt'].every((tool) => spawnSync(tool, ['--version']).status === 0),
    missing: 'needs nm and c++filt: apt-get install binutils',
  },
  root: {
    met: process.getuid?.() === 0,
    missing: 'needs root: run "sudo npm test"',
  },
  mount: {
    met: mayMount(),
    missing: 'needs to mount file systems (root on Linux): run "sudo npm test"',
  },
  notWindows: {
    met: process.platform !== 'win32',
    missing: 'needs a Unix system',
  },
} satisfies Record<string, Requirement>;

export function describeWith(
  names: readonly (keyof typeof requirements)[],
  title: string,
  body: () => void,
): void {
  const missing = names.map((name) => requirements[name]).filter(({ met }) => !met);
  if (missing.length === 0) describe(title, body);
  else
    describe.skip(
      `${missing.map((requirement) => requirement.missing).join('; ')} › ${title}`,
      body,
    );
}
