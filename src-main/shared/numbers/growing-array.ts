type NumberArray = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

const FIRST_ROOM = 64;

/** Numbers that are put down one after the other: in as many bytes each as their type has, unlike those of an array of JavaScript. */
export class GrowingArray<Values extends NumberArray> {
  readonly #type: new (
    buffer: ArrayBuffer | number,
  ) => Values;
  #room: Values;
  #length = 0;

  constructor(type: new (buffer: ArrayBuffer | number) => Values) {
    this.#type = type;
    this.#room = new type(FIRST_ROOM);
  }

  get length(): number {
    return this.#length;
  }

  /** Undefined where there is none. */
  get last(): number | undefined {
    return this.#length === 0 ? undefined : this.#room[this.#length - 1];
  }

  /** All of them, as they lie there: until the next `push`. */
  get values(): Values {
    return this.#room.subarray(0, this.#length) as Values;
  }

  push(value: number): void {
    if (this.#length === this.#room.length) this.#moveTo(Math.max(FIRST_ROOM, this.#length * 2));
    this.#room[this.#length++] = value;
  }

  pop(): void {
    if (this.#length > 0) this.#length--;
  }

  /** No more will come: what there is no need for is given back. */
  trim(): void {
    if (this.#length < this.#room.length) this.#moveTo(this.#length);
  }

  #moveTo(length: number): void {
    const { BYTES_PER_ELEMENT, buffer } = this.#room;
    this.#room = new this.#type(buffer.transfer(length * BYTES_PER_ELEMENT));
  }
}
