// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The benchmarks of the field: what of them a saved run has.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/particles/particles.h"

/// Samples follow. Little endian, as apps/inputs/npy.c makes sure.
typedef struct field_head {
    uint64_t loose, count, begin, end, every, lifters, samples;
    double heap[2];
    uint32_t scene, ball_id, has_ball, has_heap;
    float gravity, diameter, unit, width, radius, rim, orifice, speed, angle, drop, ball, surface, density;
    uint32_t none;  ///< 0
} field_head;

_Static_assert(sizeof(field_head) == 144 && sizeof(tact_field_sample) == 32, "written as they lie in memory");

bool tact_field_save(const tact_particle_plan* p, const tact_field_run* run, tact_field_bytes* saved,
                     tact_problem* problem)
{
    const tact_field* f = &p->field;
    const size_t samples = run->count * sizeof *run->samples;
    field_head head;
    saved->size = sizeof head + samples;
    saved->bytes = malloc(saved->size);
    if (!saved->bytes) return tact_problem_out_of_memory(problem, "a saved scene");
    memset(&head, 0, sizeof head);
    head.loose = f->loose;
    head.count = p->count;
    head.begin = f->begin;
    head.end = f->end;
    head.every = f->every;
    head.lifters = f->lifters;
    head.samples = run->count;
    memcpy(head.heap, run->heap, sizeof head.heap);
    head.scene = (uint32_t)f->scene;
    head.ball_id = run->ball;
    head.has_ball = run->has_ball;
    head.has_heap = run->has_heap;
    head.gravity = f->gravity;
    head.diameter = f->diameter;
    head.unit = f->unit;
    head.width = f->width;
    head.radius = f->radius;
    head.rim = f->rim;
    head.orifice = f->orifice;
    head.speed = f->speed;
    head.angle = f->angle;
    head.drop = f->drop;
    head.ball = f->ball;
    head.surface = run->surface;
    head.density = p->density;
    memcpy(saved->bytes, &head, sizeof head);
    if (samples) memcpy((char*)saved->bytes + sizeof head, run->samples, samples);
    return true;
}

/// What is not a scene's is not to reach a step or a picture, even if the check fits.
static bool sensible(const field_head* h, size_t size)
{
    const float lengths[] = {h->width, h->radius, h->rim, h->orifice, h->drop, h->ball};
    const float numbers[] = {h->unit, h->speed, h->angle, h->surface, h->density};
    bool good = h->scene > TACT_FIELD_NONE && h->scene <= TACT_FIELD_IMPACT && h->loose <= h->count &&
                h->count <= TACT_MAX_PARTICLES && h->begin <= h->end && h->every > 0 && h->lifters <= 64 &&
                h->has_ball <= 1 && h->has_heap <= 1 && h->samples == (size - sizeof *h) / sizeof(tact_field_sample) &&
                (size - sizeof *h) % sizeof(tact_field_sample) == 0;
    good = good && h->gravity > 0.0f && h->gravity < 1e6f && h->diameter > 0.0f && h->diameter < 1e15f;
    // Surfaces are measured in squares of a diameter.
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
        good = good && lengths[i] >= 0.0f && lengths[i] <= 1e4f * h->diameter;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        good = good && isfinite(numbers[i]);
    return good;
}

bool tact_field_restore(const tact_field_bytes* saved, const char* name, tact_particle_plan* p, tact_field_run* run,
                        tact_problem* problem)
{
    field_head head;
    if (saved->size < sizeof head) return tact_problem_set(problem, "%s: the file's scene ends too soon", name);
    memcpy(&head, saved->bytes, sizeof head);
    if (!sensible(&head, saved->size)) return tact_problem_set(problem, "%s: the file's scene is damaged", name);
    p->count = (size_t)head.count;
    p->density = head.density;
    p->field = (tact_field){.scene = (tact_field_scene)head.scene,
                            .loose = (size_t)head.loose,
                            .gravity = head.gravity,
                            .diameter = head.diameter,
                            .unit = head.unit,
                            .width = head.width,
                            .radius = head.radius,
                            .rim = head.rim,
                            .orifice = head.orifice,
                            .speed = head.speed,
                            .angle = head.angle,
                            .drop = head.drop,
                            .ball = head.ball,
                            .begin = head.begin,
                            .end = head.end,
                            .every = head.every,
                            .lifters = head.lifters};
    *run = (tact_field_run){.count = (size_t)head.samples,
                            .capacity = (size_t)head.samples,
                            .surface = head.surface,
                            .ball = head.ball_id,
                            .has_ball = head.has_ball != 0,
                            .heap = {head.heap[0], head.heap[1]},
                            .has_heap = head.has_heap != 0};
    if (run->count > 0) {
        run->samples = malloc(run->count * sizeof *run->samples);
        if (!run->samples) {
            *run = (tact_field_run){0};
            return tact_problem_out_of_memory(problem, name);
        }
        memcpy(run->samples, (const char*)saved->bytes + sizeof head, run->count * sizeof *run->samples);
    }
    return tact_field_show(p, problem);
}
