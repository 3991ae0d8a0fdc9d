import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveConfig } from 'electron-vite';
import { build, mergeConfig, type Plugin } from 'vite';

/** Somebody else's package, in what we hand out. */
export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Its licence as it brings it. */
  readonly text: string;
}

/** The packages whose code ends up in out/: found by the build itself, of which nothing is written. */
export async function bundledPackages(root: string): Promise<ThirdParty[]> {
  // electron-vite asks for Electron's version, not for its binary.
  process.env.ELECTRON_MAJOR_VER ??= '45';
  const options = { configFile: join(root, 'electron.vite.config.ts'), logLevel: 'warn' } as const;
  const { config } = await resolveConfig(options, 'build', 'production');
  const modules = new Set<string>();
  for (const part of [config?.main, config?.preload, config?.renderer]) {
    if (part === undefined) throw new Error('electron.vite.config.ts lacks one of its three parts');
    const here = { configFile: false, plugins: [collector(modules)], build: { write: false } };
    await build(mergeConfig(part, here));
  }
  return readPackages(root, foldersOf([...modules]));
}

function collector(modules: Set<string>): Plugin {
  return {
    name: 'stalltrace-third-party',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk') for (const id of file.moduleIds) modules.add(id);
    },
  };
}

/** `…/node_modules/d3-array/src/max.js` → `node_modules/d3-array`, each once. */
export function foldersOf(modules: readonly string[]): string[] {
  const folders = modules.map((id) => {
    // The bundler's own few lines; they have no file.
    if (id.startsWith('\0rolldown/')) return 'node_modules/rolldown';
    if (id.startsWith('\0vite/')) return 'node_modules/vite';
    return /.*(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(id.replaceAll('\\', '/'))?.[1];
  });
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

function readPackages(root: string, folders: readonly string[]): ThirdParty[] {
  return folders.map((folder) => {
    const { name, version, licence } = readManifest(join(root, folder));
    const [file] = globSync(join(root, folder, '{LICEN[CS]E,licen[cs]e,COPYING}{,.md,.txt}'));
    if (file === undefined)
      throw new Error(`${folder} brings no licence text: find it, or do without the package.`);
    const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();
    return { name, version, licence, text };
  });
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  /** As it was written before npm 2. */
  readonly licenses?: readonly { readonly type: string }[];
}

function readManifest(folder: string): Omit<ThirdParty, 'text'> {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license, licenses } = JSON.parse(text) as Manifest;
  const licence = license ?? licenses?.map(({ type }) => type).join(' OR ');
  if (licence === undefined)
    throw new Error(`${folder}/package.json names no licence: find it, or do without the package.`);
  return { name, version, licence };
}

interface Locked {
  /** Of one kind of system alone: a part of the package that names it, as its binary for each. */
  readonly os?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What npm installs beside the package: `dependencies`, and theirs, as package-lock.json has them. */
export function installedPackages(root: string): Omit<ThirdParty, 'text'>[] {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  return dependencyFolders(lock).map((folder) => readManifest(join(root, folder)));
}

export function dependencyFolders(lock: string): string[] {
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, Locked>> };
  const found = new Set<string>();
  const visit = (from: string) => {
    const { dependencies, optionalDependencies } = packages[from] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const folder = lockedFolder(packages, from, name);
      if (folder === undefined || found.has(folder) || packages[folder]?.os) continue;
      found.add(folder);
      visit(folder);
    }
  };
  visit('');
  return [...found].sort();
}

/** Where `name` lies for the package in `from`: in its own folder, or in one further up. */
function lockedFolder(packages: object, from: string, name: string): string | undefined {
  const folder = join(from, 'node_modules', name).replaceAll('\\', '/');
  if (folder in packages) return folder;
  return from === '' ? undefined : lockedFolder(packages, dirname(from).replace(/^\.$/, ''), name);
}
