import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { scratchFolder } from './agent.ts';
import { standIn } from './agent-run.ts';

export interface HeldFolder {
  /** A copy of the program, on a file system of which `hold` takes the answers away. */
  readonly program: string;
  hold(): void;
  /** The file system goes, and who waited for it goes on. */
  end(): Promise<void>;
}

/** test/agent/jobs/held_folder.c with `program` in it. */
export async function holdFolder(program: string): Promise<HeldFolder> {
  const folder = scratchFolder();
  const [mounted, held] = [join(folder, 'mounted'), join(folder, 'held')];
  mkdirSync(mounted);
  const server = spawn(standIn('held_folder'), [mounted, program, held], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => server.on('close', () => resolve()));
  const end = async () => {
    server.stdin.end();
    await ended;
  };
  onTestFinished(end);
  const job = join(mounted, 'job');
  while (!existsSync(job)) {
    if (server.exitCode !== null) throw new Error('the folder could not be mounted');
    await wait(10);
  }
  return { program: job, hold: () => writeFileSync(held, ''), end };
}
