// Makes a clone ready, and does nothing where it is. Runs before `npm start`, `npm test`, `npm pack`
// and the command line, on whatever Node the machine has: no dependency, no new syntax.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
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

// sqlite3 is the benchmarks' peer, binutils the demangler's, procps has `ps`.
const DEBIAN_PACKAGES = ['binutils', 'chromium', 'fonts-dejavu-core', 'procps', 'sqlite3'];

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

function prepare() {
  installDependencies();
  checkNode();
  buildIfStale();
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

// Two first starts at once would install and build over each other.
if (isInstalled() && isBuildCurrent(root)) checkNode();
else prepareAlone();
if (mode === 'test') installDebianPackages();
