// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "file_text.h"
#include "libc.h"

/* Its banner stands among the constants, within the first two. */
#define MOST_BYTES (4 << 20)

#ifdef __aarch64__
#define TRIPLE "aarch64-linux-gnu"
#define MUSL "/lib/ld-musl-aarch64.so.1"
#else
#define TRIPLE "x86_64-linux-gnu"
#define MUSL "/lib/ld-musl-x86_64.so.1"
#endif

/* Debian's own, then those of Red Hat and SUSE, then where there is one architecture only. */
static const char *const glibc_places[] = {
	"/lib/" TRIPLE, "/usr/lib/" TRIPLE, "/lib64", "/usr/lib64", "/lib", "/usr/lib",
};

/* "GNU C Library (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36." */
static void read_version(struct libc *libc)
{
	static const char banner[] = "GNU C Library", version[] = " release version ";
	char *text = malloc(MOST_BYTES), *at;
	ssize_t length = text ? file_text_read(libc->path, text, MOST_BYTES) : 0;

	if (length > 0 && (at = memmem(text, (size_t)length, banner, strlen(banner))) &&
	    (at = strstr(at, version)))
		sscanf(at + strlen(version), "%3u.%3u", &libc->major, &libc->minor);
	free(text);
}

bool libc_find(const char *root, struct libc *libc)
{
	memset(libc, 0, sizeof(*libc));
	for (size_t i = 0; i < sizeof(glibc_places) / sizeof(*glibc_places); i++) {
		snprintf(libc->path, sizeof(libc->path), "%s%s/libc.so.6", root, glibc_places[i]);
		if (access(libc->path, F_OK))
			continue;
		read_version(libc);
		return true;
	}
	snprintf(libc->path, sizeof(libc->path), "%s%s", root, MUSL);
	libc->musl = !access(libc->path, F_OK);
	return libc->musl;
}
