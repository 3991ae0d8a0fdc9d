import { HEAD_BYTES } from '../../content/plain-file.ts';
import type { TraceSource } from '../../source/trace-source.ts';

/** A file of `content` that comes in parts of so many bytes. */
export function sourceOf(content: string | Buffer, partBytes = 2 ** 18): TraceSource {
  const bytes = Buffer.from(content as string);
  return {
    fileName: 'a.json',
    sizeBytes: bytes.length,
    head: bytes.subarray(0, HEAD_BYTES),
    database: undefined,
    *parts() {
      for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes);
    },
  };
}
