/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_VERSION_H
#define STALLTRACE_VERSION_H

#define AGENT_VERSION "0.1.0"

#endif /* STALLTRACE_VERSION_H */
