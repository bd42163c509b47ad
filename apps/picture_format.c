// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/picture_format.h"

#include <string.h>

#include "apps/system.h"

static bool ends_in(const char* path, const char* ending)
{
    const size_t length = strlen(path), size = strlen(ending);
    if (length < size) return false;
    for (size_t i = 0; i < size; ++i) {
        const char c = path[length - size + i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c) != ending[i]) return false;
    }
    return true;
}

tact_picture_format tact_picture_format_of(const char* path)
{
    static const struct {
        const char* ending;
        tact_picture_format format;
    } endings[] = {{".png", TACT_PICTURE_PNG},
                   {".bmp", TACT_PICTURE_BMP},
                   {".tga", TACT_PICTURE_TGA},
                   {".jpg", TACT_PICTURE_JPEG},
                   {".jpeg", TACT_PICTURE_JPEG}};
    if (tact_file_is_stream(path) || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0)
        return TACT_PICTURE_PNG;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
        if (ends_in(path, endings[i].ending)) return endings[i].format;
    return TACT_PICTURE_NONE;
}

bool tact_picture_format_check(const char* option, const char* path, tact_problem* problem)
{
    return tact_picture_format_of(path) != TACT_PICTURE_NONE ||
           tact_problem_set(problem, "--%s %s: the name must end in .png, .bmp, .tga, .jpg or .jpeg", option, path);
}
