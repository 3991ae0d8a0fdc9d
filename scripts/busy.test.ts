import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { hasEnded, processIdentityOf } from '../src-main/system/process-identity.ts';
import { startBusyProcesses } from './busy.ts';

test('busy processes run until they are stopped', async () => {
  const busy = startBusyProcesses(2);
  expect(busy.areRunning()).toBe(true);
  busy.stop();
  await expect.poll(() => busy.areRunning()).toBe(false);
});

test('they end with a parent that was killed', async () => {
  const module = JSON.stringify(new URL('busy.ts', import.meta.url).href);
  const script = `
    import { startBusyProcesses } from ${module};
    console.log(startBusyProcesses(1).pids[0]);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const [pid] = await once(parent.stdout, 'data');
  const busy = processIdentityOf(Number(pid));
  expect(hasEnded(busy)).toBe(false);
  parent.kill('SIGKILL');
  await expect.poll(() => hasEnded(busy)).toBe(true);
});
