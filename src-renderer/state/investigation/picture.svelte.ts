import type { Api } from '../../../src-main/contract/api.ts';
import type { PictureRequest } from '../../../src-main/shared/answers/report.ts';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';

/** The trace and the part of it that a picture shows. */
export interface PictureSubject {
  readonly traceId: string;
  readonly investigation: number;
  readonly view: SavedView;
}

export type PictureWish = Pick<PictureRequest, 'widthPx' | 'theme' | 'hidePrivate'>;

/** Pictures of the timeline as the host draws them; of several asked for in a row the last one counts. */
export class PictureState {
  readonly #api: Api;
  #asked = 0;
  #svg = $state.raw<string | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #isDrawing = $state(false);

  constructor(api: Api) {
    this.#api = api;
  }

  /** The last picture that was drawn; it stays while the next one is on its way. */
  get svg(): string | undefined {
    return this.#svg;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get isDrawing(): boolean {
    return this.#isDrawing;
  }

  async draw(subject: PictureSubject, wish: PictureWish): Promise<void> {
    const asked = ++this.#asked;
    this.#isDrawing = true;
    const drawn = await this.#api.call('report.picture', { ...subject, ...wish });
    if (asked !== this.#asked) return;
    this.#isDrawing = false;
    this.#failure = drawn.ok ? undefined : drawn.error;
    this.#svg = drawn.ok ? drawn.value.svg : undefined;
  }

  /** Forgets the picture; what is on its way is nobody's any more. */
  clear(): void {
    this.#asked++;
    this.#svg = undefined;
    this.#failure = undefined;
    this.#isDrawing = false;
  }
}
