# libc.symbols → a stand-in for one library to link against, in assembly, and its version script.
#   awk -v library=libc.so.6 -v oldest=GLIBC_2.17 -v script=libc.map -f stub-libc.awk libc.symbols
/^#/ || $1 != library { next }
{
	version = oldest ? oldest : $2
	for (i = 3; i <= NF; i++) {
		print ".globl " $i "\n.type " $i ", %function\n" $i ":"
		symbols[version] = symbols[version] " " $i ";"
	}
}
END {
	print ".section .note.GNU-stack, \"\", %progbits"
	for (version in symbols)
		print version " { global:" symbols[version] " };" > script
}
