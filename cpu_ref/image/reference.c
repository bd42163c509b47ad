// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "cpu_ref/image/raster.h"

/// Is the centre, at 0 0, moved by next to nothing up and by less to the left, on the left of a to b?
static bool on_left(int64_t ax, int64_t ay, int64_t bx, int64_t by, int64_t cross)
{
    if (cross != 0) return cross > 0;
    // Of the moved centre the cross product's change is -dx' for a step up, and then -dy for one to the left.
    return bx != ax ? bx > ax : by >= ay;
}

static bool covers(const tact_image_face* f, int64_t x, int64_t y, float* depth)
{
    const int64_t ax = f->v[0].x - x, ay = f->v[0].y - y, bx = f->v[1].x - x, by = f->v[1].y - y;
    const int64_t cx = f->v[2].x - x, cy = f->v[2].y - y;
    const int64_t ab = tact_image_cross(ax, ay, bx, by), bc = tact_image_cross(bx, by, cx, cy),
                  ca = tact_image_cross(cx, cy, ax, ay);
    const bool left = on_left(ax, ay, bx, by, ab);
    if (on_left(bx, by, cx, cy, bc) != left || on_left(cx, cy, ax, ay, ca) != left) return false;
    *depth = tact_image_face_depth(f, ca, ab);
    return true;
}

static void draw_face(const tact_image_face* f, uint32_t bits, int which, bool concave, tact_image_band* m)
{
    for (size_t i = 0; i < (size_t)m->resolution * m->resolution; ++i) {
        const int64_t x = tact_image_centre((uint32_t)(i % m->resolution), m->resolution, bits);
        const int64_t y = tact_image_centre((uint32_t)(i / m->resolution), m->resolution, bits);
        float depth;
        if (!covers(f, x, y, &depth)) continue;
        if (!concave) {
            m->depths[2 * which][i] = fminf(m->depths[2 * which][i], depth);
            m->depths[2 * which + 1][i] = fmaxf(m->depths[2 * which + 1][i], depth);
            continue;
        }
        const uint32_t slots = 32 * m->words - 1;
        for (uint32_t s = tact_image_first_cell(depth, slots); s <= slots; ++s)
            m->cells[which][i * m->words + s / 32] ^= 1u << s % 32;
    }
}

static void draw_edge(const tact_image_edge* e, uint32_t bits, int which, tact_image_band* m)
{
    for (size_t i = 0; i < (size_t)m->resolution * m->resolution; ++i) {
        tact_image_mark(e, tact_image_centre((uint32_t)(i % m->resolution), m->resolution, bits),
                        tact_image_centre((uint32_t)(i / m->resolution), m->resolution, bits), bits, m->words,
                        m->cells[2 + which] + i * m->words);
    }
}

static void draw(const tact_image_body* body, const tact_image_fit* fit, int which, bool concave, tact_image_band* m)
{
    for (size_t t = 0; t < body->mesh.triangle_count; ++t) {
        tact_image_vertex v[3];
        tact_image_face f;
        tact_image_edge e;
        for (size_t k = 0; k < 3; ++k)
            v[k] = tact_image_vertex_of(body, fit, which, tact_image_corner(body, 3 * t + k));
        if (tact_image_face_of(&v[0], &v[1], &v[2], &f)) draw_face(&f, fit->bits, which, concave, m);
        for (int k = 0; concave && k < 3; ++k) {
            tact_image_edge_of(&v[k], &v[(k + 1) % 3], &e);
            draw_edge(&e, fit->bits, which, m);
        }
    }
}

static void run_test(const tact_image_job* job, size_t test, tact_image_band* m)
{
    const tact_image_fit fit = tact_image_look(job, test);
    if (!fit.meets) {
        tact_image_clear_picture(job);
        return;
    }
    const size_t pixels = (size_t)m->resolution * m->resolution;
    for (int k = 0; k < 4; ++k) {
        if (job->concave) memset(m->cells[k], 0, pixels * m->words * 4);
        for (size_t i = 0; !job->concave && i < pixels; ++i)
            m->depths[k][i] = k % 2 ? -TACT_IMAGE_NOWHERE : TACT_IMAGE_NOWHERE;
    }
    for (int which = 0; which < 2; ++which)
        draw(job->bodies[which], &fit, which, job->concave, m);
    uint32_t found[TACT_IMAGE_FOUND];
    tact_image_find_begin(found);
    if (job->concave) {
        tact_image_find_cells(m, found);
    } else {
        tact_image_find_depths(m, found);
    }
    tact_image_take(job, &fit, found, test);
    tact_image_keep_picture(job, m);
}

tact_result tact_image_reference(tact_env* env, const tact_image_job* job)
{
    const uint32_t size = job->options.resolution;
    tact_image_band m = {.resolution = size, .rows = size, .words = (tact_image_slots(size) + 1) / 32};
    const size_t words = (size_t)size * size * (job->concave ? m.words : 1);
    uint32_t* room = tact_allocate(env, 4 * words, 4);
    if (!room) return TACT_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < 4; ++k) {
        m.cells[k] = room + (size_t)k * words;
        m.depths[k] = (float*)(void*)m.cells[k];
    }
    tact_result result = TACT_OK;
    for (size_t i = 0; i < job->count && result == TACT_OK; ++i) {
        run_test(job, i, &m);
        if (job->progress && !job->progress((double)(i + 1) / (double)job->count, job->progress_user)) {
            result = tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    tact_release(env, room);
    return result;
}
