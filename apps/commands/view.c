// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <inttypes.h>

#include "apps/commands.h"
#include "apps/view/view.h"

static const char* const pick_ways[] = {"rays", "target", NULL};

static bool execute(tact_view_options* o, tact_pick_input* input, tact_view_script* script, tact_problem* problem)
{
    const bool bodies = o->bodies.file || o->bodies.scene;
    if (o->files.count == 0 && !bodies && !o->recording) {
        return tact_problem_set(problem,
                                "FILE, --scene NAME, --bodies FILE or --recording FILE is needed: what to "
                                "look at");
    }
    if (o->against && !o->recording) return tact_problem_set(problem, "--against %s: needs --recording", o->against);
    if (o->recording && (o->files.count || bodies || o->particles)) {
        return tact_problem_set(problem, "--recording: a recording is viewed without %s",
                                o->files.count ? "files of meshes"
                                : bodies       ? "bodies"
                                               : "--particles");
    }
    if (o->bodies.count && !bodies) {
        return tact_problem_set(problem, "--count %" PRIu64 ": needs --scene NAME", o->bodies.count);
    }
    if (bodies && (o->files.count || o->particles)) {
        return tact_problem_set(problem, "%s: bodies are viewed without %s", o->bodies.file ? "--bodies" : "--scene",
                                o->files.count ? "files of meshes" : "--particles");
    }
    if (bodies && !tact_body_choice_check(&o->bodies, problem)) return false;
    if (o->common.backend == TACT_BACKEND_CL) {
        return tact_problem_set(problem, "--backend cl: the window has OpenGL; cpu and gl are what can be chosen");
    }
    if (o->events && o->frames) return tact_problem_set(problem, "--frames: not with --events, which has frames");
    return tact_size_parse("size", o->size, 64, TACT_PICK_SIZE_MAX, &o->width, &o->height, problem) &&
           (!o->events || tact_view_script_read(o->events, script, problem)) &&
           (o->recording ? true
            : bodies     ? tact_body_input_load(&o->bodies, o->common.seed, &o->body_input, problem)
                         : tact_pick_input_load(&o->files, input, problem)) &&
           tact_view_window_run(o, input, script, problem);
}

static const char help_text[] =
    "Usage: tact view (FILE [FILE ...] | --scene NAME [--count N] | --bodies FILE.json) [options]\n"
    "       tact view --recording FILE [--against FILE] [options]\n\n"
    "Shows meshes in a window: turn them, move on and in, point at them, select them. Each part of a file is an\n"
    "object. Or bodies that move, and where they touch. Or recorded queries with what they found, one after another,\n"
    "forwards and backwards; of two recordings the first that differs. H, in the window, shows the keys.\n";

int tact_command_view(int argc, char** argv, tact_problem* problem)
{
    tact_view_options o = {.size = "1280x800", .bodies.usual = 200};
    tact_pick_input input = {0};
    tact_view_script script = {0};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&o.common, common);
    const tact_option own[] = {
        TACT_MESH_OPTION(&o.files),
        TACT_TEXT("size", "WxH", "pixels of the window (default 1280x800)", &o.size),
        TACT_CHOICE("pick", "P", "what is under the cursor by rays (default), or by a drawn target", &o.pick,
                    pick_ways),
        TACT_TEXT("events", "FILE", "play events from a file in place of mouse and keys", &o.events),
        TACT_NUMBER("frames", "N", "close after so many frames", &o.frames, 1, 1000000000),
        TACT_NUMBER("particles", "N", "N spheres fall onto the meshes", &o.particles, 1, TACT_MAX_PARTICLES),
        TACT_TEXT("scene", "NAME", "a generated set of bodies: boxes, hulls, mixed, terrain, compound, pile, drum",
                  &o.bodies.scene),
        TACT_NUMBER("count", "N", "bodies of the generated set (default 200)", &o.bodies.count, 1,
                    TACT_BODY_INPUT_MOST),
        TACT_TEXT("bodies", "FILE.json", "shapes and bodies", &o.bodies.file),
        TACT_TEXT("recording", "FILE", "queries that --record wrote, or particles of --npy DIR or --save FILE",
                  &o.recording),
        TACT_TEXT("against", "FILE", "another recording, and where they differ", &o.against),
        TACT_PICTURE("image", "write the last frame", &o.image),
        TACT_FLAG("overlay", "pictures have what the window has over them: text, axes, scale", &o.overlay),
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good = tact_options_take(&set, help_text, &o.files, argc, argv, &work, problem) &&
                      (!work || execute(&o, &input, &script, problem));
    tact_pick_input_free(&input);
    tact_view_script_free(&script);
    tact_text_list_free(&o.files);
    tact_body_input_free(&o.body_input);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
