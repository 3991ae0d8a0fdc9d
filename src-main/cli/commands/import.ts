import { resolve } from 'node:path';
import { dataFolder } from '../../app/services/data-folder.ts';
import type { AddedInvestigation } from '../../shared/library/investigation.ts';
import type { Failure } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { addedWords } from '../../shared/words/added-words.ts';
import { defineCommand } from '../command/command.ts';
import { printJson } from '../output/plain-output.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil, createCliApp } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';

export const importFiles = defineCommand({
  name: 'import',
  synopsis: 'FILE… [--copy]',
  summary: 'add traces and .stalltrace files to your library',
  usage: `Usage: stalltrace import FILE… [--copy] [--json]

Adds traces and .stalltrace files to your library. Captures, files that are still written to and
what a compressed or .stalltrace file holds are copied into it; other traces stay where they are.

  --copy   copy every file
  --json   one JSON object, documented in docs/cli.md, instead of text`,
  options: {
    copy: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  takesOperands: true,
  read({ values, operands }, startFolder) {
    if (operands.length === 0) return 'Name the files to add.';
    if (operands.includes('')) return 'The name of a file is empty.';
    return { files: operands.map((file) => resolve(startFolder, file)), ...values };
  },
  async run({ files, copy, json }) {
    const stop = new AbortController();
    onStopSignal(stop);
    const imported = await addAll(files, copy, stop.signal, (each) => {
      if (!json && each.added) console.log(importedLine(each.added));
    });
    if (json) printJson({ files: imported });
    // Each failure is told; the first decides how this ends.
    const codes = imported.flatMap(({ error }) =>
      error === undefined ? [] : reportFailure(error),
    );
    return codes[0] ?? 0;
  },
});

interface Imported {
  readonly file: string;
  readonly added?: AddedInvestigation;
  readonly error?: Failure;
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
