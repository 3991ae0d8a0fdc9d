/**
 * Scripts that make and remove what is ours on a host. They walk down by `cd`, so that what they do is
 * done in the folder that was looked at, wherever its path leads meanwhile; they follow no link, leave
 * the disk they began on never, and remove files by exact name only.
 */

/** Marks a folder of ours on a host, and that of a run, which holds the run's id. */
const MARKER = '.stalltrace';
/** Its first words: deploy/folder-script.ts. */
const MARKED = 'stalltrace-folder';
const RUN_MARKER = '.stalltrace-run';

/** Answers are lines: `freed BYTES`, `left NAME`, `refused WHY`, and one that says all was done. */
const WALK = `
LC_ALL=C; export LC_ALL; unset CDPATH
umask 077
refuse() { printf 'refused %s\\n' "$1"; exit 0; }
device_of() { stat -c %d -- "$1" 2>/dev/null; }
# Into the real folder $1 on the same disk; nothing else.
enter() {
  [ ! -L "$1" ] && [ -d "$1" ] || return 1
  cd -P -- "./$1" 2>/dev/null || return 1
  here=$here/$1
  [ "$(pwd -P)" = "$here" ] || refuse "$1 is somewhere else than it was"
  [ -O . ] || refuse "$1 is another user's"
  [ "$(device_of .)" = "$device" ] || refuse "$1 is another disk"
}
leave() { cd -P .. && here=\${here%/*} && [ "$(pwd -P)" = "$here" ] || refuse "the folder was moved"; }
# Whether $1 is certainly not there: below a folder that can't be entered, nobody knows.
is_gone() {
  at=$1
  until [ -e "$at" ] || [ -L "$at" ]; do at=\${at%/*}; at=\${at:-/}; done
  [ "$at" != "$1" ] && [ -d "$at" ] && [ -x "$at" ]
}
# Into our own folder $1.
enter_base() {
  if is_gone "$1"; then echo gone; exit 0; fi
  cd -P -- "$1" 2>/dev/null || refuse "it can't be entered"
  here=$(pwd -P)
  [ "$here" = "$1" ] || refuse "its path leads somewhere else"
  [ -O . ] || refuse "it is another user's"
  marker=
  if [ -f ${MARKER} ] && [ ! -L ${MARKER} ]; then IFS= read -r marker < ${MARKER}; fi
  case $marker in '${MARKED} '*) ;; *) refuse "it has no marker of Stalltrace" ;; esac
  device=$(device_of .)
  [ -n "$device" ] || refuse "which disk it is on can't be told (stat)"
}
bytes_of() { set -- $(ls -dn -- "./$1"); echo "$5"; }
# A plain file of the name $1, counted.
drop() {
  [ ! -L "$1" ] && [ -f "$1" ] || return 0
  bytes=$(bytes_of "$1")
  rm -f -- "./$1" && printf 'freed %s\\n' "$bytes"
}
# Whether there is nothing here but $1.
has_only() {
  for name in * .[!.]* ..?*; do
    if [ -e "$name" ] || [ -L "$name" ]; then [ "$name" = "$1" ] || return 1; fi
  done
}
is_there() { [ -e "$1" ] || [ -L "$1" ]; }
# What is here and not ours.
tell_left() {
  for name in * .[!.]* ..?*; do
    [ -e "$name" ] || [ -L "$name" ] || continue
    [ "$name" = "$1" ] || printf 'left %s/%s\\n' "$here" "$(printf %s "$name" | tr -c '[:print:]' '?')"
  done | head -n 50
}
`;

/** $1 our folder, $2 the run's id. Prints `made ‹real path of our folder›`. */
export const MAKE_RUN_FOLDER = `${WALK}
cd -P -- "$1" 2>/dev/null || { echo gone; exit 0; }
base=$(pwd -P)
enter_base "$base"
[ -d captures ] || mkdir captures || refuse "no folder can be made in it"
enter captures || refuse "captures is no folder of ours"
mkdir -- "$2" || refuse "no folder can be made in it"
enter "$2" || refuse "the run's folder can't be entered"
if ! printf '%s\\n' "$2" > ${RUN_MARKER}; then
  rm -f -- ./${RUN_MARKER}
  leave
  rmdir -- "./$2"
  refuse "nothing can be written there"
fi
printf 'made %s\\n' "$base"
`;

/** Into the folder of the run $2 in our folder $1; `done` where there is none. */
const ENTER_RUN = `${WALK}
enter_base "$1"
is_there captures || { echo done; exit 0; }
enter captures || refuse "captures is no folder of ours"
is_there "$2" || { echo done; exit 0; }
enter "$2" || refuse "$2 is no folder of ours"
# Its making was cut off before its marker.
if has_only ''; then leave; rmdir -- "./$2" && echo done; exit 0; fi
[ -f ${RUN_MARKER} ] && [ ! -L ${RUN_MARKER} ] && [ "$(head -c 200 ${RUN_MARKER})" = "$2" ] ||
  refuse "$2 has not the marker of this capture"
`;

/**
 * $1 our folder, $2 the run's id, $3 its trace's name. Removes the trace alone, of a run whose command
 * still writes its output beside it.
 */
export const REMOVE_TRACE = `${ENTER_RUN}
for name in "$3" "$3-wal" "$3-shm" "$3-journal"; do drop "$name"; done
echo done
`;

/** $1 our folder, $2 the run's id, $3 its trace's name. Prints `done` once nothing of it is left. */
export const REMOVE_RUN_FOLDER = `${ENTER_RUN}
for name in "$3" "$3-wal" "$3-shm" "$3-journal" "$3.output"; do drop "$name"; done
tell_left ${RUN_MARKER}
# The marker last: until then it can be done again.
has_only ${RUN_MARKER} || exit 0
drop ${RUN_MARKER}
leave
rmdir -- "./$2" && echo done
`;

/**
 * $1 a folder of ours. Removes the agents, the folder itself, and the place it is in if we made that; prints `used` where captures are in it,
 * `done` once nothing is left.
 */
export const REMOVE_BASE = `${WALK}
enter_base "$1"
if [ -d captures ] && [ ! -L captures ]; then rmdir ./captures 2>/dev/null; fi
if is_there captures; then echo used; exit 0; fi
# No capture has a place: one whose beginning was cut off before the agent wrote down what it is goes.
if enter runs; then
  for run in *; do
    case $run in *[!0-9a-f]*) continue ;; esac
    enter "$run" || continue
    if ! is_there run.json; then for name in events.ndjson log run.json.part; do drop "$name"; done; fi
    leave
    rmdir -- "./$run" 2>/dev/null
  done
  tell_left
  leave
  rmdir ./runs 2>/dev/null
fi
if enter agent; then
  for version in *; do
    case $version in *[!0-9A-Za-z.+-]* | [!0-9]*) continue ;; esac
    enter "$version" || continue
    for name in stalltrace-agent stalltrace-agent.* .stalltrace-agent* libstalltrace-inside.so; do drop "$name"; done
    tell_left
    leave
    rmdir -- "./$version" 2>/dev/null
  done
  tell_left
  leave
  rmdir ./agent 2>/dev/null
fi
tell_left ${MARKER}
has_only ${MARKER} || exit 0
drop ${MARKER}
cd -P .. && rmdir -- "$1" && echo done
# The place too where we made it, and nobody has put anything there since.
case $marker in *' place') place=$(pwd -P) && cd / && rmdir -- "$place" 2>/dev/null ;; esac
exit 0
`;

/** $1 a folder of ours. Prints `run ID` for each capture's folder in it. */
export const LIST_RUN_FOLDERS = `${WALK}
enter_base "$1"
is_there captures || { echo done; exit 0; }
enter captures || refuse "captures is no folder of ours"
for name in *; do
  if [ -d "$name" ] && [ ! -L "$name" ]; then printf 'run %s\\n' "$(printf %s "$name" | tr -c '[:print:]' '?')"; fi
done | head -n 1000
echo done
`;
