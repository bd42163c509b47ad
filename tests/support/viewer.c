// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "tests/support/viewer.h"

#include <sys/wait.h>
#include "tests/support/run.h"

#include "tests/support/temporary.h"

void viewer_need_display(void)
{
    if (system("command -v xvfb-run >/dev/null 2>&1") != 0) skip_because("no xvfb-run");
}

cJSON* viewer_play(const char* what, const char* events, const char* options)
{
    char line[1024], played[64], out[64], err[64];
    viewer_need_display();
    snprintf(played, sizeof played, "%s.events", tool_prefix);
    snprintf(out, sizeof out, "%s_out.txt", tool_prefix);
    snprintf(err, sizeof err, "%s_err.txt", tool_prefix);
    write_file(played, events, strlen(events));
    snprintf(line, sizeof line, "xvfb-run -a '" TACT_PROGRAM "' view %s --size %dx%d --events %s --json %s >%s 2>%s",
             what, VIEWER_WIDTH, VIEWER_HEIGHT, played, options, out, err);
    const int status = system(line);
    tool_outcome o = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, tool_text(out), tool_text(err)};
    tool_expect(line, &o, 0);
    cJSON* json = tool_json(line, &o);
    assert_true(json_number(json, "gl_errors") == 0.0);
    return json;
}

void viewer_refuses(const char* what, const char* says)
{
    char line[1024], err[64], code[64];
    viewer_need_display();
    snprintf(err, sizeof err, "%s_err.txt", tool_prefix);
    snprintf(code, sizeof code, "%s_code.txt", tool_prefix);
    // The status of xvfb-run is at times that of clearing up behind a program that ends at once.
    snprintf(line, sizeof line, "xvfb-run -a sh -c \"'" TACT_PROGRAM "' view %s 2>%s; echo \\$? >%s\"", what, err,
             code);
    if (system(line) < 0) fail_msg("%s", line);
    if (strcmp(tool_text(code), "2\n") != 0 || !strstr(tool_text(err), says)) {
        fail_msg("%s: exit %s, says: %s", line, tool_text(code), tool_text(err));
    }
}

const cJSON* viewer_item(const cJSON* json, const char* key)
{
    const cJSON* found = cJSON_GetObjectItem(json, key);
    if (!found) fail_msg("no %s", key);
    return found;
}

const cJSON* viewer_shown_item(const cJSON* json, int place, int items)
{
    const cJSON* recording = viewer_item(json, "recording");
    if (json_number(recording, "item") != place || json_number(recording, "items") != items) {
        fail_msg("item %g of %g, not %d of %d", json_number(recording, "item"), json_number(recording, "items"), place,
                 items);
    }
    return recording;
}

bool viewer_same_pictures(const char* a, const char* b)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    size_t size = 0;
    bool same = true;
    assert_non_null(x);
    assert_non_null(y);
    for (int c = 0; c != EOF; ++size) {
        c = fgetc(x);
        same = same && c == fgetc(y);
        if (!same && c != EOF) c = 0;
    }
    fclose(x);
    fclose(y);
    if (size < 2000) fail_msg("%s: %zu bytes", a, size);
    return same;
}

/// A number of a head, little endian.
static size_t number_at(const unsigned char* bytes)
{
    return bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
}

size_t viewer_pixels(const char* path, const unsigned char rgb[3])
{
    const unsigned char* file = (const unsigned char*)tool_text(path);
    assert_true(file[0] == 'B' && file[1] == 'M' && file[28] == 24);
    const size_t width = number_at(file + 18), height = number_at(file + 22), row = (3 * width + 3) / 4 * 4;
    const unsigned char* pixels = file + number_at(file + 10);
    size_t count = 0;
    for (size_t i = 0; i < width * height; ++i) {
        const unsigned char* p = pixels + i / width * row + i % width * 3;
        count += abs(p[0] - rgb[2]) < 8 && abs(p[1] - rgb[1]) < 8 && abs(p[2] - rgb[0]) < 8;
    }
    return count;
}
