// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Which C library programs have, on machines of different kinds: files where their systems put them. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../src/host/libc.h"

#ifdef __aarch64__
#define MUSL "/lib/ld-musl-aarch64.so.1"
#else
#define MUSL "/lib/ld-musl-x86_64.so.1"
#endif

static char root[] = "/tmp/stalltrace-libc-XXXXXX";

static void in_root(char *path, const char *name)
{
	sprintf(path, "%s%s", root, name);
}

/* 1 MB of constants before the text, as in a real one; NULs among them. */
static void write_library(const char *name, const char *text)
{
	static char constants[1 << 20];
	char path[200];
	FILE *file;

	in_root(path, name);
	file = fopen(path, "w");
	assert(file);
	assert(fwrite(constants, sizeof(constants), 1, file) == 1);
	assert(fwrite(text, strlen(text) + 1, 1, file) == 1);
	assert(!fclose(file));
}

static void expect_version(const char *banner, unsigned int major, unsigned int minor)
{
	struct libc libc;

	write_library("/lib64/libc.so.6", banner);
	assert(libc_find(root, &libc) && !libc.musl);
	assert(libc.major == major && libc.minor == minor);
	assert(strstr(libc.path, "/lib64/libc.so.6"));
}

static void make_folder(const char *name)
{
	char path[200];

	in_root(path, name);
	assert(!mkdir(path, 0700));
}

static void forget(const char *name)
{
	char path[200];

	in_root(path, name);
	assert(!remove(path));
}

int main(void)
{
	struct libc libc;

	assert(mkdtemp(root));
	assert(!libc_find(root, &libc));
	make_folder("/lib");
	write_library(MUSL, "musl libc");
	assert(libc_find(root, &libc) && libc.musl);
	/* Debian's package musl beside the system's glibc. */
	make_folder("/lib64");
	expect_version("GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\n", 2, 36);
	expect_version("GNU C Library (GNU libc) stable release version 2.12, by Roland.\n", 2, 12);
	expect_version("GNU C Library (GNU libc) development release version 2.41.9000.\n", 2, 41);
	expect_version("GNU C Library", 0, 0);
	expect_version(" release version 2.36", 0, 0);
	expect_version("GNU C Library release version 99999999999999999999.1", 999, 0);
	expect_version("", 0, 0);
	forget("/lib64/libc.so.6");
	make_folder("/lib64/libc.so.6");
	assert(libc_find(root, &libc) && !libc.major);
	forget("/lib64/libc.so.6");
	forget("/lib64");
	forget(MUSL);
	forget("/lib");
	forget("");
	/* Whatever this machine has. */
	if (libc_find("", &libc))
		assert(libc.musl || (libc.major == 2 && libc.minor >= 17));
	return 0;
}
