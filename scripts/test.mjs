// `npm test`: every test this machine can run, then a loud list of what it could not. With CI=true
// anything not run is a failure. Tests skip themselves only through test/support/requirements.ts.
// `npm test -- --stage check --stage unit` runs some stages only. test-run.ts reads what is printed here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { requireNode24 } from './node-version.mjs';

requireNode24();

/** Row by row; those of a row run side by side, as one of them waits most of its time. */
const ROWS = [
  ['agent', 'check', 'unit'],
  ['agent-together', 'integration'],
  ['remote', 'e2e'],
  ['e2e-alone', 'pure'],
];
const STAGES = ROWS.flat();
/** Beside others they take what these leave: those measure the machine, or wait for it most of their time. */
const YIELDING = ['check', 'unit', 'pure'];
const stages = chosenStages();
const scratch = mkdtempSync(join(tmpdir(), 'stalltrace-test-'));
const inCi = process.env.CI === 'true';
const totals = { passed: 0, failures: [], notRun: [] };

/** All of them, or those asked for, in their order. */
function chosenStages() {
  try {
    const options = { stage: { type: 'string', multiple: true } };
    const { stage: chosen = STAGES } = parseArgs({ options }).values;
    const unknown = chosen.find((name) => !STAGES.includes(name));
    if (unknown === undefined) return STAGES.filter((name) => chosen.includes(name));
    throw new Error(`There is no stage "${unknown}"`);
  } catch (error) {
    console.error(`${error.message}. Use: npm test -- [--stage ${STAGES.join('|')}]…`);
    process.exit(1);
  }
}

/**
 * Whether a script succeeded. No shell, which would take a path with a space apart: hence scripts, not the
 * commands in .bin. What it prints comes at once, or goes to the file `log`.
 */
async function runScript(script, args, { log, yields }) {
  const output = log === undefined ? 'inherit' : openSync(log, 'w');
  const command = [process.execPath, script, ...args];
  if (yields && process.platform !== 'win32') command.unshift('nice', '-n', '19');
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', output, output] });
  const [status] = await once(child, 'close');
  if (log !== undefined) closeSync(output);
  return status === 0;
}

/** Beside another one a stage prints when it ends: two at once could not be told apart. */
async function stage(name, isAlone) {
  const started = Date.now();
  const log = isAlone ? undefined : join(scratch, `${name}.log`);
  if (isAlone) console.log(`\n=== ${name}`);
  const how = { log, yields: !isAlone && YIELDING.includes(name) };
  await (name === 'check' ? runChecks(how) : runVitest(name, how));
  if (log !== undefined) process.stdout.write(`\n=== ${name}\n${readFileSync(log, 'utf8')}`);
  console.log(`=== ${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

async function runChecks(how) {
  if (await runScript('scripts/check.mjs', [], how)) totals.passed++;
  else totals.failures.push('npm run check');
}

/** What was said last matters most; the whole of it stands above. */
function inShort(message) {
  const lines = message.split('\n').filter((line) => !/^ +at .*\/node_modules\//.test(line));
  const text = lines.join('\n');
  return text.length <= 1500 ? text : `${text.slice(0, 300)}\n[…]\n${text.slice(-1200)}`;
}

async function runVitest(project, how) {
  const report = join(scratch, `${project}.json`);
  const words = ['run', `--project=${project}`, '--reporter=default', '--reporter=json'];
  const args = [...words, `--outputFile.json=${report}`];
  const green = await runScript('node_modules/vitest/vitest.mjs', args, how);
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    totals.failures.push(`The ${project} tests ended without a report.`);
    return;
  }
  totals.passed += results.numPassedTests;
  const failures = [];
  for (const file of results.testResults) {
    const path = relative(process.cwd(), file.name);
    for (const test of file.assertionResults) {
      const name = `${path}: ${test.fullName}`;
      if (test.status === 'failed')
        failures.push(`${name}\n${inShort(test.failureMessages[0] ?? '')}`);
      else if (test.status !== 'passed') totals.notRun.push(name);
    }
  }
  // A file that fails to load, or an unhandled rejection, fails the run without failing a test.
  if (!green && failures.length === 0) {
    const files = results.testResults.filter(({ status }) => status === 'failed');
    const named = files.map(({ name, message }) => `${relative(process.cwd(), name)}\n${message}`);
    failures.push([`The ${project} tests failed outside a test; see above.`, ...named].join('\n'));
  }
  totals.failures.push(...failures);
}

for (const row of ROWS) {
  const asked = row.filter((name) => stages.includes(name));
  await Promise.all(asked.map((name) => stage(name, asked.length === 1)));
}
rmSync(scratch, { recursive: true, force: true });

if (totals.notRun.length > 0) {
  console.log(`\n!!! NOT RUN on this machine: ${totals.notRun.length} tests`);
  for (const name of totals.notRun) console.log(`!!!   ${name}`);
  if (inCi) console.log('!!! CI=true: a test that was not run counts as failed.');
}
// Last, so that the end of a log names what failed.
for (const failure of totals.failures) console.log(`\nFAILED ${failure}`);
const failed = totals.failures.length + (inCi ? totals.notRun.length : 0);
const skipped = inCi ? 0 : totals.notRun.length;
console.log(`\n${totals.passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);
