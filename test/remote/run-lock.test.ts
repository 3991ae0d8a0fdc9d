import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { lockRun } from '../../src-main/remote/state/run-lock.ts';
import { processIdentityOf } from '../../src-main/system/process-identity.ts';
import { describeWith } from '../support/requirements.ts';

describeWith(['sshServer'], 'the lock of a run', () => {
  test('is taken over from a process that has ended and that nobody asked how', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stalltrace-lock-'));
    // The first child is nobody's business once its parent, when it ends, is another program.
    const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const lines = createInterface({ input: parent.stdout });
      const [pid] = await once(lines, 'line');
      const stat = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ');
      await expect.poll(() => stat()?.[0]).toBe('Z');
      const owner = { ...processIdentityOf(), pid: Number(pid), startTime: stat()?.[19] };
      writeFileSync(join(folder, 'lock'), JSON.stringify(owner));
      expect((await lockRun(folder)).ok).toBe(true);
      expect(await lockRun(folder)).toMatchObject({ error: { code: 'run-busy' } });
    } finally {
      parent.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
