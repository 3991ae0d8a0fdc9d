/** What a frame worker is asked for, one at a time; each is answered by one `FrameOutcome`, in order. */
export type FrameTask =
  /** Unpack a frame, compare it with its hash, and write it into the file. */
  | {
      readonly kind: 'prove';
      readonly fd: number;
      readonly offset: number;
      readonly length: number;
      readonly encoding: 'zstd' | 'stored';
      readonly sha256: string;
      /** Shared with whoever asks, who leaves it alone until the answer. */
      readonly body: Buffer<SharedArrayBuffer>;
    }
  /** The next bytes of the file for the hash of the whole; offset 0 begins anew. */
  | { readonly kind: 'add'; readonly fd: number; readonly offset: number; readonly length: number }
  /** The hash of all that was added, hex. */
  | { readonly kind: 'digest' };

export type FrameOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'digest'; readonly sha256: string }
  /** A frame that unpacks to more than was asked for. */
  | { readonly kind: 'too-large' }
  /** Not what its hash says, or the file is shorter or can't be read. */
  | { readonly kind: 'bad' }
  | { readonly kind: 'unwritable'; readonly code: string | undefined; readonly message: string };
