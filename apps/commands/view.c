// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "apps/commands.h"
#include "apps/view/window.h"

static const char* const pick_ways[] = {"rays", "target", NULL};

static bool take_size(tact_view_options* o, tact_problem* problem)
{
    const char* rest = NULL;
    uint64_t width = 0, height = 0;
    if (!tact_number_parse(o->size, 64, TACT_PICK_SIZE_MAX, &width, &rest) || *rest != 'x' ||
        !tact_number_parse(rest + 1, 64, TACT_PICK_SIZE_MAX, &height, NULL)) {
        return tact_problem_set(problem, "--size %s: must be WIDTHxHEIGHT, whole numbers from 64 to %u", o->size,
                                TACT_PICK_SIZE_MAX);
    }
    o->width = (uint32_t)width;
    o->height = (uint32_t)height;
    return true;
}

static bool execute(tact_view_options* o, tact_pick_input* input, tact_view_script* script, tact_problem* problem)
{
    if (o->files.count == 0) return tact_problem_set(problem, "FILE is needed: what to look at");
    if (o->common.backend == TACT_BACKEND_CL) {
        return tact_problem_set(problem, "--backend cl: the window has OpenGL; cpu and gl are what can be chosen");
    }
    if (o->events && o->frames) return tact_problem_set(problem, "--frames: not with --events, which has frames");
    return take_size(o, problem) && (!o->events || tact_view_script_read(o->events, script, problem)) &&
           tact_pick_input_load(&o->files, input, problem) && tact_view_window_run(o, input, script, problem);
}

static const char help_text[] =
    "Usage: tact view FILE [FILE ...] [options]\n\n"
    "Shows meshes in a window: turn them, move on and in, point at them, select them. Each part of a file is an\n"
    "object. H, in the window, prints the keys.\n";

int tact_command_view(int argc, char** argv, tact_problem* problem)
{
    tact_view_options o = {.size = "1280x800"};
    tact_pick_input input = {0};
    tact_view_script script = {0};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&o.common, common);
    const tact_option own[] = {
        {"size", "WxH", "pixels of the window (default 1280x800)", TACT_OPTION_TEXT, &o.size, 0, 0, NULL},
        {"pick", "P", "what is under the cursor by rays (default), or by a drawn target", TACT_OPTION_CHOICE, &o.pick,
         0, 0, pick_ways},
        {"events", "FILE", "play events from a file in place of mouse and keys", TACT_OPTION_TEXT, &o.events, 0, 0,
         NULL},
        {"frames", "N", "close after so many frames", TACT_OPTION_NUMBER, &o.frames, 1, 1000000000, NULL},
        {"particles", "N", "N spheres fall onto the meshes", TACT_OPTION_NUMBER, &o.particles, 1, TACT_MAX_PARTICLES,
         NULL},
        {"image", "FILE.png", "write the last frame", TACT_OPTION_TEXT, &o.image, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good = tact_options_take(&set, help_text, &o.files, argc, argv, &work, problem) &&
                      (!work || execute(&o, &input, &script, problem));
    tact_pick_input_free(&input);
    tact_view_script_free(&script);
    tact_text_list_free(&o.files);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
