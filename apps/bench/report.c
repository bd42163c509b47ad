// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/system.h"
#include "apps/table.h"

#ifndef TACT_GIT_COMMIT
#define TACT_GIT_COMMIT ""
#endif
#ifndef TACT_BUILD_FLAGS
#define TACT_BUILD_FLAGS ""
#endif

double tact_bench_rate(uint64_t count, double ms)
{
    return ms > 0.0 ? (double)count / ms * 1e-3 : 0.0;
}

static void machine_to_json(cJSON* root, const tact_session* session)
{
    char system[160];
    tact_system_name(system, sizeof system);
    cJSON* machine = tact_json_object(root, "machine");
    tact_json_text(machine, "system", system);
    cJSON* devices = tact_json_array(root, "devices");
    for (uint32_t i = 0; i < tact_context_device_count(session->context); ++i) {
        tact_device_info info;
        if (tact_context_device(session->context, i, &info) < 0) continue;
        if (info.backend == TACT_BACKEND_CPU) {
            tact_json_text(machine, "cpu", info.name);
            tact_json_count(machine, "threads", info.compute_units);
        }
        cJSON* device = tact_json_append(devices);
        tact_json_text(device, "backend", tact_backend_name(info.backend));
        tact_json_text(device, "name", info.name);
        tact_json_text(device, "vendor", info.vendor);
        tact_json_text(device, "driver", info.driver);
        tact_json_text(device, "version", info.version);
        tact_json_truth(device, "software", info.software);
        tact_json_truth(device, "exact", info.probe.exact);
    }
    cJSON* missing = tact_json_array(root, "missing");
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        const char* reason = tact_context_missing(session->context, (tact_backend)b);
        if (!reason) continue;
        cJSON* entry = tact_json_append(missing);
        tact_json_text(entry, "backend", tact_backend_name((tact_backend)b));
        tact_json_text(entry, "reason", reason);
    }
}

void tact_bench_head_to_json(cJSON* root, const char* command, const tact_session* session)
{
    tact_json_text(root, "command", command);
    tact_json_text(root, "version", tact_version());
    tact_json_text(root, "build", tact_build_info());
    tact_json_text(root, "flags", TACT_BUILD_FLAGS);
    tact_json_text(root, "commit", tact_bench_commit());
    machine_to_json(root, session);
}

const char* tact_bench_commit(void)
{
    return TACT_GIT_COMMIT;
}

bool tact_bench_write_files(const char* folder, const cJSON* json, const tact_table* table, tact_problem* problem)
{
    const size_t size = strlen(folder) + 16;
    char* path = malloc(size);
    if (!path) return tact_problem_out_of_memory(problem, "a path");
    snprintf(path, size, "%s/bench.json", folder);
    bool good = tact_json_write(path, json, problem);
    if (good) {
        size_t length = 0;
        char* csv = tact_table_csv(table, &length);
        snprintf(path, size, "%s/bench.csv", folder);
        good = csv ? tact_file_replace(path, csv, length, NULL, 0, problem)
                   : tact_problem_out_of_memory(problem, "the CSV text");
        free(csv);
    }
    free(path);
    return good;
}

bool tact_bench_finish(const tact_bench_output* output, cJSON* json, tact_table* table, tact_problem* problem)
{
    bool good = true;
    if (output->json) {
        good = tact_json_print(json, problem);
    } else {
        tact_device_info info;
        if (tact_session_device(output->session, output->named, &info) >= 0) printf("%s\n", info.name);
        printf("%s\n\n", output->heading);
        tact_table_print(table, stdout);
    }
    if (good && output->out) good = tact_bench_write_files(output->out, json, table, problem);
    tact_table_free(table);
    cJSON_Delete(json);
    return good;
}

bool tact_bench_verdict(uint64_t wrong, const char* what, tact_problem* problem)
{
    if (wrong == 0) return true;
    tact_problem_set(problem, "%" PRIu64 " %s", wrong, what);
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}
