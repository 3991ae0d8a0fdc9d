// `npm run test:nvidia`: what the library inside a job takes for granted, held against NVIDIA's own libcuda
// and libcupti, as Debian's non-free section has them. No GPU is needed, nothing of them is kept in the source,
// and nothing is installed: they are unpacked into out/nvidia. Root is not needed either.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'out', 'nvidia');
const agent = join(root, 'out', 'agent', `linux-${process.arch}`);
const PACKAGES = ['libcupti11.8', 'libcuda1'];

function run(command, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`);
  return `${stdout}${stderr}`;
}

function sourceLine() {
  const release = readFileSync('/etc/os-release', 'utf8');
  const codename = /^VERSION_CODENAME=(\w+)/m.exec(release)?.[1] ?? 'bookworm';
  return `deb http://deb.debian.org/debian ${codename} main contrib non-free`;
}

/** From a package source of its own: the system's are left as they are. */
function unpackLibraries() {
  const line = sourceLine();
  console.log(`libraries from: ${line}`);
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['lists/partial', 'cache/archives/partial', 'packages', 'unpacked']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'sources.list'), `${line}\n`);
  const settings = [
    `Dir::Etc::SourceList=${join(folder, 'sources.list')}`,
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::State::Lists=${join(folder, 'lists')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    'Acquire::Languages=none',
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
  ].flatMap((setting) => ['-o', setting]);
  const cwd = join(folder, 'packages');
  run('apt-get', [...settings, 'update', '-qq'], { cwd });
  run('apt-get', [...settings, 'download', '-qq', ...PACKAGES], { cwd });
  for (const name of readdirSync(cwd))
    run('dpkg', ['-x', join(cwd, name), join(folder, 'unpacked')]);
}

function find(name) {
  const all = readdirSync(join(folder, 'unpacked'), { recursive: true, encoding: 'utf8' });
  const found = all.find((path) => path.endsWith(`/${name}`));
  if (found === undefined) throw new Error(`${name} is in none of ${PACKAGES.join(', ')}.`);
  return join(folder, 'unpacked', found);
}

/** The driver loads the library, and the job runs on, whatever CUPTI says. */
function recordWithDriver(libraries) {
  const file = join(folder, 'run.trace.db');
  const script = 'import ctypes; print(ctypes.CDLL("libcuda.so.1").cuInit(0))';
  const args = ['record', '--no-bpf', '--inside', '--out', file, '--', 'python3', '-c', script];
  const env = { ...process.env, LD_LIBRARY_PATH: libraries.map((path) => dirname(path)).join(':') };
  const said = run(join(agent, 'stalltrace-agent'), args, { env });
  const database = new DatabaseSync(file, { readOnly: true });
  const { value } = database.prepare("SELECT value FROM meta WHERE key = 'inside'").get() ?? {};
  database.close();
  console.log(`recorded with NVIDIA's driver: ${value}`);
  if (JSON.parse(value).cupti_version === 0) throw new Error(`CUPTI was not found:\n${said}`);
}

if (!existsSync(join(agent, 'libstalltrace-inside.so'))) {
  console.error(
    'The agent is not built: run "npm run build", or see `node scripts/build-agent.mjs`.',
  );
  process.exit(1);
}
unpackLibraries();
const cupti = find('libcupti.so.11.8');
const check = join(folder, 'test', 'nvidia_cupti');
run('make', ['-s', '-C', join(root, 'agent'), `OUT=${folder}`, check]);
console.log(run(check, [cupti]).trimEnd());
recordWithDriver([find('libcuda.so.1'), cupti]);
