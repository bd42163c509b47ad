// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "apps/view/view.h"
#include "apps/commands.h"

static const char* const pick_ways[] = {"rays", "target", NULL};

static bool execute(tact_view_options* o, tact_pick_input* input, tact_view_script* script, tact_problem* problem)
{
    if (o->files.count == 0) return tact_problem_set(problem, "FILE is needed: what to look at");
    if (o->common.backend == TACT_BACKEND_CL) {
        return tact_problem_set(problem, "--backend cl: the window has OpenGL; cpu and gl are what can be chosen");
    }
    if (o->events && o->frames) return tact_problem_set(problem, "--frames: not with --events, which has frames");
    return tact_size_parse("size", o->size, 64, TACT_PICK_SIZE_MAX, &o->width, &o->height, problem) &&
           (!o->events || tact_view_script_read(o->events, script, problem)) &&
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
        TACT_TEXT("size", "WxH", "pixels of the window (default 1280x800)", &o.size),
        TACT_CHOICE("pick", "P", "what is under the cursor by rays (default), or by a drawn target", &o.pick,
                    pick_ways),
        TACT_TEXT("events", "FILE", "play events from a file in place of mouse and keys", &o.events),
        TACT_NUMBER("frames", "N", "close after so many frames", &o.frames, 1, 1000000000),
        TACT_NUMBER("particles", "N", "N spheres fall onto the meshes", &o.particles, 1, TACT_MAX_PARTICLES),
        TACT_TEXT("image", "FILE.png", "write the last frame", &o.image),
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
