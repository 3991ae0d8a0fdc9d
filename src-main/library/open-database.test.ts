import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from './open-database.ts';
import { testFolder } from './testing/test-library.ts';

/** Begins to write a new catalogue, says so, and lets go of it a little later. */
const WRITER = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('BEGIN IMMEDIATE');
  console.log('writes');
  // Beyond the first tries to open it.
  setTimeout(() => database.exec('COMMIT'), 200);
`;

test('a catalogue is made while another process makes it too', async () => {
  const path = join(testFolder(), 'library.db');
  const args = ['--no-warnings', '-e', WRITER, path];
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(writer.stdout, 'data');
  const opened = openDatabase(path);
  expect(opened).toMatchObject({ ok: true });
  if (opened.ok) opened.value.close();
  await once(writer, 'exit');
});
