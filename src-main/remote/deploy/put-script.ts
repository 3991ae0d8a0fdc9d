import { claimFunction, folderFunctions } from './folder-script.ts';

/** Printed when the script waits for the agent's bytes. */
export const READY = 'ready\n';

/**
 * $1: a nonce; $2: an id for new folders; $3, $4: the places of traces and of the agent; $5: its folder
 * below ours; $6: SHA-256; $7: bytes, or `there`: nothing is sent; $8: `gzip` or `plain`, how they come.
 * Ends with a line `done`, or with `failed WHAT WHY`. A file is called by its name only when it is whole.
 */
export const putScript = `${folderFunctions}${claimFunction}
nonce=$1 id=$2 traces=$3 place=$4 folder=$5 sum=$6 bytes=$7 packing=$8
stop() { say failed "$1" "$(flat "$2")"; exit 1; }
claim "$traces" "$id" || stop "$traces" "$problem"
claim "$place" "$id" || stop "$place" "$problem"
if [ "$bytes" = there ]; then say done; exit 0; fi
folder=$base/$folder
temp=$folder/.stalltrace-agent.$nonce
said=$(mkdir -p "$folder" 2>&1) || stop "$place" "$said"
# Of uploads that a broken link ended before they could clean up.
find "$base/agent" -name '.stalltrace-agent.*' -mmin +5 -exec rm -f {} \\; 2>/dev/null
printf '${READY.trim()}\\n'
if [ "$packing" = gzip ]; then gzip -dc > "$temp"; else cat > "$temp"; fi
status=$?
size=$(wc -c < "$temp")
if [ "$status" != 0 ] || [ "$size" -ne "$bytes" ]; then rm -f "$temp"; stop upload "$size of $bytes bytes"; fi
if [ "$(hash_of "$temp")" != "$sum" ]; then rm -f "$temp"; stop hash ''; fi
said=$( (chmod 700 "$temp" && mv -f "$temp" "$folder/stalltrace-agent") 2>&1) || { rm -f "$temp"; stop "$place" "$said"; }
say version "$("$folder/stalltrace-agent" version --json 2>&1 </dev/null | head -n 1)"
say done
`;
