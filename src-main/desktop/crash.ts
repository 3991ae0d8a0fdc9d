import { appendFileSync } from 'node:fs';
import { app, dialog } from 'electron';
import { cleanLines, MAX_NAME_LENGTH } from '../shared/text/text.ts';

/**
 * An exception nobody caught leaves the process in a state nobody knows: it is written down, told
 * and ends the app. Synchronous on purpose, nothing may run in between.
 */
export function endOnBugs(logFile: string): void {
  const end = (bug: unknown) => {
    const text = bug instanceof Error ? (bug.stack ?? bug.message) : String(bug);
    try {
      appendFileSync(
        logFile,
        `${new Date().toISOString()} fatal: ${cleanLines(text, MAX_NAME_LENGTH)}\n`,
      );
    } catch {
      // Without a disk the dialog is all there is.
    }
    dialog.showErrorBox(
      'Stalltrace has to close',
      `Something went wrong inside Stalltrace. Your traces are untouched. The details are in\n${logFile}`,
    );
    app.exit(1);
  };
  process.on('uncaughtException', end);
  // Electron's default only warns.
  process.on('unhandledRejection', end);
}
