/**
 * Memory for the bodies of frames, used again and again: new megabytes for each would keep the garbage
 * collector busier than the download. It grows to what is on its way at once.
 */
export class FrameBuffers {
  private readonly bytes: number;
  private readonly free: Buffer<SharedArrayBuffer>[] = [];

  /** Of `bytes` each: a worker reads them without a copy. */
  constructor(bytes: number) {
    this.bytes = bytes;
  }

  take(): Buffer<SharedArrayBuffer> {
    return this.free.pop() ?? Buffer.from(new SharedArrayBuffer(this.bytes));
  }

  /** Nobody looks at it any more. */
  giveBack(buffer: Buffer<SharedArrayBuffer>): void {
    this.free.push(buffer);
  }
}
