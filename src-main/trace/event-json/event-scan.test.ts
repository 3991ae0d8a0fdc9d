import { expect, test } from 'vitest';
import { describeWith } from '../../../test/support/requirements.ts';
import { EVENT_CELLS, type EventScan, openEventScan } from '../../native/event-scan.ts';
import { smallKineto } from '../formats/kineto/testing/small-trace.ts';
import { WorkArgs } from '../formats/kineto/work-args.ts';
import { ByteWindow } from './byte-window.ts';
import { EventsReader } from './read-events.ts';
import { damaged, randomFrom } from './testing/damage.ts';
import { TextTable } from './text-table.ts';

/** Events as native code tells them, number for number against what JavaScript reads of the same bytes. */

const off: EventScan = { cells: new Float64Array(EVENT_CELLS), scan: () => 0 };

function* partsOf(content: Buffer, bytes: number): Generator<Buffer> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes);
}

/** All that is told of a file, and which texts were met. */
function toldBy(scan: EventScan, content: Buffer, partBytes: number, texts: TextTable) {
  const args = new WorkArgs();
  const told: unknown[] = [];
  const reader = new EventsReader(
    new ByteWindow(partsOf(content, partBytes)),
    { texts, baseUs: 1_712_195_495_000_000 },
    {
      onEvent(event, bytes) {
        args.read(event, bytes);
        const { phase, category, name, process, thread, startNs, durationNs, idFrom, idTo } = event;
        const { correlation, device, context, stream, bytes: size, graph, node } = args;
        told.push(
          ...[phase, category, name, process, thread, startNs, durationNs, idFrom, idTo],
          ...[bytes.toString('latin1', event.argsFrom, event.argsTo), correlation, device],
          ...[context, stream, size, graph, node, ...args.grid, ...args.block],
        );
      },
      onValue: (key, json) => told.push(key, json),
      wants: () => true,
      onProgress: () => undefined,
    },
    scan,
  );
  return { read: reader.read(), told, texts: texts.texts };
}

/** Texts of a first file: native code tells events of texts that are known. */
function known(content: Buffer): TextTable {
  const texts = new TextTable();
  toldBy(off, content, 2 ** 18, texts);
  return texts;
}

const withNumbers = (number: string) =>
  `{"traceEvents": [${['ts', 'dur', 'pid', 'tid']
    .map((key) => `{"ph": "X", "name": "a", "cat": "a", "${key}": ${number}}`)
    .join(
      ', ',
    )}, {"ph": "X", "args": {"stream": ${number}, "bytes": ${number}, "grid": [${number}, 1]}}]}`;

const NUMBERS = [
  ...['0', '-0', '7', '-7', '007', '1712195495519689.8', '1712195495519689', '17121954955196890'],
  ...['12345678901234567', '4294967295', '4294967296', '0.0005', '0.00049', '5.', '.5', '1e3'],
  ...['-1712195495519689.1239', '12.3x', 'inf', 'NaN', 'null', 'true', '[1]', '{}', '""'],
  ...['"7"', '"-7"', '"stream 7"', '"Infinity"', '"0x10"', '" 7"', '"e5"', '"\\u0041"', '"ä"'],
];

describeWith(['nativeCode'], 'events told by native code', () => {
  const native = openEventScan() as EventScan;
  const expectSame = (content: Buffer, partBytes: number, first = content) =>
    expect(toldBy(native, content, partBytes, known(first))).toEqual(
      toldBy(off, content, partBytes, known(first)),
    );

  test('it tells events, and ends before what it leaves to JavaScript', () => {
    const content = Buffer.from(
      '{"ph": "X", "ts": 5}, {"ph": "i", "ts": 7} ,{"ph": "X", "ts": inf}',
    );
    expect(native.scan(content, 0, content.length, 0, new TextTable().arrays)).toBe(2);
    expect([native.cells[1], native.cells[6]]).toEqual(['X'.charCodeAt(0), 5000]);
    expect(native.scan(content, 0, content.length + 1, 0, new TextTable().arrays)).toBe(0);
  });

  test.each(NUMBERS)('%s, wherever a number may stand', (number) => {
    expectSame(Buffer.from(withNumbers(number)), 2 ** 18);
  });

  test('with bytes changed at random, whatever the parts of the file', () => {
    const good = Buffer.from(smallKineto);
    const random = randomFrom(9);
    for (let run = 0; run < 500; run++)
      expectSame(damaged(good, random), run % 2 === 0 ? 2 ** 18 : 97, good);
  });
});
