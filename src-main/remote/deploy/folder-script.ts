/** First word of our folder's marker file and its format; a random id follows. */
const MARKER = 'stalltrace-folder 1';

/** Of our folder on a host. `/tmp/stalltrace-‹uid›` is the agent's own, for runs that are started by hand. */
export function folderName(uid: number): string {
  return `${FOLDER}${uid}`;
}
const FOLDER = 'stalltrace-remote-';

/**
 * Shell functions of all scripts that touch our folder. `base_problem DIR` prints why a folder is not
 * ours (`unmarked-empty`: it may become ours). /tmp is everybody's: what stands there already, a link
 * or a folder of others, is never written to.
 */
export const folderFunctions = `
LC_ALL=C; export LC_ALL
umask 077
unset CDPATH
uid=$(id -u)
name=${FOLDER}$uid
flat() { printf '%s' "$1" | tr '\\n\\t\\r' '   ' | cut -c 1-400; }
say() { printf '%s' "$1"; shift; for field in "$@"; do printf '\\t%s' "$field"; done; printf '\\n'; }
hash_of() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum < "$1"
  elif command -v shasum >/dev/null 2>&1; then shasum -a 256 < "$1"
  elif command -v openssl >/dev/null 2>&1; then openssl dgst -sha256 -r < "$1"
  elif command -v busybox >/dev/null 2>&1; then busybox sha256sum < "$1"
  else chmod 700 "$1" && echo hash | "$1" send --file "$1" | sed -n 's/.*"event":"hash".*"sha256":"\\([0-9a-f]*\\)".*/\\1/p'
  fi 2>/dev/null | tr -d '*\\\\' | cut -d ' ' -f 1
}
base_problem() {
  if [ -L "$1" ]; then echo link; return; fi
  if [ ! -d "$1" ]; then echo no-folder; return; fi
  folder=$1
  set -- $(ls -ldn "$folder" 2>/dev/null)
  if [ "$3" != "$uid" ]; then echo foreign; return; fi
  case $1 in drwx--[-S]---*) ;; *) echo open; return ;; esac
  if [ -L "$folder/.stalltrace" ]; then echo unmarked; return; fi
  # Listed before the marker is read: who makes our folder at this moment marks it before anything else.
  others=$(ls -A "$folder" | grep -v '^\\.stalltrace$')
  marker=
  if [ -f "$folder/.stalltrace" ]; then IFS= read -r marker < "$folder/.stalltrace"; fi
  case $marker in
    '${MARKER} '*) ;;
    ?*) echo format ;;
    *) if [ -z "$others" ]; then echo unmarked-empty; else echo unmarked; fi ;;
  esac
}
`;

/** `claim PLACE ID`: our folder there, made and marked where it is missing; sets `base` or `problem`. */
export const claimFunction = `
claim() {
  base=$1/$name
  problem=
  # A place that we make goes with our folder.
  made=
  if [ ! -d "$1" ]; then
    if problem=$(mkdir -m 700 "$1" 2>&1); then made=' place'
    # Another Stalltrace may have made it just now.
    elif [ ! -d "$1" ]; then problem=$(flat "$problem"); return 1
    fi
  fi
  if [ ! -e "$base" ] && [ ! -L "$base" ]; then
    problem=$(mkdir -m 700 "$base" 2>&1) || [ -d "$base" ] || { problem=$(flat "$problem"); return 1; }
  fi
  problem=$(base_problem "$base")
  if [ "$problem" = unmarked-empty ]; then
    mark=$base/.stalltrace
    # Another Stalltrace may be writing it just now.
    (set -C; printf '%s\\n' "${MARKER} $2$made" > "$mark") 2>/dev/null || sleep 1
    if [ ! -s "$mark" ]; then
      problem=$( (printf '%s\\n' "${MARKER} $2$made" > "$mark") 2>&1) || { problem=$(flat "$problem"); return 1; }
    fi
    problem=$(base_problem "$base")
  fi
  [ -z "$problem" ]
}
`;
