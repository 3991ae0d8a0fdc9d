/**
 * Without a byte for so long over a link that is alive, the agent is given up: it may compress at a
 * crawl beside a job that takes all CPUs. Dead links are found by their keepalive, not here.
 */
const SILENT_S = 60;
/** Eight channels over the slowest line that SSH stays up on have more each; looked at every so often. */
const LEAST_BYTES_PER_S = 32;
const DRIP_S = 300;
/** What a host hashes at the least; one core does some hundred times that. */
const HASHED_BYTES_PER_S = 1024 ** 2;

/**
 * How long what a channel is to say is waited for. Counted in seconds that this computer was awake: one
 * that slept has not listened.
 */
export class ChannelPatience {
  #silentS = 0;
  #windowS = 0;
  #windowBytes = 0;
  #hash: { doneBytes: number; readonly totalBytes: number; takenS: number } | undefined;

  /** Bytes came. Of a hash they say nothing: that it goes on does. */
  heard(bytes: number): void {
    this.#windowBytes += bytes;
    if (this.#hash === undefined) this.#silentS = 0;
  }

  /** From now on the hash of so many bytes is waited for. */
  awaitHash(totalBytes: number): void {
    this.#hash = { doneBytes: 0, totalBytes, takenS: 0 };
    this.#silentS = 0;
  }

  /** How many of them are hashed; false where that can't be. */
  hashed(bytes: number): boolean {
    if (this.#hash === undefined) return false;
    if (bytes < this.#hash.doneBytes || bytes > this.#hash.totalBytes) return false;
    if (bytes > this.#hash.doneBytes) this.#silentS = 0;
    this.#hash.doneBytes = bytes;
    return true;
  }

  /** One more second; what there is to say of it once that was too long. */
  tick(isWaiting: boolean): string | undefined {
    if (!isWaiting) {
      this.#silentS = 0;
      this.#windowS = 0;
      this.#windowBytes = 0;
      return undefined;
    }
    if (++this.#silentS >= SILENT_S)
      return this.#hash === undefined
        ? `has sent nothing for ${SILENT_S} s`
        : `has made no progress on the checksum of the trace for ${SILENT_S} s`;
    return this.#hash === undefined ? this.#tickBytes() : this.#tickHash(this.#hash);
  }

  #tickBytes(): string | undefined {
    if (++this.#windowS < DRIP_S) return undefined;
    const isDrip = this.#windowBytes < DRIP_S * LEAST_BYTES_PER_S;
    const bytes = this.#windowBytes;
    this.#windowS = 0;
    this.#windowBytes = 0;
    return isDrip ? `has sent ${bytes} bytes in ${DRIP_S} s` : undefined;
  }

  #tickHash(hash: { readonly totalBytes: number; takenS: number }): string | undefined {
    const mostS = SILENT_S + hash.totalBytes / HASHED_BYTES_PER_S;
    if (++hash.takenS <= mostS) return undefined;
    return `was not done with the checksum of the trace after ${Math.round(mostS)} s`;
  }
}
