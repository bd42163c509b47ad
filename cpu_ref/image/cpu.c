// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/image/raster.h"

/// A test is one worker's. Large images are drawn in bands of rows, so that what is written stays in the cache, and
/// memory small; triangles and edges look at the pixels in their boxes only.
enum { BAND_BYTES = 1 << 20, TESTS_AT_ONCE = 64 };

typedef struct worker {
    tact_image_vertex* vertices[2];
    tact_image_band band;
} worker;

typedef struct engine {
    const tact_image_job* job;
    worker* workers;
    uint32_t rows;  // of a band
    size_t first;   // test of the loop that runs
} engine;

typedef struct pixel_box {
    uint32_t left, right, low, high;  // the last ones too
} pixel_box;

static int64_t divide_down(int64_t a, uint32_t bits)
{
    return a >= 0 ? a >> bits : ~(~a >> bits);
}

/// Pixels of a band whose centres are within `reach` of a box of the grid. False: there are none.
static bool find_area(const tact_image_band* m, uint32_t bits, const int64_t box[4], int64_t reach, pixel_box* a)
{
    const int64_t middle = tact_image_centre(0, m->resolution, bits), step = INT64_C(1) << bits;
    int64_t left = divide_down(box[0] - reach - middle + step - 1, bits),
            right = divide_down(box[2] + reach - middle, bits);
    int64_t low = divide_down(box[1] - reach - middle + step - 1, bits),
            high = divide_down(box[3] + reach - middle, bits);
    const int64_t end = (int64_t)m->first + m->rows - 1;
    left = left > 0 ? left : 0;
    right = right < m->resolution ? right : (int64_t)m->resolution - 1;
    low = low > m->first ? low : m->first;
    high = high < end ? high : end;
    if (left > right || low > high) return false;
    *a = (pixel_box){(uint32_t)left, (uint32_t)right, (uint32_t)low, (uint32_t)high};
    return true;
}

static int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t greater(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/// The cross product of an edge, seen from the first pixel of a row, turned so that it is not negative where the centre
/// is inside, and what a step to the right adds. A centre on the line counts for one of both sides.
typedef struct side {
    int64_t at, step, tie;
} side;

static side side_of(const tact_image_vertex* a, const tact_image_vertex* b, int64_t sign, int64_t x, int64_t y,
                    int64_t pixel)
{
    const bool swapped = a->x > b->x || (a->x == b->x && a->y > b->y);
    const int64_t tie = swapped == (sign > 0) ? 1 : 0;
    return (side){.at = sign * tact_image_cross(a->x - x, a->y - y, b->x - x, b->y - y) - tie,
                  .step = -sign * pixel * ((int64_t)b->y - a->y),
                  .tie = tie};
}

static void put_depth(const worker* w, int which, bool concave, size_t pixel, float depth)
{
    const tact_image_band* m = &w->band;
    if (concave) {
        // Cells behind are turned over when all faces are there.
        const uint32_t first = tact_image_first_cell(depth, 32 * m->words - 1);
        m->cells[which][pixel * m->words + first / 32] ^= 1u << first % 32;
        return;
    }
    float *front = &m->depths[2 * which][pixel], *back = &m->depths[2 * which + 1][pixel];
    *front = depth < *front ? depth : *front;
    *back = depth > *back ? depth : *back;
}

static void draw_face(const worker* w, const tact_image_vertex* const v[3], uint32_t bits, int which, bool concave)
{
    const tact_image_band* m = &w->band;
    const int64_t box[4] = {lesser(lesser(v[0]->x, v[1]->x), v[2]->x), lesser(lesser(v[0]->y, v[1]->y), v[2]->y),
                            greater(greater(v[0]->x, v[1]->x), v[2]->x), greater(greater(v[0]->y, v[1]->y), v[2]->y)};
    pixel_box a;
    tact_image_face f;
    if (!find_area(m, bits, box, 0, &a) || !tact_image_face_of(v[0], v[1], v[2], &f)) return;
    const int64_t area = tact_image_cross((int64_t)v[1]->x - v[0]->x, (int64_t)v[1]->y - v[0]->y,
                                          (int64_t)v[2]->x - v[0]->x, (int64_t)v[2]->y - v[0]->y);
    const int64_t sign = area > 0 ? 1 : -1;
    const int64_t pixel = INT64_C(1) << bits, x = tact_image_centre(a.left, m->resolution, bits);
    for (uint32_t row = a.low; row <= a.high; ++row) {
        const int64_t y = tact_image_centre(row, m->resolution, bits);
        side ab = side_of(v[0], v[1], sign, x, y, pixel), bc = side_of(v[1], v[2], sign, x, y, pixel),
             ca = side_of(v[2], v[0], sign, x, y, pixel);
        const size_t first = (size_t)(row - m->first) * m->resolution;
        for (uint32_t column = a.left; column <= a.right; ++column) {
            if ((ab.at | bc.at | ca.at) >= 0) {
                put_depth(w, which, concave, first + column,
                          tact_image_face_depth(&f, sign * (ca.at + ca.tie), sign * (ab.at + ab.tie)));
            }
            ab.at += ab.step;
            bc.at += bc.step;
            ca.at += ca.step;
        }
    }
}

/// The columns of a row that an edge may run through: rounding is far less than the pixel that is added.
static void narrow(const tact_image_edge* e, int64_t y, int64_t reach, const tact_image_band* m, uint32_t bits,
                   pixel_box* a)
{
    const double dx = (double)e->q.x - e->p.x, dy = (double)e->q.y - e->p.y;
    if (dy == 0.0) return;
    const double s = ((double)(y - reach) - e->p.y) / dy, t = ((double)(y + reach) - e->p.y) / dy;
    const double first = fmax(fmin(s, t), 0.0), last = fmin(fmax(s, t), 1.0);
    const double u = e->p.x + first * dx, v = e->p.x + last * dx, more = 2.0 * (double)reach;
    const double middle = (double)tact_image_centre(0, m->resolution, bits), pixel = 2.0 * (double)reach;
    const double left = floor((fmin(u, v) - more - middle) / pixel), right = ceil((fmax(u, v) + more - middle) / pixel);
    if (left > (double)a->left) a->left = left < (double)m->resolution ? (uint32_t)left : m->resolution;
    if (right < (double)a->right) a->right = right > 0.0 ? (uint32_t)right : 0;
}

static void draw_edge(const worker* w, const tact_image_edge* e, uint32_t bits, int which)
{
    const tact_image_band* m = &w->band;
    const int64_t reach = INT64_C(1) << (bits - 1);
    const int64_t box[4] = {lesser(e->p.x, e->q.x), lesser(e->p.y, e->q.y), greater(e->p.x, e->q.x),
                            greater(e->p.y, e->q.y)};
    pixel_box a;
    if (!find_area(m, bits, box, reach, &a)) return;
    for (uint32_t row = a.low; row <= a.high; ++row) {
        const int64_t y = tact_image_centre(row, m->resolution, bits);
        pixel_box here = a;
        if (a.right - a.left > 3) narrow(e, y, reach, m, bits, &here);
        uint32_t* cells = m->cells[2 + which] + (size_t)(row - m->first) * m->resolution * m->words;
        for (uint32_t column = here.left; column <= here.right; ++column)
            tact_image_mark(e, tact_image_centre(column, m->resolution, bits), y, bits, m->words,
                            cells + (size_t)column * m->words);
    }
}

static void draw_body(const worker* w, const tact_image_job* job, const tact_image_fit* fit, int which)
{
    const tact_image_body* body = job->bodies[which];
    const tact_image_vertex* vertices = w->vertices[which];
    for (size_t t = 0; t < body->mesh.triangle_count; ++t) {
        const tact_image_vertex* v[3];
        for (size_t k = 0; k < 3; ++k)
            v[k] = &vertices[tact_image_corner(body, 3 * t + k)];
        draw_face(w, v, fit->bits, which, job->concave);
        for (int k = 0; job->concave && k < 3; ++k) {
            tact_image_edge e;
            const bool swapped = tact_image_edge_of(v[k], v[(k + 1) % 3], &e);
            if (!swapped || !job->once[which]) draw_edge(w, &e, fit->bits, which);
        }
    }
}

/// Turns over all cells behind those that are set.
static void fill_behind(const tact_image_band* m, uint32_t* cells)
{
    for (size_t i = 0; i < (size_t)m->rows * m->resolution; ++i) {
        uint32_t odd = 0;
        for (uint32_t k = 0; k < m->words; ++k) {
            uint32_t x = cells[i * m->words + k];
            for (int shift = 1; shift < 32; shift *= 2)
                x ^= x << shift;
            x ^= odd;
            cells[i * m->words + k] = x;
            odd = x >> 31 ? UINT32_MAX : 0;
        }
    }
}

static void clear_band(const tact_image_band* m, bool concave)
{
    const size_t pixels = (size_t)m->rows * m->resolution;
    for (int k = 0; k < 4; ++k) {
        if (concave) memset(m->cells[k], 0, pixels * m->words * 4);
        for (size_t i = 0; !concave && i < pixels; ++i)
            m->depths[k][i] = k % 2 ? -TACT_IMAGE_NOWHERE : TACT_IMAGE_NOWHERE;
    }
}

static void run_test(const engine* e, worker* w, size_t test)
{
    const tact_image_job* job = e->job;
    const tact_image_fit fit = tact_image_look(job, test);
    if (!fit.meets) {
        tact_image_clear_picture(job);
        return;
    }
    for (int which = 0; which < 2; ++which)
        for (size_t i = 0; i < job->bodies[which]->mesh.vertex_count; ++i)
            w->vertices[which][i] = tact_image_vertex_of(job->bodies[which], &fit, which, i);
    uint32_t found[TACT_IMAGE_FOUND];
    tact_image_find_begin(found);
    const uint32_t size = job->options.resolution;
    for (uint32_t first = 0; first < size; first += e->rows) {
        w->band.first = first;
        w->band.rows = size - first < e->rows ? size - first : e->rows;
        clear_band(&w->band, job->concave);
        for (int which = 0; which < 2; ++which) {
            draw_body(w, job, &fit, which);
            if (job->concave) fill_behind(&w->band, w->band.cells[which]);
        }
        if (job->concave) {
            tact_image_find_cells(&w->band, found);
        } else {
            tact_image_find_depths(&w->band, found);
        }
        tact_image_keep_picture(job, &w->band);
    }
    tact_image_take(job, &fit, found, test);
}

static void run_piece(size_t begin, size_t end, int number, void* user)
{
    const engine* e = user;
    for (size_t i = begin; i < end; ++i)
        run_test(e, &e->workers[number], e->first + i);
}

/// Room for each worker, in one block.
static tact_result make_workers(tact_env* env, engine* e, int count, uint8_t** room)
{
    const tact_image_job* job = e->job;
    const uint32_t size = job->options.resolution, words = (tact_image_slots(size) + 1) / 32;
    const size_t row = (size_t)size * (job->concave ? words : 1) * 4, rows = BAND_BYTES / (4 * row);
    e->rows = rows < 1 ? 1 : rows < size ? (uint32_t)rows : size;
    size_t bytes = 4 * e->rows * row, vertices[2];
    bool fits = true;
    for (int k = 0; k < 2; ++k) {
        fits = fits &&
               tact_multiply_sizes(job->bodies[k]->mesh.vertex_count, sizeof(tact_image_vertex), &vertices[k]) &&
               tact_add_sizes(bytes, vertices[k], &bytes);
    }
    *room = fits ? tact_allocate(env, (size_t)count, bytes) : NULL;
    e->workers = tact_allocate_zeroed(env, (size_t)count, sizeof *e->workers);
    if (!fits) return tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: vertices of %d threads", count);
    if (!*room || !e->workers) return TACT_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < count; ++i) {
        worker* w = &e->workers[i];
        uint8_t* at = *room + (size_t)i * bytes;
        w->band = (tact_image_band){.resolution = size, .words = words};
        for (int k = 0; k < 4; ++k) {
            w->band.cells[k] = (uint32_t*)(void*)at;
            w->band.depths[k] = (float*)(void*)at;
            at += e->rows * row;
        }
        for (int k = 0; k < 2; ++k) {
            w->vertices[k] = (tact_image_vertex*)(void*)at;
            at += vertices[k];
        }
    }
    return TACT_OK;
}

tact_result tact_image_cpu(tact_env* env, const tact_image_job* job)
{
    const size_t most = (size_t)(job->threads > 1 ? job->threads : 1);
    const int threads = (int)(job->count < most ? job->count : most);
    engine e = {.job = job};
    uint8_t* room = NULL;
    tact_result result = threads > 0 ? make_workers(env, &e, threads, &room) : TACT_OK;
    const size_t at_once = job->progress ? TESTS_AT_ONCE * most : job->count;
    for (e.first = 0; e.first < job->count && result == TACT_OK; e.first += at_once) {
        const size_t left = job->count - e.first;
        tact_parallel_for(threads, left < at_once ? left : at_once, 1, run_piece, &e);
        const double done = (double)e.first + (double)(left < at_once ? left : at_once);
        if (job->progress && !job->progress(done / (double)job->count, job->progress_user)) {
            result = tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    tact_release(env, room);
    tact_release(env, e.workers);
    return result;
}
