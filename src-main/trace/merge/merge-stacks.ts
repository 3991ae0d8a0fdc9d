import { NONE } from '../../shared/model/schema.ts';
import { frameLanguages, type Stacks } from '../../shared/model/stacks.ts';
import { StackBuilder } from '../build/stacks.ts';

/** The call stacks of all traces, each once, and for each trace where its own are now. */
export function mergeStacks(all: readonly Stacks[]): { stacks: Stacks; places: Int32Array[] } {
  const builder = new StackBuilder();
  const done = new Map<Stacks, Int32Array>();
  const places = all.map((stacks) => {
    const known = done.get(stacks) ?? addStacks(builder, stacks);
    done.set(stacks, known);
    return known;
  });
  return { stacks: builder.build(), places };
}

/** Texts, then frames, then stacks, each in its order: so those of the first trace keep their numbers. */
function addStacks(builder: StackBuilder, { texts, frames, length, prefix, frame }: Stacks) {
  const textPlaces = texts.map((text) => builder.text(text));
  const framePlaces = Int32Array.from({ length: frames.length }, (_, at) =>
    builder.frame(
      textPlaces[frames.symbol[at]],
      textPlaces[frames.file[at]] ?? NONE,
      frames.line[at],
      frameLanguages[frames.language[at]],
    ),
  );
  const places = new Int32Array(length);
  for (let at = 0; at < length; at++) {
    const caller = prefix[at];
    places[at] = builder.stack(caller === NONE ? NONE : places[caller], framePlaces[frame[at]]);
  }
  return places;
}
