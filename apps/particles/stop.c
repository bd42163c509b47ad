// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What becomes of a run that a signal stops.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/particles/particles.h"
#include "apps/ranks.h"
#include "apps/system.h"

/// A word as a shell takes it.
static void print_word(const char* word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/%@";
    if (*word && strspn(word, plain) == strlen(word)) {
        fprintf(stderr, " %s", word);
        return;
    }
    fputs(" '", stderr);
    for (; *word; ++word)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stderr);
    fputc('\'', stderr);
}

/// Whether an argument is an option that the saved run has within it, or that is printed anew.
static bool is_kept(const char* argument, bool* takes_value)
{
    static const char* const names[] = {"random",   "load",     "resume",    "steps", "save",        "dt",
                                        "substeps", "response", "radius",    "radii", "density",     "domain",
                                        "gravity",  "friction", "stiffness", "law",   "restitution", "rolling",
                                        "cohesion", "clump",    "force",     "plane", "seed",        "scene",
                                        "orifice",  "speed",    "angle",     "drop",  "lifters"};
    *takes_value = false;
    if (strcmp(argument, "--history") == 0) return true;
    if (strncmp(argument, "--", 2) != 0) return false;
    const size_t length = strcspn(argument + 2, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strlen(names[i]) != length || memcmp(argument + 2, names[i], length) != 0) continue;
        *takes_value = argument[2 + length] == '\0';
        return true;
    }
    return false;
}

/// The line that goes on, with what else was asked for.
static void print_line(const tact_particle_run* run, const char* file)
{
    fputs("  ", stderr);
    if (run->query.session.ranks) fprintf(stderr, "mpirun -n %" PRIu32 " ", tact_tool_ranks_here->count);
    fputs("tact particles --resume", stderr);
    print_word(file);
    if (run->options.steps_given) fprintf(stderr, " --steps %" PRIu64, run->options.steps);
    if (run->options.save) {
        fputs(" --save", stderr);
        print_word(run->options.save);
    }
    for (int i = 0; i < run->argc; ++i) {
        bool takes_value = false;
        if (is_kept(run->argv[i], &takes_value)) {
            i += takes_value;
        } else {
            print_word(run->argv[i]);
        }
    }
    fputc('\n', stderr);
}

bool tact_particle_run_stop(tact_particle_run* run, tact_problem* problem)
{
    char name[64];
    const tact_particle_run_options* o = &run->options;
    // What went wrong besides is what matters.
    if (problem->text[0] && problem->result != TACT_ERROR_CANCELLED) return false;
    // Repeated runs are done for their times, of which a saved one has none.
    if (run->query.common.repeat) return tact_problem_stop(problem, "in run %" PRIu64, run->query.run + 1);
    const char* file = o->save ? o->save : tact_file_free_name(name, sizeof name, "particles-stopped", ".run");
    tact_progress_end(&run->query.progress);
    *problem = (tact_problem){0};
    if (!tact_particle_run_keep(run, file, problem)) return false;
    if (tact_tool_prints() && !tact_file_is_stream(file)) {
        fprintf(stderr, "tact particles: saved after step %" PRIu64 " to %s; to go on:\n", run->done, file);
        print_line(run, file);
    }
    return tact_problem_stop(problem, "after step %" PRIu64, run->done);
}
