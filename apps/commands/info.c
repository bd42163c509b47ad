// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>

#include "apps/commands.h"
#include "apps/json_out.h"
#include "apps/session.h"
#include "apps/system.h"

static void probe_to_json(const tact_probe* probe, cJSON* device)
{
    cJSON* object = tact_json_object(device, "probe");
    tact_json_truth(object, "ran", probe->ran);
    tact_json_truth(object, "exact", probe->exact);
    tact_json_truth(object, "flushes_subnormals", probe->flushes_subnormals);
    tact_json_truth(object, "corrected_division", probe->corrected_division);
    tact_json_truth(object, "corrected_sqrt", probe->corrected_sqrt);
    tact_json_time(object, "time_ms", probe->milliseconds);
    cJSON* operations = tact_json_array(object, "operations");
    for (int i = 0; probe->ran && i < TACT_PROBE_OPERATIONS; ++i) {
        const tact_probe_operation* operation = &probe->operations[i];
        if (!operation->name[0]) continue;
        cJSON* entry = tact_json_append(operations);
        tact_json_text(entry, "name", operation->name);
        tact_json_count(entry, "tested", operation->tested);
        tact_json_count(entry, "differing", operation->differing);
        tact_json_count(entry, "subnormal", operation->subnormal);
        tact_json_count(entry, "worst_ulps", operation->worst_ulps);
    }
}

static void device_to_json(const tact_device_info* info, uint32_t index, cJSON* devices)
{
    cJSON* device = tact_json_append(devices);
    tact_json_count(device, "index", index);
    tact_json_text(device, "backend", tact_backend_name(info->backend));
    tact_json_text(device, "name", info->name);
    tact_json_text(device, "vendor", info->vendor);
    tact_json_text(device, "driver", info->driver);
    tact_json_text(device, "version", info->version);
    tact_json_text(device, "language", info->language);
    tact_json_truth(device, "software", info->software);
    tact_json_truth(device, "adopted", info->adopted);
    tact_json_truth(device, "lost", info->lost);
    tact_json_count(device, "number", info->number);
    tact_json_count(device, "alike", info->alike);
    cJSON* limits = tact_json_object(device, "limits");
    tact_json_count(limits, "compute_units", info->compute_units);
    tact_json_count(limits, "max_group_size", info->max_group_size);
    tact_json_count(limits, "max_groups", info->max_groups);
    tact_json_count(limits, "shared_bytes", info->shared_bytes);
    tact_json_count(limits, "max_buffers", info->max_buffers);
    tact_json_count(limits, "max_buffer_bytes", info->max_buffer_bytes);
    tact_json_count(limits, "memory_bytes", info->memory_bytes);
    probe_to_json(&info->probe, device);
}

static void print_amount(const char* what, uint64_t bytes)
{
    static const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double amount = (double)bytes;
    while (amount >= 1024.0 && unit < 4) {
        amount /= 1024.0;
        ++unit;
    }
    if (bytes) printf(", %s %.4g %s", what, amount, units[unit]);
}

static void print_probe(const tact_device_info* info)
{
    const tact_probe* probe = &info->probe;
    if (!probe->ran) {
        printf("  arithmetic  %s\n", info->backend == TACT_BACKEND_CPU ? "the measure for the others" : "not probed");
        return;
    }
    printf(
        "  arithmetic  %s%s%s%s; probed in %.1f ms\n", probe->exact ? "exact" : "NOT exact: results have a tolerance",
        probe->corrected_division ? ", division corrected" : "", probe->corrected_sqrt ? ", square root corrected" : "",
        probe->flushes_subnormals ? ", flushes subnormals" : "", probe->milliseconds);
    printf("              operation  tested  differing  of subnormals  worst (ulp)\n");
    for (int i = 0; i < TACT_PROBE_OPERATIONS; ++i) {
        const tact_probe_operation* o = &probe->operations[i];
        if (!o->name[0]) continue;
        printf("              %-9s %7" PRIu32 " %10" PRIu32 " %14" PRIu32 " %12" PRIu32 "\n", o->name, o->tested,
               o->differing, o->subnormal, o->worst_ulps);
    }
}

/// The device in one line: what it is, its driver, what runs it, and whether results are the CPU's to the bit.
static void print_line(const tact_device_info* info)
{
    const char* kind = info->backend == TACT_BACKEND_CPU ? "host" : info->software ? "software" : "hardware";
    const bool exact = info->backend == TACT_BACKEND_CPU || (info->probe.ran && info->probe.exact);
    printf("%s: %s (%s%s), driver %s, %s%s\n", tact_backend_name(info->backend), info->name, kind,
           info->lost ? ", LOST" : "", info->driver,
           exact             ? "exact"
           : info->probe.ran ? "NOT exact: results have a tolerance"
                             : "not probed",
           info->probe.flushes_subnormals ? ", flushes subnormal numbers" : "");
}

static void print_device(const tact_device_info* info)
{
    const char* kind = info->backend == TACT_BACKEND_CPU ? "host" : info->software ? "software" : "hardware";
    printf("%s: %s (%s%s%s)", tact_backend_name(info->backend), info->name, kind, info->adopted ? ", adopted" : "",
           info->lost ? ", LOST" : "");
    if (info->alike > 1) printf(", number %" PRIu32 " of %" PRIu32 " as good", info->number, info->alike);
    putchar('\n');
    printf("  vendor      %s\n  driver      %s\n  version     %s\n  language    %s\n", info->vendor, info->driver,
           info->version, info->language);
    if (info->backend == TACT_BACKEND_CPU) {
        printf("  limits      %" PRIu32 " threads", info->compute_units);
    } else {
        printf("  limits      group %" PRIu32 ", groups %" PRIu32 ", buffers %" PRIu32, info->max_group_size,
               info->max_groups, info->max_buffers);
        if (info->compute_units) printf(", compute units %" PRIu32, info->compute_units);
    }
    print_amount("shared", info->shared_bytes);
    print_amount("largest buffer", info->max_buffer_bytes);
    print_amount("memory", info->memory_bytes);
    putchar('\n');
    print_probe(info);
}

/// The backends that can be missing, as the options ask for them.
static bool is_wanted(const tact_common_options* common, tact_backend backend)
{
    return common->backend == TACT_BACKEND_AUTO || common->backend == (int)backend;
}

static bool to_json(const tact_session* session, const tact_common_options* common, tact_problem* problem)
{
    char system[160];
    tact_system_name(system, sizeof system);
    cJSON* root = cJSON_CreateObject();
    tact_json_text(root, "command", "info");
    tact_json_text(root, "version", tact_version());
    tact_json_text(root, "build", tact_build_info());
    tact_json_text(root, "system", system);
    cJSON* devices = tact_json_array(root, "devices");
    for (uint32_t i = 0; i < tact_context_device_count(session->context); ++i) {
        tact_device_info info;
        if (tact_context_device(session->context, i, &info) >= 0) device_to_json(&info, i, devices);
    }
    cJSON* missing = tact_json_array(root, "missing");
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        const char* reason = tact_context_missing(session->context, (tact_backend)b);
        if (!reason || !is_wanted(common, (tact_backend)b)) continue;
        cJSON* entry = tact_json_append(missing);
        tact_json_text(entry, "backend", tact_backend_name((tact_backend)b));
        tact_json_text(entry, "reason", reason);
    }
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void to_people(const tact_session* session, const tact_common_options* common, bool verbose)
{
    char system[160];
    tact_system_name(system, sizeof system);
    printf("tact %s on %s\n", tact_version(), system);
    if (verbose) printf("%s\n\n", tact_build_info());
    for (uint32_t i = 0; i < tact_context_device_count(session->context); ++i) {
        tact_device_info info;
        if (tact_context_device(session->context, i, &info) < 0) continue;
        (verbose ? print_device : print_line)(&info);
    }
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        const char* reason = tact_context_missing(session->context, (tact_backend)b);
        if (reason && is_wanted(common, (tact_backend)b)) {
            printf("%s: none: %s\n", tact_backend_name((tact_backend)b), reason);
        }
    }
}

static const char help_text[] =
    "Usage: tact info [options]\n\n"
    "Every device found here: name, software or hardware, driver, and whether its arithmetic has the CPU's bits; and\n"
    "why a backend has none. With --verbose also versions, limits, and what the probe of the arithmetic found.\n";

int tact_command_info(int argc, char** argv, tact_problem* problem)
{
    tact_common_options common;
    tact_option table[TACT_COMMON_OPTIONS];
    tact_common_table(&common, table);
    bool verbose = false;
    const tact_option own[] = {
        TACT_FLAG("verbose", "all there is to say of each device", &verbose),
        {.name = NULL},
    };
    const tact_option_set set = {own, table};
    bool work = false;
    if (!tact_options_take(&set, help_text, NULL, argc, argv, &work, problem)) return problem->exit_code;
    if (!work) return TACT_EXIT_DONE;
    tact_session session;
    if (!tact_session_open(&session, &common, problem)) return problem->exit_code;
    bool good = true;
    if (common.json) {
        good = to_json(&session, &common, problem);
    } else {
        to_people(&session, &common, verbose);
    }
    tact_session_close(&session);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
