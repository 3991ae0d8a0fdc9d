// `npm run check`: every static check, warnings are errors. Runs two at a time, prints what failed.
import { spawn, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const checks = [
  ['svelte-check', '--tsconfig', 'tsconfig.json', '--fail-on-warnings'],
  ['eslint', '--max-warnings', '0', 'src-renderer'],
  ['node', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.node.json'],
  ['depcruise', '--config', '.dependency-cruiser.mjs', 'src-main', 'src-renderer'],
  ['depcruise', '--config', '.dependency-cruiser-folders.mjs', 'src-main', 'src-renderer'],
  ['knip', '--no-progress'],
  ['node', 'scripts/third-party.ts', '--check'],
  ['node', 'scripts/ship-agent.mjs', '--check'],
  ['node', 'scripts/ship-native.mjs', '--check'],
  ['oxlint', '--type-aware', '--deny-warnings'],
  ['biome', 'check', '--error-on-warnings', '.'],
];

function run([command, ...args]) {
  return new Promise((done) => {
    const shell = process.platform === 'win32';
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], shell });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => (output += data));
    child.on('error', (error) => done({ ok: false, output: error.message }));
    child.on('close', (code) => done({ ok: code === 0, output }));
  });
}

function nameOf([command, script]) {
  return command === 'node' ? basename(script).replace(/\..*/, '') : command;
}

const SAW = { depcruise: /\((\d+) modules/, oxlint: /on (\d+) files/ };

/** With a parser it can't load, dependency-cruiser warns, sees a handful of modules, and is content. */
function sawTooLittle([command], output) {
  return command in SAW && Number(SAW[command].exec(output)?.[1] ?? 0) < 300;
}

let failures = 0;
if (spawnSync('clang-format', ['--version']).status === 0) {
  const sources = globSync(['agent/**/*.[ch]', 'native/**/*.[ch]', 'test/**/*.[ch]'], {
    exclude: ['agent/generated/**'],
  });
  checks.push(['clang-format', '--dry-run', '-Werror', ...sources]);
} else {
  console.log('!!! NOT CHECKED: the format of C needs clang-format: apt-get install clang-format');
  if (process.env.CI === 'true') failures++;
}
if (process.platform === 'linux' && spawnSync('gcc', ['--version']).status === 0) {
  checks.push(['make', '-s', '-C', 'agent', 'nvidia-compiles']);
} else {
  console.log(
    '!!! NOT CHECKED: whether `npm run test:nvidia` compiles needs Linux and gcc: apt-get install gcc',
  );
  if (process.env.CI === 'true') failures++;
}
// What agent/README.md says of who includes whom.
checks.push(['make', '-s', '-C', 'agent', 'layers']);
const queue = [...checks];
async function work() {
  for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
    const started = Date.now();
    const { ok: green, output } = await run(check);
    const ok = green && !sawTooLittle(check, output);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${nameOf(check)} (${seconds} s)`);
    for (const line of output.split('\n')) if (line.startsWith('!!!')) console.log(line);
    if (!ok) {
      failures++;
      console.log(output);
    }
  }
}
await Promise.all([work(), work()]);
process.exit(failures === 0 ? 0 : 1);
