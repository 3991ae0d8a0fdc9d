import { Worker } from 'node:worker_threads';

const EVERY_MS = 1000;

/**
 * Ends this process once the one that started it has died, also while a query holds its main thread: that notices
 * nothing. Where the system tells no new parent (Windows), the query's own end is waited for.
 */
export function endWithParent(): void {
  const program = `
    const { ppid } = process;
    setInterval(() => {
      if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
    }, ${EVERY_MS});`;
  new Worker(program, { eval: true, execArgv: [], stdin: false }).unref();
}
