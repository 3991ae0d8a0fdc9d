import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { dataFolder } from '../app/services/data-folder.ts';
import type { AddedInvestigation } from '../shared/library/investigation.ts';
import type { Failure } from '../shared/rpc/result.ts';
import { cleanText } from '../shared/text/text.ts';
import { addedWords } from '../shared/words/added-words.ts';
import { contextUntil, createCliApp } from './cli-app.ts';
import { printJson } from './plain-output.ts';
import { reportFailure } from './report-failure.ts';
import { onStopSignal } from './stop-signals.ts';
import { optionProblem, wrongUsage } from './wrong-usage.ts';

const IMPORT_USAGE = `Usage: stalltrace import FILE… [--copy] [--json]

Adds traces and .stalltrace files to your library. Captures, files that are still written to and
what a compressed or .stalltrace file holds are copied into it; other traces stay where they are.

  --copy   copy every file
  --json   one JSON object, documented in docs/cli.md, instead of text`;

interface Imported {
  readonly file: string;
  readonly added?: AddedInvestigation;
  readonly error?: Failure;
}

/** `stalltrace import FILE…`; the exit code. */
export async function importFiles(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseOptions(args);
  if (typeof options === 'string') return wrongUsage('import', options);
  if (options.help) {
    console.log(IMPORT_USAGE);
    return 0;
  }
  const stop = new AbortController();
  onStopSignal(stop);
  const files = options.files.map((file) => resolve(startFolder, file));
  const imported = await addAll(files, options.copy, stop.signal, (each) => {
    if (!options.json && each.added) console.log(importedLine(each.added));
  });
  if (options.json) printJson({ files: imported });
  // Each failure is told; the first decides how this ends.
  const codes = imported.flatMap(({ error }) => (error === undefined ? [] : reportFailure(error)));
  return codes[0] ?? 0;
}

/** One after the other; what can't be added does not keep the others out. */
async function addAll(
  files: readonly string[],
  copy: boolean,
  signal: AbortSignal,
  done: (imported: Imported) => void,
): Promise<readonly Imported[]> {
  const app = createCliApp(dataFolder());
  const imported: Imported[] = [];
  try {
    for (const path of files) {
      const args = { path, ...(copy && { copy }) };
      const added = await app.handlers['library.add'](args, contextUntil(signal));
      const each = added.ok
        ? { file: path, added: added.value }
        : { file: path, error: added.error };
      imported.push(each);
      done(each);
      if (signal.aborted) break;
    }
    return imported;
  } finally {
    await app.close();
  }
}

function importedLine(added: AddedInvestigation): string {
  const { investigation, wasKnown } = added;
  const { name, path, storage } = investigation;
  const how = wasKnown ? 'known already' : storage === 'copied' ? 'copied' : 'added';
  const words = addedWords(added);
  const brought = words === undefined ? '' : `; ${words}`;
  return `${cleanText(name, 200)}: ${how}${brought} (${cleanText(path, 4096)})`;
}

interface ImportOptions {
  readonly files: readonly string[];
  readonly copy: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

function parseOptions(args: readonly string[]): ImportOptions | string {
  try {
    const { values, positionals: files } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        copy: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (files.length === 0 && !values.help) return 'Name the files to add.';
    return files.includes('') ? 'The name of a file is empty.' : { files, ...values };
  } catch (error) {
    return optionProblem(error);
  }
}
