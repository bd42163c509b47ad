// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "apps/color.h"
#include "apps/commands.h"
#include "apps/explain_out.h"
#include "apps/json_out.h"
#include "apps/session.h"
#include "apps/system.h"
#include "apps/text.h"
#include "apps/timing.h"
#include "tact/calibrate.h"

// `tact calibrate`: measures the dispatcher's cost model, shows it, forgets it.

typedef struct calibrate_run {
    tact_common_options common;
    bool quick, show, forget;
    uint64_t seconds;
    tact_session session;
    bool kept;
} calibrate_run;

static bool measure(calibrate_run* run, tact_problem* problem)
{
    tact_progress progress;
    tact_progress_start(&progress, "calibrating", run->common.quiet);
    const tact_calibrate_options options = {
        .seconds = run->seconds ? (double)run->seconds
                   : run->quick ? 3.0
                                : 0.0,
        .progress = tact_progress_update,
        .progress_user = &progress,
    };
    tact_system_note_signals();
    const tact_result result = tact_calibrate(run->session.context, &options);
    tact_progress_end(&progress);
    if (result == TACT_ERROR_CANCELLED && tact_system_signal())
        return tact_problem_stop(problem, "nothing is kept of this calibration");
    if (result < TACT_OK) return tact_problem_from_result(problem, result, run->session.context, "calibrating");
    run->kept = result == TACT_OK;
    if (!run->kept && !run->common.quiet) {
        tact_warning("tact", "calibrate: there is no cache folder to keep it in, so it counts for nothing");
    }
    return true;
}

static void to_people(const calibrate_run* run)
{
    static const char* const heads[] = {"backend", "query",     ">fixed",   ">prepare", ">work",
                                        ">upload", ">download", ">samples", ">error",   "calibrated"};
    tact_table table;
    tact_table_init(&table, heads, sizeof heads / sizeof heads[0]);
    tact_calibration_entry e;
    uint32_t count = 0;
    for (uint32_t i = 0; tact_calibration_get(run->session.context, i, &e) == TACT_OK; ++i) {
        if (!e.calibrated) continue;
        ++count;
        char date[16];
        tact_explain_date(e.calibrated_on, date);
        const double factors[] = {e.fixed, e.prepare, e.work, e.upload, e.download};
        tact_table_add(&table, "%s", tact_backend_name(e.backend));
        tact_table_add(&table, "%s", e.query);
        for (size_t k = 0; k < sizeof factors / sizeof factors[0]; ++k)
            tact_table_add(&table, "%.3g", factors[k]);
        tact_table_add(&table, "%u", e.samples);
        tact_table_add(&table, "%.0f %%", 100.0 * e.error);
        tact_table_add(&table, "%s", date);
    }
    if (count == 0) {
        puts("nothing is calibrated here");
    } else {
        puts("factors on the rates of an ordinary desktop; error: median of the fit's");
        tact_table_print(&table, stdout);
    }
    tact_table_free(&table);
}

static bool to_json(const calibrate_run* run, tact_problem* problem)
{
    cJSON* root = cJSON_CreateObject();
    tact_json_text(root, "command", "calibrate");
    tact_json_text(root, "version", tact_version());
    tact_json_truth(root, "measured", !run->show && !run->forget);
    tact_json_truth(root, "kept", run->kept);
    cJSON* list = tact_json_array(root, "entries");
    tact_calibration_entry e;
    for (uint32_t i = 0; tact_calibration_get(run->session.context, i, &e) == TACT_OK; ++i) {
        if (!e.calibrated) continue;
        char date[16];
        tact_explain_date(e.calibrated_on, date);
        cJSON* entry = tact_json_append(list);
        tact_json_text(entry, "backend", tact_backend_name(e.backend));
        tact_json_text(entry, "query", e.query);
        tact_json_text(entry, "calibrated_on", date);
        tact_json_count(entry, "samples", e.samples);
        tact_json_number(entry, "error", e.error);
        cJSON* factors = tact_json_object(entry, "factors");
        tact_json_number(factors, "fixed", e.fixed);
        tact_json_number(factors, "prepare", e.prepare);
        tact_json_number(factors, "work", e.work);
        tact_json_number(factors, "upload", e.upload);
        tact_json_number(factors, "download", e.download);
    }
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static bool execute(calibrate_run* run, tact_problem* problem)
{
    if (run->show && run->forget) return tact_problem_set(problem, "--show and --forget: one of them");
    if ((run->show || run->forget) && (run->quick || run->seconds)) {
        return tact_problem_set(problem, "--quick and --seconds are for measuring, which --show and --forget do not");
    }
    if (run->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: the reference is never chosen, so not measured");
    }
    if (!tact_session_open(&run->session, &run->common, problem)) return false;
    if (run->forget) {
        if (tact_calibration_forget(run->session.context) != TACT_OK) {
            return tact_problem_set(problem, "a calibration could not be removed from the cache folder");
        }
    } else if (!run->show && !measure(run, problem)) {
        return false;
    }
    if (run->common.json) return to_json(run, problem);
    if (run->forget) {
        puts("forgotten");
    } else {
        to_people(run);
    }
    return true;
}

static const char help_text[] =
    "Usage: tact calibrate [options]\n\n"
    "Measures what queries cost on the devices here, so that `auto` chooses by that, and keeps it in the user's cache\n"
    "folder, for each device, driver and version.\n";

int tact_command_calibrate(int argc, char** argv, tact_problem* problem)
{
    calibrate_run run = {.kept = false};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&run.common, common);
    const tact_option own[] = {
        TACT_FLAG("quick", "in about 3 seconds", &run.quick),
        TACT_NUMBER("seconds", "N", "in about that time (default 20), and what drivers take to build kernels",
                    &run.seconds, 1, 3600),
        TACT_FLAG("show", "measure nothing; show what is known", &run.show),
        TACT_FLAG("forget", "forget what was measured before", &run.forget),
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    if (!tact_options_take(&set, help_text, NULL, argc, argv, &work, problem)) return problem->exit_code;
    if (!work) return TACT_EXIT_DONE;
    const bool good = execute(&run, problem);
    tact_session_close(&run.session);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
