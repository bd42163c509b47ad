// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/kernel_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The name of source file `number`, not terminated.
static const char* find_file(const char* source, unsigned long number, size_t* length)
{
    static const char MARK[] = "// file ";
    for (const char* line = source; line && *line;) {
        if (strncmp(line, MARK, sizeof MARK - 1) == 0) {
            char* end = NULL;
            const unsigned long found = strtoul(line + sizeof MARK - 1, &end, 10);
            if (found == number && strncmp(end, ": ", 2) == 0) {
                *length = strcspn(end + 2, "\r\n");
                return end + 2;
            }
        }
        const char* next = strchr(line, '\n');
        line = next ? next + 1 : NULL;
    }
    return NULL;
}

static size_t append(char* out, size_t size, size_t used, const char* text, size_t length)
{
    if (length > size - 1 - used) length = size - 1 - used;
    memcpy(out + used, text, length);
    return used + length;
}

void tact_kernel_log_translate(const char* source, const char* log, char* out, size_t size)
{
    static const char* const PREFIXES[] = {"ERROR: ", "WARNING: "};
    size_t used = 0;
    while (*log && used < size - 1) {
        const size_t length = strcspn(log, "\n") + (strchr(log, '\n') != NULL);
        size_t start = 0;
        for (size_t i = 0; i < sizeof PREFIXES / sizeof PREFIXES[0]; ++i) {
            const size_t prefix = strlen(PREFIXES[i]);
            if (strncmp(log, PREFIXES[i], prefix) == 0) start = prefix;
        }
        const size_t digits = strspn(log + start, "0123456789");
        const char after = log[start + digits];
        size_t name_length = 0;
        const char* name = NULL;
        // Mesa and Intel write "file:line", NVIDIA "file(line)".
        if (digits > 0 && digits < 10 && (after == ':' || after == '(')) {
            name = find_file(source, strtoul(log + start, NULL, 10), &name_length);
        }
        if (name) {
            used = append(out, size, used, log, start);
            used = append(out, size, used, name, name_length);
            used = append(out, size, used, log + start + digits, length - start - digits);
        } else {
            used = append(out, size, used, log, length);
        }
        log += length;
    }
    out[used] = '\0';
}
