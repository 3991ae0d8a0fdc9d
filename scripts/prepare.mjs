// Makes a clone ready, and does nothing where it is. Runs before `npm start`, `npm test`, `npm pack`
// and the command line, on whatever Node the machine has: no dependency, no new syntax.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areAgentsCurrent, missingSentences } from './agent/provide.mjs';
import { withLock } from './lock.mjs';
import { isNativeCurrent, provideNative } from './native/provide.mjs';
import { nodeVersionProblem } from './node-version.mjs';
import { isBuildCurrent } from './staleness.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
process.env.PATH = `${bin}${delimiter}${process.env.PATH}`;
process.chdir(root);

const [mode, ...flags] = process.argv.slice(2);
const quiet = flags.includes('--quiet');

function fail(sentence) {
  console.error(`stalltrace: ${sentence}`);
  process.exit(1);
}

function run(command, args, options = {}) {
  if (!quiet) console.error(`> ${command} ${args.join(' ')}`);
  // What is installed and built on the way must not end up in the output of a command.
  const stdio = ['ignore', quiet ? 'ignore' : 2, 'inherit'];
  const shell = process.platform === 'win32';
  return spawnSync(command, args, { stdio, shell, ...options }).status === 0;
}

function fingerprint(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

const INSTALLED_STAMP = join('node_modules', '.stalltrace-lock');

function isInstalled() {
  return (
    existsSync(INSTALLED_STAMP) &&
    readFileSync(INSTALLED_STAMP, 'utf8') === fingerprint('package-lock.json')
  );
}

/** Installs the dependencies of package-lock.json, once for each state of it. */
function installDependencies() {
  if (isInstalled()) return;
  if (!run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])) {
    fail('the dependencies could not be installed: see the lines above, then run "npm ci".');
  }
  writeFileSync(INSTALLED_STAMP, fingerprint('package-lock.json'));
}

/** The Node that the scripts after this one will find first on the PATH. */
function checkNode() {
  const found = execFileSync('node', ['--version'], { encoding: 'utf8' }).trim().slice(1);
  const problem = nodeVersionProblem(found);
  if (problem !== undefined) fail(problem);
}

/** Builds the app where a source is newer than the last build. */
function buildIfStale() {
  if (isBuildCurrent(root)) return;
  if (!run('node', ['scripts/build.mjs'])) fail('the build failed: see the lines above.');
}

/** Unpacks or builds the capture agents where out/agent has not those of the sources; the app works without. */
function provideAgentsIfStale() {
  if (!areAgentsCurrent(root)) {
    const done = run('node', ['scripts/build-agent.mjs']);
    if (!done) fail('the capture agents could not be put into out/agent: see the lines above.');
    // Who tests or reads a file has not asked to record with another architecture's agent.
  } else if (!quiet) for (const sentence of missingSentences(root)) console.error(sentence);
}

// sqlite3 is the benchmarks' peer, binutils the demangler's, procps has `ps`.
const APP_TEST_PACKAGES = [
  'binutils',
  'chromium',
  'chromium-headless-shell',
  'fonts-dejavu-core',
  'procps',
  'sqlite3',
];
// What builds the agent, for arm64 too, and what its tests record: libtorch's DataLoader above all.
const AGENT_PACKAGES = [
  ...['bpftool', 'clang', 'clang-format', 'gcc', 'libbpf-dev', 'libc6-dev', 'libclang-rt-14-dev'],
  ...['libelf-dev', 'libsqlite3-dev', 'libstdc++-12-dev', 'llvm', 'make', 'zlib1g-dev'],
  ...['libzstd-dev', 'nettle-dev'],
  ...['gcc-aarch64-linux-gnu', 'libc6-dev-arm64-cross'],
  ...['libcap2-bin', 'libpython3.11', 'python3-numpy', 'python3-torch', 'qemu-user', 'sudo'],
];
// Real hosts to sign in to: their server, networks, an odd shell, one-time codes; rsync is a peer.
const REMOTE_TEST_PACKAGES = [
  ...['iproute2', 'libpam-google-authenticator', 'oathtool', 'openssh-client', 'openssh-server'],
  ...['rsync', 'tcsh'],
];
const BENCHMARK_PEERS = ['bpftrace', 'linux-perf'];
/** The packages' names are those of Debian 12 on x86-64, where the agent is tested. */
const DEBIAN_PACKAGES = [
  ...APP_TEST_PACKAGES,
  ...REMOTE_TEST_PACKAGES,
  ...(process.arch === 'x64' ? AGENT_PACKAGES : []),
  ...(process.env.npm_lifecycle_event === 'prebench' ? BENCHMARK_PEERS : []),
];

/** Debian packages the tests need, all at once. Elsewhere the tests say what they could not run. */
function installDebianPackages() {
  if (!existsSync('/etc/debian_version')) return;
  const missing = DEBIAN_PACKAGES.filter(
    (name) =>
      // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholder
      !spawnSync('dpkg-query', ['-W', '-f', '${Status}', name], {
        encoding: 'utf8',
      }).stdout?.includes('ok installed'),
  );
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0) fail(`the tests need Debian packages: run "sudo ${command}".`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const [tool, ...args] = command.split(' ');
  run('apt-get', ['update', '-qq'], { env });
  if (!run(tool, args, { env })) fail(`Debian packages could not be installed: run "${command}".`);
}

/** The native library where the shipped one does not fit. The app starts without it too, whatever goes wrong. */
function provideNativeIfStale() {
  const say = (sentence) => console.error(`stalltrace: ${sentence}`);
  try {
    if (isNativeCurrent(root)) return;
    withLock(join(root, '.stalltrace-prepare'), sayWhoPrepares, () => {
      const problem = isNativeCurrent(root) ? undefined : provideNative(root, say);
      if (problem !== undefined) say(problem);
    });
  } catch (error) {
    if (!quiet) say(`the native code could not be looked after: ${error.message}`);
  }
}

function prepare() {
  installDependencies();
  checkNode();
  buildIfStale();
  provideAgentsIfStale();
}

function prepareAlone() {
  try {
    withLock(join(root, '.stalltrace-prepare'), sayWhoPrepares, prepare);
  } catch (error) {
    if (error.syscall !== 'mkdir') throw error;
    fail(`${root} must be written to for the installation or the build: ${error.message}`);
  }
}

function sayWhoPrepares(pid) {
  console.error(`stalltrace: waiting for process ${pid ?? '?'}, which prepares this folder…`);
}

if (mode === 'test') installDebianPackages();
// Two first starts at once would install and build over each other.
if (isInstalled() && isBuildCurrent(root) && areAgentsCurrent(root)) {
  checkNode();
  provideAgentsIfStale();
} else prepareAlone();
provideNativeIfStale();
