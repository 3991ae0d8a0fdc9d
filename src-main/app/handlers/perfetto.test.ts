import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CallArguments } from '../../contract/contract.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { fail, ok } from '../../shared/rpc/result.ts';
import type { Services } from '../services/services.ts';
import { contextOf } from '../testing/fake-platform.ts';
import { perfettoHandlers } from './perfetto.ts';

const NOT_OPEN = fail('not-open', 'This trace is no longer open.');
const traceId = '00000000-0000-0000-0000-000000000000';

let folder: string;
/** What the process of the trace sends, and whether it was asked to hide private words. */
let stream: Readable;
let hidden: boolean | undefined;
let isOpen: boolean;

const file = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perfetto-handlers-'));
  writeFileSync(file('trace.db'), 'trace');
  stream = Readable.from([Buffer.from('one '), Buffer.from('two')]);
  hidden = undefined;
  isOpen = true;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function handlersOf(platform: Partial<HostPlatform> = {}) {
  const traces = {
    find: () => (isOpen ? ok({ path: file('trace.db') }) : NOT_OPEN),
    openPerfetto: async (_id: string, options: { hidePrivate: boolean }) => {
      hidden = options.hidePrivate;
      return ok(stream);
    },
  };
  const host = { mayOpen: () => true, ...platform };
  return perfettoHandlers({ platform: host, traces } as unknown as Services);
}

const write = (changes: Partial<CallArguments<'perfetto.write'>> = {}, context = contextOf()) =>
  handlersOf()['perfetto.write'](
    { traceId, hidePrivate: true, path: file('out'), overwrite: false, ...changes },
    context,
  );

/** A stream that does `what` once its first piece was taken. */
function after(what: () => void): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from('half');
      what();
      throw new Error('the other end has gone');
    })(),
  );
}

test('all that the trace sends is in the file, and how much it is so far is told', async () => {
  const told: string[] = [];
  const context = { ...contextOf(), progress: ({ text }: { text: string }) => told.push(text) };
  expect(await write({}, context)).toEqual(ok({ path: file('out'), sizeBytes: 7 }));
  expect(readFileSync(file('out'), 'utf8')).toBe('one two');
  expect(told).toEqual(['Written: 4 B', 'Written: 7 B']);
  expect(hidden).toBe(true);
});

test('a dialog asks where; what is private is shown on request only', async () => {
  const wish = { traceId, hidePrivate: false, name: 'a/b timeline.pftrace' };
  const save = (host: Partial<HostPlatform>) =>
    handlersOf(host)['perfetto.save'](wish, contextOf());
  expect(await save({})).toMatchObject({ error: { code: 'no-dialog' } });
  expect(await save({ chooseSavePath: async () => null })).toEqual(ok(null));
  expect(hidden).toBeUndefined();
  const chooseSavePath = async (name: string) => file(name);
  expect(await save({ chooseSavePath })).toMatchObject({
    value: { path: file('a_b timeline.pftrace') },
  });
  expect(hidden).toBe(false);
});

const closes = (): void => {
  isOpen = false;
};
test.each([
  ['not-open', 'no longer open', closes],
  ['process-lost', 'ended before its timeline was written', (): void => undefined],
] as const)('%s in the middle is told, and nothing is left', async (code, message, happens) => {
  stream = after(happens);
  expect(await write()).toMatchObject({
    error: { code, message: expect.stringContaining(message) },
  });
  expect(readdirSync(folder)).toEqual(['trace.db']);
});

test('cancelled in the middle, it leaves nothing and ends the stream', async () => {
  const call = new AbortController();
  stream = after(() => call.abort());
  expect(await write({}, contextOf(new AbortController(), call))).toMatchObject({
    error: { code: 'cancelled' },
  });
  expect([readdirSync(folder), stream.destroyed]).toEqual([['trace.db'], true]);
});

test('a file that cannot be written ends the stream, or no process is ever put away', async () => {
  const refused = await write({ path: join(folder, 'nowhere', 'out') });
  expect(refused).toMatchObject({ error: { code: 'file-unwritable' } });
  expect([hidden, stream.destroyed]).toEqual([true, true]);
});

test('nothing is lost to it: neither another file nor the trace itself', async () => {
  writeFileSync(file('other'), 'other');
  expect(await write({ path: file('other') })).toMatchObject({ error: { code: 'file-exists' } });
  expect(await write({ path: file('trace.db'), overwrite: true })).toMatchObject({
    error: { message: expect.stringContaining('is the trace itself') },
  });
  expect(await write({ path: 'relative' })).toMatchObject({ error: { code: 'file-unwritable' } });
  const elsewhere = handlersOf({ mayOpen: () => false })['perfetto.write'];
  const wish = { traceId, hidePrivate: true, path: file('new'), overwrite: false };
  expect(await elsewhere(wish, contextOf())).toMatchObject({ error: { code: 'path-not-allowed' } });
  isOpen = false;
  expect(await write()).toEqual(NOT_OPEN);
  expect([hidden, readdirSync(folder)]).toEqual([undefined, ['other', 'trace.db']]);
});
