/** A tree of functions as lists, in preorder: a node stands before what is below it. */
export interface NodeLists {
  readonly length: number;
  readonly parent: Int32Array;
  /** Index into FlameFunctions.frames. */
  readonly frame: Int32Array;
  readonly total: Float64Array;
  readonly self: Float64Array;
  readonly count: Float64Array;
}

const FIRST_CAPACITY = 4_096;
const FIRST_DEPTH = 256;

function allocate(capacity: number): NodeLists {
  return {
    length: capacity,
    parent: new Int32Array(capacity),
    frame: new Int32Array(capacity),
    total: new Float64Array(capacity),
    self: new Float64Array(capacity),
    count: new Float64Array(capacity),
  };
}

function resized(list: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(length);
  copy.set(list);
  return copy;
}

/**
 * Builds a tree from paths (outermost function first), joining what neighbouring paths have in
 * common. Where it would have more than `limit` nodes, the lightest go: a node is never heavier than
 * the one above it, so that what is left is a tree, and what is open is never cut.
 */
export class FlameBuilder {
  readonly #limit: number;
  #lists = allocate(FIRST_CAPACITY);
  #length = 0;
  /** The nodes of the last path, outermost first, and how many these are. */
  #open = new Int32Array(FIRST_DEPTH);
  #depth = 0;
  #last: Int32Array | undefined;
  /** Closed nodes at most this heavy are cut. */
  #threshold = -1;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(path: Int32Array, weight: number, count: number): void {
    if (path !== this.#last) this.#moveTo(path);
    const leaf = this.#open[path.length - 1];
    this.#lists.self[leaf] += weight;
    this.#lists.count[leaf] += count;
  }

  /** The tree with at most `limit` nodes. Nothing can be added to it afterwards. */
  finish(limit: number): NodeLists {
    this.#close(0);
    if (this.#length > limit) this.#prune(limit);
    return { ...this.#lists, length: this.#length };
  }

  #moveTo(path: Int32Array): void {
    const open = this.#open;
    const { frame } = this.#lists;
    const most = Math.min(this.#depth, path.length);
    let shared = 0;
    while (shared < most && frame[open[shared]] === path[shared]) shared++;
    this.#close(shared);
    if (this.#length + path.length > this.#limit) this.#prune(this.#limit >> 1);
    while (this.#length + path.length > this.#lists.length) this.#grow();
    if (path.length > open.length) this.#open = resized(open, 2 * path.length);
    this.#append(path, shared);
    this.#last = path;
  }

  /** Opens a node for each function of `path` from `depth` on. */
  #append(path: Int32Array, depth: number): void {
    const open = this.#open;
    const { parent, frame, total, self, count } = this.#lists;
    let node = this.#length;
    for (let at = depth; at < path.length; at++, node++) {
      parent[node] = at === 0 ? -1 : open[at - 1];
      frame[node] = path[at];
      total[node] = self[node] = count[node] = 0;
      open[at] = node;
    }
    this.#length = node;
    this.#depth = path.length;
  }

  #grow(): void {
    const lists = allocate(this.#lists.length * 2);
    for (const name of ['parent', 'frame', 'total', 'self', 'count'] as const)
      lists[name].set(this.#lists[name]);
    this.#lists = lists;
  }

  /** Ends the open nodes from `depth` on; what is too light goes at once, with all below it. */
  #close(depth: number): void {
    const open = this.#open;
    const { parent, total, self, count } = this.#lists;
    let length = this.#length;
    for (let at = this.#depth - 1; at >= depth; at--) {
      const node = open[at];
      total[node] += self[node];
      const above = parent[node];
      if (above >= 0) {
        total[above] += total[node];
        count[above] += count[node];
      }
      // In preorder, all below a node stand behind it.
      if (total[node] <= this.#threshold) length = node;
    }
    this.#length = length;
    this.#depth = Math.min(this.#depth, depth);
  }

  /** Keeps at most `limit` of the closed nodes, the heaviest, and all open ones. */
  #prune(limit: number): void {
    const { parent, frame, total, self, count } = this.#lists;
    const isOpen = new Set(this.#open.subarray(0, this.#depth));
    const closed = Float64Array.from(total.subarray(0, this.#length)).sort();
    this.#threshold = Math.max(this.#threshold, closed[this.#length - limit - 1] ?? -1);
    const places = new Int32Array(this.#length);
    let next = 0;
    for (let node = 0; node < this.#length; node++) {
      if (total[node] <= this.#threshold && !isOpen.has(node)) continue;
      places[node] = next;
      parent[next] = parent[node] < 0 ? -1 : places[parent[node]];
      frame[next] = frame[node];
      total[next] = total[node];
      self[next] = self[node];
      count[next] = count[node];
      next++;
    }
    for (let at = 0; at < this.#depth; at++) this.#open[at] = places[this.#open[at]];
    this.#length = next;
  }
}

/** The same tree with the heaviest child first. */
export function heaviestFirst(lists: NodeLists): NodeLists {
  const { length, parent, total, frame } = lists;
  const children: number[][] = Array.from({ length: length + 1 }, () => []);
  for (let node = 0; node < length; node++) children[parent[node] + 1].push(node);
  const sorted = allocate(length);
  const waiting: [node: number, above: number][] = [];
  const push = (list: number[], above: number) => {
    list.sort((a, b) => total[a] - total[b] || frame[b] - frame[a]);
    for (const node of list) waiting.push([node, above]);
  };
  push(children[0], -1);
  for (let place = 0; place < length; place++) {
    const [node, above] = waiting.pop() as [number, number];
    sorted.parent[place] = above;
    sorted.frame[place] = frame[node];
    sorted.total[place] = total[node];
    sorted.self[place] = lists.self[node];
    sorted.count[place] = lists.count[node];
    push(children[node + 1], place);
  }
  return sorted;
}
