// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/device_model.h"

#include <cJSON.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

#define NUMBER(key)                            \
    {                                          \
#key, offsetof(tact_device_model, key) \
    }
static const struct {
    const char* key;
    size_t at;
} numbers[] = {
    NUMBER(launch_us),  NUMBER(start_us),   NUMBER(wait_us),   NUMBER(transfer_us), NUMBER(allocate_us),
    NUMBER(up_gbs),     NUMBER(down_gbs),   NUMBER(host_gbs),  NUMBER(memory_gbs),  NUMBER(cache_gbs),
    NUMBER(accesses_g), NUMBER(latency_ns), NUMBER(atomics_g),
};

static bool take_number(const cJSON* root, size_t i, const char* path, tact_device_model* model, tact_problem* problem)
{
    const cJSON* item = cJSON_GetObjectItem(root, numbers[i].key);
    if (!cJSON_IsNumber(item)) return tact_problem_set(problem, "%s: no number \"%s\"", path, numbers[i].key);
    memcpy((char*)model + numbers[i].at, &item->valuedouble, sizeof(double));
    return true;
}

static bool take_name(const cJSON* root, const char* path, tact_device_model* model, tact_problem* problem)
{
    const char* name = cJSON_GetStringValue(cJSON_GetObjectItem(root, "name"));
    if (!name || !*name || strlen(name) >= sizeof model->name) {
        return tact_problem_set(problem, "%s: no \"name\" of 1 to %zu characters", path, sizeof model->name - 1);
    }
    snprintf(model->name, sizeof model->name, "%s", name);
    return true;
}

/// What is not known is an error: a number under another name would leave the one that was meant as it is.
static bool check_keys(const cJSON* root, const char* path, tact_problem* problem)
{
    const cJSON* item;
    cJSON_ArrayForEach(item, root)
    {
        const char* key = item->string ? item->string : "";
        bool known = strcmp(key, "name") == 0 || strcmp(key, "about") == 0 || strcmp(key, "source") == 0 ||
                     strcmp(key, "memory_bytes") == 0 || strcmp(key, "flushes_subnormals") == 0;
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
            known = known || strcmp(key, numbers[i].key) == 0;
        if (!known) return tact_problem_set(problem, "%s: \"%s\" is nothing that a device has", path, key);
    }
    return true;
}

static bool take(const cJSON* root, const char* path, tact_device_model* model, tact_problem* problem)
{
    if (!cJSON_IsObject(root)) return tact_problem_set(problem, "%s: no JSON object", path);
    if (!check_keys(root, path, problem) || !take_name(root, path, model, problem)) return false;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        if (!take_number(root, i, path, model, problem)) return false;
    const cJSON* bytes = cJSON_GetObjectItem(root, "memory_bytes");
    const double most = 0x1p53;
    if (bytes && !(cJSON_IsNumber(bytes) && bytes->valuedouble >= 0.0 && bytes->valuedouble <= most)) {
        return tact_problem_set(problem, "%s: \"memory_bytes\" is no number of bytes", path);
    }
    model->memory_bytes = bytes ? (uint64_t)bytes->valuedouble : 0;
    const cJSON* flushes = cJSON_GetObjectItem(root, "flushes_subnormals");
    if (flushes && !cJSON_IsBool(flushes)) {
        return tact_problem_set(problem, "%s: \"flushes_subnormals\" is neither true nor false", path);
    }
    model->flushes_subnormals = cJSON_IsTrue(flushes);
    return true;
}

bool tact_device_model_read(const char* path, tact_device_model* model, tact_problem* problem)
{
    void* bytes = NULL;
    size_t size = 0;
    *model = (tact_device_model){.memory_bytes = 0};
    if (!tact_file_read(path, &bytes, &size, problem)) return false;
    cJSON* root = cJSON_ParseWithLength(bytes, size);
    free(bytes);
    const bool good = take(root, path, model, problem);
    cJSON_Delete(root);
    return good;
}

double tact_device_model_floor(const tact_device_model* model, const tact_device_counts* counts)
{
    const double link = fmax((double)counts->bytes_up / model->up_gbs, (double)counts->bytes_down / model->down_gbs);
    return fmax(link, (double)counts->memory_bytes / model->memory_gbs) * 1e-6;
}
