/** `text`, where the functions that `title` names with their files, as in `keep (train.py:9)`, go by their names alone, written by `write`. */
export function inBrief(title: string, text: string, write = (name: string) => name): string {
  return [...title.matchAll(/([^\s`]+) \([^()`]*:\d+\)/g)].reduce(
    (said, [place, name]) => said.replaceAll(place, () => write(name)),
    text,
  );
}
