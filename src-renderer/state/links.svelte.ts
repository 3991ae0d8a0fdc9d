import type { Investigation } from '../../src-main/shared/library/investigation.ts';
import {
  formatLink,
  parseLink,
  SHA_LENGTH,
  type ViewLink,
} from '../../src-main/shared/library/link.ts';
import type { Toasts } from './common/toasts.svelte.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';
import type { Opener } from './investigation/opener.svelte.ts';
import type { Library } from './library/library.svelte.ts';
import { formatCaptureAddress, parseCaptureAddress } from './remote/capture-address.ts';
import type { CaptureFlow } from './remote/capture-flow.svelte.ts';
import { isFirstView } from './timeline/fit-view.ts';
import { bringBack, type Visit } from './visit.ts';

interface Parts {
  readonly library: Pick<Library, 'entries'>;
  readonly investigation: InvestigationState;
  readonly opener: Pick<Opener, 'openEntry'>;
  readonly capture: Pick<CaptureFlow, 'shown' | 'runId' | 'show' | 'hide'>;
  readonly toasts: Toasts;
}

/** `0123456789abcdef` in groups that can be compared by eye. */
const readable = (sha: string) => sha.replace(/.{4}(?=.)/g, '$& ');

/** The entry a link means: the one with its bytes; a link without them means the entry's number. */
export function entryOfLink(
  entries: readonly Investigation[],
  { investigation, sha }: ViewLink,
): Investigation | undefined {
  const numbered = entries.find(({ id }) => id === investigation);
  if (sha === undefined) return numbered;
  const hasBytes = (entry: Investigation) => entry.sha256?.startsWith(sha) === true;
  return numbered !== undefined && hasBytes(numbered) ? numbered : entries.find(hasBytes);
}

/** Opens what links and addresses name. One whose trace is not here waits for it to be imported. */
export class Links {
  readonly #parts: Parts;
  /** `address` puts a fragment in the address bar in place of the one that is there. */
  readonly #replaceAddress: (hash: string) => void;
  #waiting: ViewLink | undefined;

  constructor(parts: Parts, replaceAddress: (hash: string) => void) {
    this.#parts = parts;
    this.#replaceAddress = replaceAddress;
  }

  /** The fragment of the screen, empty for the library; what it had to leave out. */
  get here(): ReturnType<typeof formatLink> {
    const { opened, view } = this.#parts.investigation;
    const { shown, runId } = this.#parts.capture;
    if (opened === undefined)
      return { hash: shown ? formatCaptureAddress(runId) : '', leftOut: [] };
    const { id, sha256 } = this.#known(opened.investigation);
    const { current } = view;
    const says = current !== undefined && !isFirstView(current);
    return formatLink({
      investigation: id,
      ...(sha256 !== undefined && { sha: sha256.slice(0, SHA_LENGTH) }),
      ...(says && { view: current }),
    });
  }

  /** As the list has it: the hash may have come after the trace was opened. */
  #known(investigation: Investigation): Investigation {
    return this.#parts.library.entries?.find(({ id }) => id === investigation.id) ?? investigation;
  }

  /** Shows what a fragment names, as it was where that is known; one that names nothing leaves the screen as it is. */
  async open(hash: string, visit?: Visit): Promise<void> {
    const { investigation, capture, toasts } = this.#parts;
    this.#waiting = undefined;
    const ofCapture = parseCaptureAddress(hash);
    if (ofCapture !== undefined) {
      capture.show(ofCapture.runId);
      return;
    }
    const parsed = parseLink(hash);
    if (parsed.kind === 'none') {
      if (hash !== '' && hash !== '#') return;
      investigation.close();
      capture.hide();
      return;
    }
    if (parsed.kind === 'bad')
      return this.#refuse('This link cannot be read: copy it again, whole.');
    if (parsed.damaged)
      toasts.show('The view of this link cannot be read: the trace opens as you left it.');
    await this.#openLink(parsed.link, visit);
  }

  async #openLink(link: ViewLink, visit?: Visit): Promise<void> {
    const { library, investigation, opener } = this.#parts;
    const entry = entryOfLink(library.entries ?? [], link);
    if (entry === undefined) return this.#miss(link);
    // The number may be another library's: Back must lead here, not there.
    if (entry.id !== link.investigation)
      this.#replaceAddress(formatLink({ ...link, investigation: entry.id }).hash);
    if (investigation.opened?.investigation.id !== entry.id)
      await opener.openEntry(entry, link.view);
    else if (visit !== undefined) await bringBack(investigation, visit, link.view);
    else if (link.view !== undefined) investigation.view.follow(link.view);
  }

  #miss(link: ViewLink): void {
    const { sha } = link;
    if (sha !== undefined) this.#waiting = link;
    this.#refuse(
      sha === undefined
        ? 'That investigation is no longer in the library.'
        : `This link needs a trace that is not in this library, the file whose SHA-256 begins with ${readable(sha)}: import it, then open the link again.`,
    );
  }

  /** What is on the screen stays, and the address says so. */
  #refuse(text: string): void {
    this.#parts.toasts.show(text);
    this.#replaceAddress(this.here.hash);
  }

  /** Opens the link that waits, once its trace is in the library; for an effect, which follows the list. */
  retry(): void {
    const entries = this.#parts.library.entries ?? [];
    const link = this.#waiting;
    if (link === undefined || entryOfLink(entries, link) === undefined) return;
    this.#waiting = undefined;
    const { investigation, toasts } = this.#parts;
    const shown = investigation.opened?.investigation.id;
    if (shown === undefined || shown === entryOfLink(entries, link)?.id) void this.#openLink(link);
    else
      toasts.show('The trace of the link is in the library now.', {
        label: 'Open the link',
        run: () => void this.#openLink(link),
      });
  }
}
