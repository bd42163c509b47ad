// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/json_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

void tact_json_number(cJSON* object, const char* key, double value)
{
    if (isfinite(value)) {
        cJSON_AddNumberToObject(object, key, value);
    } else {
        cJSON_AddNullToObject(object, key);
    }
}

void tact_json_time(cJSON* object, const char* key, double milliseconds)
{
    char text[64];
    snprintf(text, sizeof text, "%.6g", milliseconds);
    tact_json_number(object, key, strtod(text, NULL));
}

void tact_json_count(cJSON* object, const char* key, uint64_t value)
{
    cJSON_AddNumberToObject(object, key, (double)value);
}

void tact_json_text(cJSON* object, const char* key, const char* value)
{
    cJSON_AddStringToObject(object, key, value);
}

void tact_json_truth(cJSON* object, const char* key, bool value)
{
    cJSON_AddBoolToObject(object, key, value);
}

cJSON* tact_json_object(cJSON* object, const char* key)
{
    return cJSON_AddObjectToObject(object, key);
}

cJSON* tact_json_array(cJSON* object, const char* key)
{
    return cJSON_AddArrayToObject(object, key);
}

cJSON* tact_json_append(cJSON* array)
{
    cJSON* object = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

void tact_json_spread(cJSON* object, const char* key, const tact_spread* spread)
{
    cJSON* entry = tact_json_object(object, key);
    tact_json_time(entry, "median", spread->median);
    tact_json_time(entry, "min", spread->low);
    tact_json_time(entry, "max", spread->high);
}

void tact_json_counts(cJSON* object, const tact_device_counts* c)
{
    cJSON* counts = tact_json_object(object, "counts");
    tact_json_count(counts, "launches", c->launches);
    tact_json_count(counts, "waits", c->waits);
    tact_json_count(counts, "bytes_up", c->bytes_up);
    tact_json_count(counts, "bytes_down", c->bytes_down);
    tact_json_count(counts, "allocations", c->allocations);
    if (c->kernel_bytes == 0) return;
    tact_json_count(counts, "kernel_bytes", c->kernel_bytes);
    tact_json_count(counts, "memory_bytes", c->memory_bytes);
}

void tact_json_query(cJSON* object, const char* command, const tact_query_report* report, uint64_t count,
                     uint64_t results, const char* digest)
{
    tact_json_text(object, "command", command);
    tact_json_text(object, "backend", tact_backend_name(report->backend));
    tact_json_text(object, "device", report->device);
    tact_json_truth(object, "software", report->software);
    if (report->exact) {
        tact_json_truth(object, "exact", true);
    } else {
        tact_json_number(object, "exact", report->tolerance);
    }
    tact_json_count(object, "threads", (uint64_t)(report->threads > 0 ? report->threads : 0));
    tact_json_count(object, "count", count);
    tact_json_count(object, "results", results);
    tact_json_text(object, "digest", digest);
    cJSON* times = tact_json_object(object, "time_ms");
    tact_json_time(times, "build", report->build_ms);
    tact_json_time(times, "upload", report->upload_ms);
    tact_json_time(times, "query", report->query_ms);
    tact_json_time(times, "download", report->download_ms);
    tact_json_time(times, "total", report->total_ms);
    tact_json_count(object, "memory_bytes", report->memory_bytes);
    tact_json_text(object, "reason", report->reason);
}

static bool printed;

bool tact_json_print(const cJSON* object, tact_problem* problem)
{
    char* text = cJSON_Print(object);
    if (!text) return tact_problem_out_of_memory(problem, "the JSON text");
    printed = true;
    tact_system_note_signals();
    const bool good = puts(text) >= 0;
    cJSON_free(text);
    return good || tact_problem_set(problem, "standard output: writing failed");
}

static cJSON* problem_object(const char* command, const tact_problem* problem)
{
    cJSON* root = cJSON_CreateObject();
    tact_json_text(root, "command", command);
    cJSON* error = tact_json_object(root, "error");
    tact_json_text(error, "message", problem->text);
    tact_json_count(error, "exit_status", (uint64_t)problem->exit_code);
    if (problem->result != TACT_OK) tact_json_text(error, "result", tact_result_name(problem->result));
    return root;
}

void tact_json_print_problem(const char* command, const tact_problem* problem)
{
    if (printed) return;
    cJSON* root = problem_object(command, problem);
    // What cannot be written has a line on standard error.
    tact_problem unsaid = {0};
    tact_json_print(root, &unsaid);
    cJSON_Delete(root);
}

char* tact_json_problem_text(const char* command, const tact_problem* problem)
{
    cJSON* root = problem_object(command, problem);
    char* text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

bool tact_json_write(const char* path, const cJSON* object, tact_problem* problem)
{
    char* text = cJSON_Print(object);
    if (!text) return tact_problem_out_of_memory(problem, "the JSON text");
    const bool good = tact_file_replace(path, text, strlen(text), "\n", 1, problem);
    cJSON_free(text);
    return good;
}
