import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  FuseState,
  FuseV1Options,
  FuseVersion,
  flipFuses,
  getCurrentFuseWire,
} from '@electron/fuses';

/**
 * The switches inside Electron's binary, as a packaged Stalltrace has them. They are set once, after
 * packaging and before signing: docs/desktop.md.
 */

interface Fuse {
  readonly on: boolean;
  readonly why: string;
}
type FuseName = keyof typeof FuseV1Options;

/** One that @electron/fuses learns of and this table does not, fails to compile. */
export const FUSES = {
  RunAsNode: {
    on: false,
    why: 'Nobody may borrow the app as a Node. Its own services are utility processes, which do not need this.',
  },
  EnableCookieEncryption: {
    on: false,
    why: 'The app keeps no cookies. On, each start would ask the system for a key that protects nothing.',
  },
  EnableNodeOptionsEnvironmentVariable: {
    on: false,
    why: 'NODE_OPTIONS and NODE_EXTRA_CA_CERTS of the environment must not load code into the app.',
  },
  EnableNodeCliInspectArguments: {
    on: false,
    why: '--inspect and SIGUSR1 must not open a debugger in the main process.',
  },
  EnableEmbeddedAsarIntegrityValidation: {
    on: true,
    why: 'On macOS and Windows a changed app.asar does not start. The packager writes its checksum.',
  },
  OnlyLoadAppFromAsar: {
    on: true,
    why: 'A folder put beside app.asar must not be started instead of it.',
  },
  LoadBrowserProcessSpecificV8Snapshot: {
    on: false,
    why: 'There is no such snapshot in the package; on, the app would not start.',
  },
  GrantFileProtocolExtraPrivileges: {
    on: false,
    why: 'The page comes from app://. A file: page needs no more rights than in a browser.',
  },
  WasmTrapHandlers: {
    on: true,
    why: 'As Electron has it. Off only makes the WebAssembly inside Node slower; the page may run none.',
  },
} as const satisfies Record<FuseName, Fuse>;

const names = Object.keys(FUSES) as FuseName[];

/** What is wrong with the fuses of the binary or bundle at `electron`: one sentence for each. */
export async function fuseProblems(electron: string): Promise<string[]> {
  const wire = await readWire(electron);
  return names.flatMap((name) => {
    const wanted = FUSES[name].on ? FuseState.ENABLE : FuseState.DISABLE;
    const found = wire[FuseV1Options[name]];
    if (found === wanted) return [];
    return [`${name} is ${describeState(found)} and must be ${describeState(wanted)}.`];
  });
}

/** Sets every fuse, and reads them back. A binary that this can't be done to is left as it is. */
export async function applyFuses(electron: string): Promise<void> {
  await readWire(electron);
  requireArchive(electron);
  await flipFuses(electron, {
    ...statesOfAll(),
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    // Apple's processors start no binary that was changed after it was signed.
    resetAdHocDarwinSignature: process.platform === 'darwin',
  });
  const problems = await fuseProblems(electron);
  if (problems.length > 0) throw new Error(problems.join(' '));
}

function statesOfAll(): Record<FuseV1Options, boolean> {
  const states = names.map((name) => [FuseV1Options[name], FUSES[name].on]);
  return Object.fromEntries(states) as Record<FuseV1Options, boolean>;
}

type Wire = Awaited<ReturnType<typeof getCurrentFuseWire>>;

/** The states, where they are those of the table: neither more nor fewer, of the version we know. */
async function readWire(electron: string): Promise<Wire> {
  const wire = await getCurrentFuseWire(electron);
  if (wire.version !== FuseVersion.V1)
    throw new Error(`its fuses are of version ${wire.version}: update @electron/fuses.`);
  const { version: _version, ...states } = wire;
  const length = Object.keys(states).length;
  if (length === names.length) return wire;
  throw new Error(
    `it has ${length} fuses and scripts/fuses.ts has ${names.length}: is it the Electron of package.json?`,
  );
}

function requireArchive(electron: string): void {
  const bundle = /^.+?\.app(?=$|[\\/])/.exec(electron)?.[0];
  const resources =
    bundle === undefined
      ? join(dirname(electron), 'resources')
      : join(bundle, 'Contents', 'Resources');
  const archive = join(resources, 'app.asar');
  if (existsSync(archive)) return;
  throw new Error(
    `${archive} is missing, so that it would start nothing once its fuses are set. Package the app as app.asar first (docs/desktop.md).`,
  );
}

function describeState(state: FuseState | undefined): string {
  if (state === FuseState.ENABLE) return 'on';
  return state === FuseState.DISABLE ? 'off' : 'gone from this Electron';
}
