import { runCommandLine } from './cli/command/run-command-line.ts';
import { commands } from './cli/commands/commands.ts';
import { EXIT_FAILURE } from './cli/output/exit-codes.ts';
import { keepErrorsPlain } from './cli/output/plain-output.ts';

keepErrorsPlain();
const stop = new AbortController();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  stop.abort();
  // `stalltrace info … | head` closes the pipe early: that is no error.
  if (error.code === 'EPIPE' || process.exitCode === EXIT_FAILURE) return;
  process.exitCode = EXIT_FAILURE;
  console.error(
    `stalltrace: the output could not be written (${error.code}): free space where it goes, or send it elsewhere.`,
  );
});
// Of a terminal that was closed, nothing can be told to anyone.
process.stderr.on('error', () => stop.abort());

const exitCode = await runCommandLine(commands, process.argv.slice(2), stop);
// Not process.exit: output that is still under way would be lost, and the error above not seen.
process.exitCode ??= exitCode;
