/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a recording would say, in place of its own session_notice. */
#ifndef STALLTRACE_SAID_NOTICES_H
#define STALLTRACE_SAID_NOTICES_H

#include <stdarg.h>
#include <stdio.h>
#include "../src/record/session.h"

static unsigned int notices;
/* The last one. */
static char said[1024];

void session_notice(struct session *of, const char *level, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(said, sizeof(said), format, arguments);
	va_end(arguments);
	notices++;
}

#endif
