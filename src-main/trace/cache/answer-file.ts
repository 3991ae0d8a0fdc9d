import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';

/** What was answered about a trace, and the file that was read for it. */
interface KeptAnswer {
  readonly source: string;
  readonly answer: unknown;
}

/** Bytes `STANSWR1`, the CRC-32 of what follows, and that: a KeptAnswer as V8 writes it. */
const MAGIC = Buffer.from('STANSWR1');
const PREFIX_BYTES = MAGIC.length + 4;
/** What is larger takes as long to read as to work out. */
const MOST_BYTES = 64 * 2 ** 20;

/** Writes `kept` to `path`: all of it or nothing; nothing too where it is very large. Throws where that can't be done. */
export async function writeAnswerFile(path: string, kept: KeptAnswer): Promise<void> {
  const bytes = serialize(kept);
  if (bytes.length > MOST_BYTES) return;
  const prefix = Buffer.alloc(PREFIX_BYTES);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(crc32(bytes), MAGIC.length);
  const part = `${path}.${process.pid}.part`;
  try {
    await writeFile(part, Buffer.concat([prefix, bytes]), { mode: 0o600 });
    await rename(part, path);
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
}

/** What is in the file at `path`; undefined where it is damaged or none of ours. Throws what the system throws. */
export function readAnswerFile(path: string): KeptAnswer | undefined {
  const file = readFileSync(path);
  const bytes = file.subarray(PREFIX_BYTES);
  const isOurs = file.length >= PREFIX_BYTES && file.subarray(0, MAGIC.length).equals(MAGIC);
  // What has the right checksum is what was written.
  const isWhole = isOurs && crc32(bytes) === file.readUInt32LE(MAGIC.length);
  return isWhole ? (deserialize(bytes) as KeptAnswer) : undefined;
}
