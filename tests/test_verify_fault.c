// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What `tact verify` says of a backend that is wrong. The linker puts the functions below between the dispatcher and
// the backends (--wrap), so that one ray's answer, or one pair, is another one: the library itself has no switch for
// that.

#include "tests/support/run.h"

#include "apps/commands.h"
#include "apps/json_out.h"
#include "apps/system.h"
#include "cpu_ref/trace/raycast.h"
#include "tests/support/objects.h"
#include "tests/support/wrong_pairs.h"
#ifdef TACT_HAVE_GPU
#include "gpu/trace/raycast.h"
#endif

static tact_backend broken = TACT_BACKEND_AUTO;  ///< AUTO: none

static void spoil(tact_backend backend, tact_result result, const tact_trace_job* job)
{
    if (backend == broken && result == TACT_OK && job->count > 7) job->hits[7].primitive ^= 1;
}

tact_result __real_tact_raycast_cpu(tact_env* env, const tact_trace_job* job);
tact_result __wrap_tact_raycast_cpu(tact_env* env, const tact_trace_job* job);

tact_result __wrap_tact_raycast_cpu(tact_env* env, const tact_trace_job* job)
{
    const tact_result result = __real_tact_raycast_cpu(env, job);
    spoil(TACT_BACKEND_CPU, result, job);
    return result;
}

#ifdef TACT_HAVE_GPU
tact_result __real_tact_gpu_raycast(tact_device* device, tact_gpu_scene** resident, const tact_trace_job* job,
                                    tact_query_report* report);
tact_result __wrap_tact_gpu_raycast(tact_device* device, tact_gpu_scene** resident, const tact_trace_job* job,
                                    tact_query_report* report);

tact_result __wrap_tact_gpu_raycast(tact_device* device, tact_gpu_scene** resident, const tact_trace_job* job,
                                    tact_query_report* report)
{
    const tact_result result = __real_tact_gpu_raycast(device, resident, job, report);
    spoil(report->backend, result, job);
    return result;
}
#endif

static char* read_text(const char* path)
{
    tact_problem problem = {0};
    void* bytes = NULL;
    size_t size = 0;
    if (!tact_file_read(path, &bytes, &size, &problem)) fail_msg("%s", problem.text);
    char* text = scratch(size + 1);
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(bytes);
    return text;
}

static int verify_of(const char* query, const char* scene, const char* backend, const char* report,
                     tact_problem* problem)
{
    char* arguments[] = {"--quick",      "--query",  (char*)query,  "--scene", (char*)scene, "--backend",
                         (char*)backend, "--report", (char*)report, "--quiet", NULL};
    remove(report);
    return tact_command_verify((int)(sizeof arguments / sizeof arguments[0]) - 1, arguments, problem);
}

static int verify(const char* backend, const char* report, tact_problem* problem)
{
    return verify_of("raycast", "one triangle", backend, report, problem);
}

/// Each query on the backend that answered it.
static int replay(const char* record, tact_problem* problem)
{
    char* arguments[] = {(char*)record, "--quiet", NULL};
    return tact_command_replay(2, arguments, problem);
}

static const char* text_of(const cJSON* json, const char* key)
{
    const cJSON* item = cJSON_GetObjectItem(json, key);
    if (!cJSON_IsString(item)) fail_msg("no text %s", key);
    return item->valuestring;
}

/// The rows of the report: those of `wrong` differ, in one item each, and all others are equal.
static void check_rows(const cJSON* json, const char* wrong, int contestants)
{
    int differ = 0, rows = 0;
    const cJSON* row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "rows"))
    {
        // A device that flushes subnormal numbers leaves some rays to the CPU.
        if (strcmp(text_of(row, "status"), "skipped") == 0) continue;
        const bool bad = strcmp(text_of(row, "status"), "differs") == 0;
        assert_true(bad == (strncmp(text_of(row, "device"), wrong, strlen(wrong)) == 0));
        if (bad) assert_true(cJSON_GetObjectItem(row, "differing")->valuedouble == 1);
        differ += bad;
        ++rows;
    }
    // Three sets of rays in three modes.
    assert_int_equal(differ, 9 * contestants);
    assert_true(rows >= differ);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "differences")), differ);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(json, "passed")));
    assert_true(cJSON_GetObjectItem(json, "differing")->valuedouble == differ);
    assert_true(cJSON_GetObjectItem(json, "failed")->valuedouble == 0);
    const cJSON* first = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "differences"), 0);
    assert_string_equal(text_of(first, "scene"), "one triangle");
    assert_true(cJSON_GetObjectItem(first, "index")->valuedouble == 7);
    assert_true(strlen(text_of(first, "ray")) > 0);
    assert_string_not_equal(text_of(first, "expected"), text_of(first, "got"));
}

/// The backend is wrong, is seen to be, and the record beside the report shows it again: only as long as it is wrong.
static void check_fault(tact_backend backend, const char* name, int contestants)
{
    tact_problem problem = {0};
    char json_path[64], record[96], text_path[64];
    snprintf(json_path, sizeof json_path, "verify_fault_%s.json", name);
    snprintf(text_path, sizeof text_path, "verify_fault_%s.txt", name);
    snprintf(record, sizeof record, "%s.record", json_path);
    remove(record);
    broken = backend;
    assert_int_equal(verify(name, json_path, &problem), TACT_EXIT_CHECK_FAILED);
    assert_non_null(strstr(problem.text, "differ from the reference"));
    char* text = read_text(json_path);
    cJSON* json = cJSON_Parse(text);
    assert_non_null(json);
    check_rows(json, name, contestants);
    cJSON_Delete(json);

    assert_int_equal(verify(name, text_path, &problem), TACT_EXIT_CHECK_FAILED);
    text = read_text(text_path);
    static const char* const says[] = {"DIFFERS", "first difference: one triangle, ", ": number 7 (1 of ", "FAILED",
                                       ".record: tact replay"};
    for (size_t i = 0; i < sizeof says / sizeof says[0]; ++i) {
        if (!strstr(text, says[i])) fail_msg("the report does not say '%s':\n%s", says[i], text);
    }

    // The same answers come again, the wrong one among them; and another one where that backend is right.
    problem = (tact_problem){0};
    if (replay(record, &problem) != TACT_EXIT_DONE) fail_msg("%s", problem.text);
    broken = TACT_BACKEND_AUTO;
    assert_int_equal(replay(record, &problem), TACT_EXIT_CHECK_FAILED);
    assert_non_null(strstr(problem.text, "another answer"));
    assert_int_equal(verify(name, json_path, &problem), TACT_EXIT_DONE);
}

TEST(a_wrong_cpu_is_seen)
{
    check_fault(TACT_BACKEND_CPU, "cpu", 2);  // with all threads and with one
}

static void check_device(tact_backend backend, const char* name)
{
    tact_context* context = new_context(NULL);
    const bool missing = device_missing(context, backend);
    tact_context_destroy(context);
    if (missing) skip_because("the device is missing");
    check_fault(backend, name, 1);
}

TEST(a_wrong_gl_is_seen)
{
    check_device(TACT_BACKEND_GL, "gl");
}

TEST(a_wrong_cl_is_seen)
{
    check_device(TACT_BACKEND_CL, "cl");
}

/// Pairs are compared another way than hits: by the first that is not in both lists.
TEST(wrong_pairs_are_seen)
{
    static const char json_path[] = "verify_fault_pairs.json", record[] = "verify_fault_pairs.json.record";
    tact_problem problem = {0};
    remove(record);
    wrong_pairs = true;
    assert_int_equal(verify_of("pairs", "line", "cpu", json_path, &problem), TACT_EXIT_CHECK_FAILED);
    assert_non_null(strstr(problem.text, "differ from the reference"));
    char* text = read_text(json_path);
    cJSON* json = cJSON_Parse(text);
    assert_non_null(json);
    int rows = 0;
    const cJSON* row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "rows"))
    {
        // Many boxes are too many for the reference: there methods are compared with each other.
        const bool many = cJSON_GetObjectItem(row, "count")->valuedouble > 10000;
        assert_string_equal(text_of(row, "status"), many ? "equal" : "differs");
        rows += !many;
    }
    assert_true(rows > 20);
    assert_true(cJSON_GetObjectItem(json, "differing")->valuedouble == rows);
    const cJSON* first = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "differences"), 0);
    assert_true(cJSON_GetObjectItem(first, "index")->valuedouble == 0);
    assert_string_not_equal(text_of(first, "expected"), text_of(first, "got"));
    cJSON_Delete(json);
    problem = (tact_problem){0};
    if (replay(record, &problem) != TACT_EXIT_DONE) fail_msg("%s", problem.text);
    wrong_pairs = false;
    assert_int_equal(replay(record, &problem), TACT_EXIT_CHECK_FAILED);
    assert_non_null(strstr(problem.text, "another answer"));
    assert_int_equal(verify_of("pairs", "line", "cpu", json_path, &problem), TACT_EXIT_DONE);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
