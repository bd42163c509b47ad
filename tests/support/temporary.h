// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Files that tests make, in the folder they run in (the build's).

static inline void write_file(const char* path, const void* bytes, size_t size)
{
    FILE* file = fopen(path, "wb");
    if (!file || (size > 0 && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0) {
        perror(path);
        abort();
    }
}
