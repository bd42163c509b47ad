// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "tests/support/tool.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/support/run.h"

#include "apps/system.h"
#include "tests/support/temporary.h"

const char tool_cube[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

char* tool_text(const char* path)
{
    void* bytes = NULL;
    size_t size = 0;
    tact_problem problem = {0};
    if (!tact_file_read(path, &bytes, &size, &problem)) fail_msg("%s", problem.text);
    char* text = realloc(bytes, size + 1);
    assert_non_null(text);
    text[size] = '\0';
    at_end(free, text);
    return text;
}

tool_outcome tool_run(const char* arguments)
{
    char command[4096], out[64], err[64];
    snprintf(out, sizeof out, "%s_out.txt", tool_prefix);
    snprintf(err, sizeof err, "%s_err.txt", tool_prefix);
    const int length = snprintf(command, sizeof command, "'%s' %s >%s 2>%s", TACT_PROGRAM, arguments, out, err);
    assert_true(length > 0 && (size_t)length < sizeof command);
    const int status = system(command);
    if (!WIFEXITED(status)) fail_msg("tact %s: it crashed", arguments);
    const tool_outcome o = {WEXITSTATUS(status), tool_text(out), tool_text(err)};
    return o;
}

static bool has_begun(const char* file, const char* err)
{
    struct stat facts;
    return file ? access(file, F_OK) == 0 : stat(err, &facts) == 0 && facts.st_size > 0;
}

tool_outcome tool_stops(const char* arguments, const char* file, int signal, bool also)
{
    char command[4096], out[64], err[64];
    const struct timespec little = {0, 5000000};
    snprintf(out, sizeof out, "%s_out.txt", tool_prefix);
    snprintf(err, sizeof err, "%s_err.txt", tool_prefix);
    const int length = snprintf(command, sizeof command, "exec '%s' %s >%s 2>%s", TACT_PROGRAM, arguments, out, err);
    assert_true(length > 0 && (size_t)length < sizeof command);
    if (file) remove(file);
    remove(err);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        // A shell that runs tests in the background has its programs ignore it.
        const struct sigaction usual = {.sa_handler = SIG_DFL};
        sigaction(signal, &usual, NULL);
        execl("/bin/sh", "sh", "-c", command, (char*)NULL);
        _exit(127);
    }
    for (int i = 0; i < (file ? 12000 : 600) && !has_begun(file, err); ++i)
        nanosleep(&little, NULL);
    kill(child, signal);
    int status = 0;
    pid_t ended = 0;
    // Two that come before the process runs again count as one.
    while (also && (ended = waitpid(child, &status, WNOHANG)) == 0) {
        nanosleep(&little, NULL);
        kill(child, signal);
    }
    if (!also) ended = waitpid(child, &status, 0);
    assert_int_equal(ended, child);
    if (!WIFEXITED(status)) fail_msg("tact %s: it did not end by itself", arguments);
    return (tool_outcome){WEXITSTATUS(status), tool_text(out), tool_text(err)};
}

tool_outcome tool_ends(const char* arguments, int code)
{
    const tool_outcome o = tool_run(arguments);
    tool_expect(arguments, &o, code);
    return o;
}

bool tool_misses(const tool_outcome* o)
{
    if (o->code != 3) return false;
    if (strstr(o->err, "no gl device here")) miss_device(TACT_BACKEND_GL, o->err);
    if (strstr(o->err, "no cl device here")) miss_device(TACT_BACKEND_CL, o->err);
    return true;
}

void tool_expect(const char* arguments, const tool_outcome* o, int code)
{
    if (o->code != code) fail_msg("tact %s: exit %d, not %d\n%s%s", arguments, o->code, code, o->out, o->err);
}

static void delete_json(void* json)
{
    cJSON_Delete(json);
}

cJSON* tool_json(const char* arguments, const tool_outcome* o)
{
    const char* end = NULL;
    cJSON* json = cJSON_ParseWithOpts(o->out, &end, 0);
    if (!json || !cJSON_IsObject(json)) fail_msg("tact %s: no JSON: %s", arguments, o->out);
    at_end(delete_json, json);
    if (strspn(end, " \n") != strlen(end)) fail_msg("tact %s: more than JSON: %s", arguments, end);
    return json;
}

double json_number(const cJSON* json, const char* key)
{
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!cJSON_IsNumber(item)) fail_msg("no number %s", key);
    return item->valuedouble;
}

const char* json_text(const cJSON* json, const char* key)
{
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!cJSON_IsString(item)) fail_msg("no text %s", key);
    return item->valuestring;
}

bool json_truth(const cJSON* json, const char* key)
{
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!cJSON_IsBool(item)) fail_msg("no truth %s", key);
    return cJSON_IsTrue(item);
}

void tool_refuses(const char* arguments, const char* says)
{
    tool_outcome o = tool_run(arguments);
    if (o.code != 2 || !strstr(o.err, says) || strchr(o.err, '\n') != o.err + strlen(o.err) - 1) {
        fail_msg("tact %s: exit %d, says: %s", arguments, o.code, o.err);
    }
    if (strstr(arguments, "--json")) {
        assert_non_null(cJSON_GetObjectItem(tool_json(arguments, &o), "error"));
    } else {
        assert_string_equal(o.out, "");
    }
}

cJSON* tool_json_ends(const char* arguments)
{
    const tool_outcome o = tool_ends(arguments, 0);
    return tool_json(arguments, &o);
}

const cJSON* json_rows(const cJSON* json, int least)
{
    const cJSON* rows = cJSON_GetObjectItem(json, "rows");
    assert_true(cJSON_GetArraySize(rows) >= least);
    return rows;
}

cJSON* tool_json_of(const char* arguments)
{
    char all[2048];
    snprintf(all, sizeof all, "%s --json --quiet", arguments);
    tool_outcome o = tool_run(all);
    cJSON* json = NULL;
    if (!tool_misses(&o)) {
        tool_expect(all, &o, 0);
        assert_string_equal(o.err, "");
        json = tool_json(all, &o);
    }
    return json;
}

void tool_one_digest(const char* arguments, const char* also)
{
    static const char* const who[] = {"reference", "cpu --threads 1", "cpu --threads 2", "cpu --repeat 3", "gl", "cl"};
    char first[17] = "", all[1024];
    for (size_t i = 0; i < sizeof who / sizeof *who; ++i) {
        snprintf(all, sizeof all, "%s --backend %s", arguments, who[i]);
        cJSON* json = tool_json_of(all);
        if (!json) {
            assert_true(i >= 4);
            continue;
        }
        assert_true(json_number(json, "results") > 0.0);
        if (i == 0) memcpy(first, json_text(json, "digest"), 17);
        if (strcmp(first, json_text(json, "digest")) != 0) fail_msg("%s: another digest", all);
    }
    snprintf(all, sizeof all, "%s --backend cpu --quiet --expect 0123456789abcdef", arguments);
    tool_ends(all, 1);
    snprintf(all, sizeof all, "%s --backend cpu --quiet %s --expect %s", arguments, also, first);
    const tool_outcome same = tool_ends(all, 0);
    // The result is printed all the same; progress and warnings are not.
    assert_non_null(strstr(same.out, first));
    assert_string_equal(same.err, "");
}

void write_array(const char* path, const char* type, const char* shape, const void* data, size_t size)
{
    unsigned char bytes[4096];
    memset(bytes, ' ', 128);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int length =
        snprintf((char*)bytes + 10, 100, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    assert_true(length > 0 && length < 100 && size + 128 <= sizeof bytes);
    bytes[10 + length] = ' ';
    bytes[127] = '\n';
    memcpy(bytes + 128, data, size);
    write_file(path, bytes, 128 + size);
}
