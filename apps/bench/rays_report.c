// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/bench/rays.h"
#include "apps/system.h"

static void add_ratio(tact_table* table, double ratio)
{
    if (ratio > 0.0) {
        tact_table_add(table, "%.2f", ratio);
    } else {
        tact_table_add(table, "-");
    }
}

static void add_case(tact_table* table, const tact_bench_rays_case* c)
{
    tact_table_add(table, "%s", c->mesh);
    tact_table_add(table, "%" PRIu64, c->triangles);
    tact_table_add(table, "%s", tact_bench_set_name(c->set));
    tact_table_add(table, "%s", tact_bench_mode_name(c->mode));
    tact_table_add(table, "%" PRIu64, c->count);
}

static void add_form(tact_table* table, const tact_bench_rays_case* c, const tact_bench_form* form)
{
    const double ours = c->forms[0].ms.median;
    add_case(table, c);
    tact_table_add(table, "%s", form->name);
    if (form->left_out) {
        tact_table_add(table, "%.3f", form->least_ms);
        tact_table_add(table, "-");
        tact_table_add(table, "-");
        tact_table_add(table, "%.3f", tact_bench_rate(c->count, form->least_ms));
    } else {
        tact_table_add(table, "%.3f", form->ms.median);
        tact_table_add(table, "%.3f", form->ms.low);
        tact_table_add(table, "%.3f", form->ms.high);
        tact_table_add(table, "%.3f", tact_bench_rate(c->count, form->ms.median));
    }
    add_ratio(table, form != c->forms && ours > 0.0 ? (form->left_out ? form->least_ms : form->ms.median) / ours : 0.0);
    add_ratio(table, form->paired);
    if (form->query_ms > 0.0) {
        tact_table_add(table, "%.3f", form->query_ms);
    } else {
        tact_table_add(table, "-");
    }
    tact_table_add(table, "%" PRIu64, form->hits);
    tact_table_add(table, "%" PRIu64, form->other_rays);
    const char* verdict = form->form ? "" : form->failed ? "failed" : form->differs ? "DIFFERS" : "equal bytes";
    tact_table_add(table, "%s%s", verdict, form->left_out && !form->failed ? " (least of the first runs)" : "");
}

static void make_table(tact_table* table, const tact_bench_rays_results* results)
{
    static const char* const heads[] = {
        "mesh", ">triangles", "rays",    "mode",         ">count",       "form",  ">ms",         ">min",
        ">max", ">Mrays/s",   ">x ours", ">x by rounds", ">least query", ">hits", ">other rays", "note"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < results->case_count; ++i) {
        const tact_bench_rays_case* c = &results->cases[i];
        for (size_t k = 0; k < c->form_count; ++k)
            add_form(table, c, &c->forms[k]);
    }
}

static void print_summary(const tact_bench_rays_results* results)
{
    static const char* const heads[] = {"mesh",      "rays",         "mode",    ">Mrays/s", ">embree single",
                                        ">x single", ">embree best", ">x best", "best form"};
    tact_table table;
    tact_table_init(&table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < results->case_count; ++i) {
        const tact_bench_rays_case* c = &results->cases[i];
        if (!c->best || !c->single) continue;
        tact_table_add(&table, "%s", c->mesh);
        tact_table_add(&table, "%s", tact_bench_set_name(c->set));
        tact_table_add(&table, "%s", tact_bench_mode_name(c->mode));
        tact_table_add(&table, "%.2f", tact_bench_rate(c->count, c->forms[0].ms.median));
        tact_table_add(&table, "%.2f", tact_bench_rate(c->count, c->forms[c->single].ms.median));
        add_ratio(&table, c->over_single);
        tact_table_add(&table, "%.2f", tact_bench_rate(c->count, c->forms[c->best].ms.median));
        add_ratio(&table, c->over_best);
        tact_table_add(&table, "%s", c->forms[c->best].name);
    }
    if (table.used > 0) {
        puts("\nOurs against Embree's faster single-ray form, and against its fastest form (ratios of medians):");
        tact_table_print(&table, stdout);
    }
    tact_table_free(&table);
}

static void print_stream(const tact_bench_stream* stream)
{
    printf("\n%" PRIu64 " rays in slices of %" PRIu64 ": %.2f Mrays/s, %" PRIu64 " hits, digest %s\n", stream->rays,
           stream->slice, tact_bench_rate(stream->rays, stream->ms), stream->hits, stream->digest.text);
    if (!stream->memory_known) return;
    printf("peak memory: %.1f MB before the first ray, %.1f MB after three slices, %.1f MB after the last\n",
           (double)stream->before * 1e-6, (double)stream->warm * 1e-6, (double)stream->after * 1e-6);
}

static void check_to_json(cJSON* entry, const char* key, const tact_bench_check* check)
{
    if (check->rays == 0) return;
    cJSON* object = tact_json_object(entry, key);
    tact_json_count(object, "rays", check->rays);
    tact_json_number(object, "ms", check->ms);
    tact_json_text(object, "result", check->differs ? "DIFFERS" : "equal");
}

static void form_to_json(cJSON* forms, const tact_bench_rays_case* c, const tact_bench_form* form)
{
    cJSON* entry = tact_json_append(forms);
    tact_json_text(entry, "form", form->name);
    tact_json_truth(entry, "peer", form->form != NULL);
    if (!form->form) tact_json_text(entry, "backend", tact_backend_name(form->backend));
    if (!form->form) tact_json_text(entry, "result", form->failed ? "failed" : form->differs ? "DIFFERS" : "equal");
    tact_json_truth(entry, "left_out", form->left_out);
    tact_json_count(entry, "hits", form->hits);
    tact_json_count(entry, "other_rays", form->other_rays);
    cJSON* ms = tact_json_object(entry, "time_ms");
    tact_json_number(ms, "least", form->least_ms);
    if (form->query_ms > 0.0) tact_json_number(ms, "least_query", form->query_ms);
    if (form->left_out) return;
    tact_json_number(ms, "median", form->ms.median);
    tact_json_number(ms, "min", form->ms.low);
    tact_json_number(ms, "max", form->ms.high);
    tact_json_number(entry, "mrays_per_second", tact_bench_rate(c->count, form->ms.median));
    if (form->paired > 0.0) tact_json_number(entry, "ratio_by_rounds", form->paired);
}

static void case_to_json(cJSON* rows, const tact_bench_rays_case* c)
{
    cJSON* entry = tact_json_append(rows);
    tact_json_text(entry, "mesh", c->mesh);
    tact_json_count(entry, "triangles", c->triangles);
    tact_json_text(entry, "rays", tact_bench_set_name(c->set));
    tact_json_text(entry, "mode", tact_bench_mode_name(c->mode));
    tact_json_count(entry, "count", c->count);
    tact_json_text(entry, "digest", c->digest.text);
    if (c->built_peak) tact_json_count(entry, "peak_bytes_when_built", c->built_peak);
    check_to_json(entry, "one_thread", &c->one_thread);
    check_to_json(entry, "shuffled", &c->shuffled);
    check_to_json(entry, "reference", &c->reference);
    if (c->single) tact_json_number(entry, "over_embree_single", c->over_single);
    if (c->best) tact_json_number(entry, "over_embree_best", c->over_best);
    if (c->best) tact_json_text(entry, "embree_best", c->forms[c->best].name);
    cJSON* forms = tact_json_array(entry, "forms");
    for (size_t k = 0; k < c->form_count; ++k)
        form_to_json(forms, c, &c->forms[k]);
}

static void stream_to_json(cJSON* root, const tact_bench_stream* stream)
{
    cJSON* entry = tact_json_object(root, "stream");
    tact_json_count(entry, "rays", stream->rays);
    tact_json_count(entry, "slice", stream->slice);
    tact_json_number(entry, "ms", stream->ms);
    tact_json_number(entry, "mrays_per_second", tact_bench_rate(stream->rays, stream->ms));
    tact_json_count(entry, "hits", stream->hits);
    tact_json_text(entry, "digest", stream->digest.text);
    if (!stream->memory_known) return;
    tact_json_count(entry, "peak_bytes_before", stream->before);
    tact_json_count(entry, "peak_bytes_warm", stream->warm);
    tact_json_count(entry, "peak_bytes_after", stream->after);
}

static cJSON* to_json(const tact_bench_rays_settings* settings, const tact_session* session,
                      const tact_bench_rays_results* results)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench rays", session);
    tact_json_truth(root, "quick", settings->quick);
    tact_json_count(root, "seed", settings->common.seed);
    tact_json_count(root, "repeat", settings->repeat);
    tact_json_count(root, "threads", (uint64_t)settings->threads);
    tact_json_truth(root, "embree", tact_embree_have() && !settings->no_peers);
    uint64_t peak = 0;
    if (tact_system_memory(NULL, &peak)) tact_json_count(root, "peak_bytes", peak);
    cJSON* rows = tact_json_array(root, "rows");
    for (size_t i = 0; i < results->case_count; ++i)
        case_to_json(rows, &results->cases[i]);
    tact_bench_rays_builds_to_json(root, results);
    if (results->stream.rays) stream_to_json(root, &results->stream);
    return root;
}

static bool write_builds(const char* folder, const tact_table* table, tact_problem* problem)
{
    char path[1024];
    const int length = snprintf(path, sizeof path, "%s/builds.csv", folder);
    if (length < 0 || (size_t)length >= sizeof path) return tact_problem_set(problem, "%s: a name too long", folder);
    size_t size = 0;
    char* csv = tact_table_csv(table, &size);
    const bool good = csv ? tact_file_replace(path, csv, size, NULL, 0, problem)
                          : tact_problem_out_of_memory(problem, "the CSV text");
    free(csv);
    return good;
}

static void print_checks(const tact_bench_rays_results* results)
{
    tact_table checks;
    tact_bench_rays_checks_table(&checks, results);
    puts("\nThe same rays on one thread, in another order, and (some of them) by brute force:");
    tact_table_print(&checks, stdout);
    tact_table_free(&checks);
}

static void print_memory(const tact_bench_rays_results* results)
{
    uint64_t peak = 0;
    if (!tact_system_memory(NULL, &peak)) return;
    printf("\npeak memory of this process: %.1f MB", (double)peak * 1e-6);
    if (results->case_count) {
        const tact_bench_rays_case* last = &results->cases[results->case_count - 1];
        printf("; %.1f MB when our scene of %s was built", (double)last->built_peak * 1e-6, last->mesh);
    }
    puts("");
}

static void print_all(const tact_bench_rays_settings* settings, const tact_session* session,
                      const tact_bench_rays_results* results, const tact_table* forms, const tact_table* builds)
{
    tact_device_info info;
    if (tact_session_device(session, TACT_BACKEND_CPU, &info) >= 0) printf("%s\n", info.name);
    printf("%d threads; medians of %" PRIu64 " rounds after a warm-up, all forms in turn in each round\n",
           settings->threads, settings->repeat);
    if (results->case_count) {
        puts("");
        tact_table_print(forms, stdout);
        if (!settings->no_checks) print_checks(results);
    }
    if (results->build_count) {
        puts(
            "\nBuilding; bytes a triangle as the library tells them, and counted: held then, and the most while "
            "building:");
        tact_table_print(builds, stdout);
    }
    if (results->stream.rays) print_stream(&results->stream);
    if (results->case_count) print_summary(results);
    print_memory(results);
}

bool tact_bench_rays_report(const tact_bench_rays_settings* settings, const tact_session* session,
                            const tact_bench_rays_results* results, tact_problem* problem)
{
    cJSON* json = to_json(settings, session, results);
    tact_table forms, builds;
    make_table(&forms, results);
    tact_bench_rays_builds_table(&builds, results);
    bool good = true;
    if (settings->common.json) {
        good = tact_json_print(json, problem);
    } else {
        print_all(settings, session, results, &forms, &builds);
    }
    if (good && settings->out) {
        good = tact_bench_write_files(settings->out, json, &forms, problem) &&
               write_builds(settings->out, &builds, problem);
    }
    tact_table_free(&builds);
    tact_table_free(&forms);
    cJSON_Delete(json);
    return good;
}
