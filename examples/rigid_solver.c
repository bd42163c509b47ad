// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A program with a solver of rigid bodies of its own, in rigid_solver.h, and scenes that show what contacts are fit
// for.
//
// usage: rigid_solver SCENE STEPS [BACKEND [THREADS [BODIES]]]
#include "rigid_scenes.h"

#include <stdio.h>

static int find_name(const char* const* names, int count, const char* name)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static bool run(world* w, long steps, const tact_query_options* options)
{
    for (long i = 0; i < steps; ++i) {
        if (!step(w, options)) return false;
        if (steps > 100 && (i + 1) % 10 == 0) fprintf(stderr, "\rstep %ld of %ld", i + 1, steps);
    }
    if (steps > 100) fputc('\n', stderr);
    return true;
}

int main(int argc, char** argv)
{
    static const char* const names[] = {"auto", "cpu", "gl", "cl"};
    static const tact_backend backends[] = {TACT_BACKEND_AUTO, TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    const char* scene = argc > 1 ? argv[1] : "stack";
    const long steps = argc > 2 ? strtol(argv[2], NULL, 10) : 600;
    const int backend = argc > 3 ? find_name(names, 4, argv[3]) : 1;
    const long threads = argc > 4 ? strtol(argv[4], NULL, 10) : 0;
    const long count = argc > 5 ? strtol(argv[5], NULL, 10) : 0;
    if (find_name(scene_names, SCENES, scene) < 0 || backend < 0 || steps < 0 || threads < 0 || threads > 1000 ||
        count < 0 || count > 1000000) {
        fprintf(stderr,
                "usage: %s stack|crooked|cards|dominoes|chain|mixed [STEPS [auto|cpu|gl|cl [THREADS [BODIES]]]]\n",
                argv[0]);
        return 2;
    }
    const tact_query_options options = {.backend = backends[backend], .threads = (int)threads};
    world w;
    const bool good = open_world(&w, NULL, scene, (size_t)count) && run(&w, steps, &options);
    if (good) {
        const summary s = sum_up(&w);
        printf("%s: %zu bodies, %zu contacts after %ld steps\n", scene, w.count, w.constraint_count, steps);
        printf("moved at most %.6f, %zu lie, kinetic energy %.3g\n", s.moved, s.lying, s.energy);
        printf("digest %016llx\n", (unsigned long long)s.digest);
    } else {
        fprintf(stderr, "%s\n", w.context ? tact_context_error(w.context) : "no context, or no memory");
    }
    close_world(&w);
    return good ? 0 : 1;
}
