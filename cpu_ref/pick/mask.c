// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The pixels of a region. A shape is first painted into a box that surely holds it, a bit for each pixel, and then cut
// to the pixels that there are.
#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "cpu_ref/geometry/exact.h"
#include "cpu_ref/pick/found.h"

enum { RADIUS_MAX = 1024 };

/// Half-open, in pixels of the view.
typedef struct box {
    int64_t x0, y0, x1, y1;
} box;

static bool is_empty(box b)
{
    return b.x0 >= b.x1 || b.y0 >= b.y1;
}

static box cut(const tact_pick_view* view, box b)
{
    if (b.x0 < 0) b.x0 = 0;
    if (b.y0 < 0) b.y0 = 0;
    if (b.x1 > (int64_t)view->width) b.x1 = view->width;
    if (b.y1 > (int64_t)view->height) b.y1 = view->height;
    return b;
}

/// All of a box, which is in the view.
static void take_box(box b, tact_pick_mask* mask)
{
    TACT_ASSERT(!is_empty(b) && b.x0 >= 0 && b.y0 >= 0 && b.x1 <= UINT32_MAX && b.y1 <= UINT32_MAX);
    mask->x = (uint32_t)b.x0;
    mask->y = (uint32_t)b.y0;
    mask->width = (uint32_t)(b.x1 - b.x0);
    mask->height = (uint32_t)(b.y1 - b.y0);
    mask->row_words = (mask->width + 31) / 32;
}

// ---- Painting ----

/// A box with a bit for each pixel. One word more than the row has, for a bit just behind its end.
typedef struct canvas {
    box b;
    size_t row_words;
    uint32_t* bits;
} canvas;

static tact_result canvas_make(tact_env* env, box b, canvas* c)
{
    TACT_ASSERT(!is_empty(b));
    c->b = b;
    c->row_words = (size_t)(b.x1 - b.x0) / 32 + 1;
    c->bits = tact_allocate_zeroed(env, (size_t)(b.y1 - b.y0) * c->row_words, sizeof *c->bits);
    return c->bits ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static uint32_t bits_below(int64_t n)
{
    TACT_ASSERT(n >= 0);
    return n >= 32 ? 0xffffffffu : (1u << n) - 1u;
}

/// Sets the bits [begin, end) of a row.
static void paint(uint32_t* row, int64_t begin, int64_t end)
{
    TACT_ASSERT(begin >= 0 && begin < end);
    for (int64_t word = begin / 32; word * 32 < end; ++word) {
        const int64_t first = begin - word * 32;
        row[word] |= bits_below(end - word * 32) & ~bits_below(first > 0 ? first : 0);
    }
}

static uint32_t popcount(uint32_t v)
{
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    return ((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/// The least box that holds all bits, in pixels of the view, and how many there are.
static box bounds_of(const canvas* c, uint32_t* columns, uint64_t* count)
{
    const int64_t width = c->b.x1 - c->b.x0, height = c->b.y1 - c->b.y0;
    box b = {width, height, 0, 0};
    *count = 0;
    for (int64_t y = 0; y < height; ++y) {
        uint32_t any = 0;
        for (size_t k = 0; k < c->row_words; ++k) {
            const uint32_t word = c->bits[(size_t)y * c->row_words + k];
            any |= word;
            columns[k] |= word;
            *count += popcount(word);
        }
        if (!any) continue;
        if (y < b.y0) b.y0 = y;
        b.y1 = y + 1;
    }
    for (int64_t x = 0; x < width; ++x) {
        if (!(columns[x / 32] >> (x % 32) & 1u)) continue;
        if (x < b.x0) b.x0 = x;
        b.x1 = x + 1;
    }
    return (box){b.x0 + c->b.x0, b.y0 + c->b.y0, b.x1 + c->b.x0, b.y1 + c->b.y0};
}

static void copy_bits(const canvas* c, tact_pick_mask* mask)
{
    TACT_ASSERT(mask->x >= c->b.x0 && mask->y >= c->b.y0);
    TACT_ASSERT((int64_t)mask->x + mask->width <= c->b.x1 && (int64_t)mask->y + mask->height <= c->b.y1);
    const size_t left = mask->x - (size_t)c->b.x0, top = mask->y - (size_t)c->b.y0;
    for (uint32_t y = 0; y < mask->height; ++y) {
        const uint32_t* from = c->bits + (top + y) * c->row_words;
        uint32_t* to = mask->bits + (size_t)y * mask->row_words;
        for (size_t k = 0; k < mask->row_words; ++k) {
            const size_t word = left / 32 + k;
            const uint64_t low = from[word], high = word + 1 < c->row_words ? from[word + 1] : 0;
            to[k] = (uint32_t)((high << 32 | low) >> (left % 32));
        }
    }
}

/// What was painted becomes the mask. Frees the canvas.
static tact_result take_canvas(tact_env* env, canvas* c, tact_pick_mask* mask)
{
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    uint32_t* columns = tact_allocate_zeroed(env, c->row_words, sizeof *columns);
    if (!columns) goto done;
    uint64_t count;
    const box b = bounds_of(c, columns, &count);
    if (count) take_box(b, mask);
    TACT_ASSERT(count <= (uint64_t)mask->width * mask->height);
    if (count < (uint64_t)mask->width * mask->height) {
        mask->bits = tact_allocate(env, (size_t)mask->height * mask->row_words, sizeof *mask->bits);
        if (!mask->bits) goto done;
        copy_bits(c, mask);
    }
    result = TACT_OK;
done:
    tact_release(env, columns);
    tact_release(env, c->bits);
    return result;
}

// ---- Shapes ----

/// How far a row of the disc goes to either side.
static int64_t half_chord(int64_t radius, int64_t dy)
{
    TACT_ASSERT(dy <= radius && -dy <= radius);
    int64_t x = (int64_t)sqrt((double)(radius * radius - dy * dy));
    while (x * x > radius * radius - dy * dy)
        --x;
    while ((x + 1) * (x + 1) <= radius * radius - dy * dy)
        ++x;
    return x;
}

static tact_result make_disc(tact_env* env, const tact_pick_view* view, const tact_pick_region* region,
                             tact_pick_mask* mask)
{
    if (region->radius > RADIUS_MAX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a radius of %u pixels; at most %d", region->radius,
                         RADIUS_MAX);
    }
    const int64_t r = region->radius, x = (int64_t)region->x - view->left, y = (int64_t)region->y - view->top;
    const box b = cut(view, (box){x - r, y - r, x + r + 1, y + r + 1});
    mask->point = true;
    if (is_empty(b)) return TACT_OK;
    canvas c;
    tact_result result = canvas_make(env, b, &c);
    if (result != TACT_OK) return result;
    for (int64_t j = b.y0; j < b.y1; ++j) {
        const int64_t half = half_chord(r, j - y);
        const int64_t begin = x - half > b.x0 ? x - half : b.x0, end = x + half + 1 < b.x1 ? x + half + 1 : b.x1;
        if (begin < end) paint(c.bits + (size_t)(j - b.y0) * c.row_words, begin - b.x0, end - b.x0);
    }
    result = take_canvas(env, &c, mask);
    // Where a pixel is left, the point is within the radius of it.
    if (mask->width) {
        mask->point_x = (int32_t)(x - mask->x);
        mask->point_y = (int32_t)(y - mask->y);
    }
    return result;
}

static void make_rectangle(const tact_pick_view* view, const int32_t r[4], tact_pick_mask* mask)
{
    const box b = {(int64_t)(r[0] < r[2] ? r[0] : r[2]) - view->left, (int64_t)(r[1] < r[3] ? r[1] : r[3]) - view->top,
                   (int64_t)(r[0] < r[2] ? r[2] : r[0]) - view->left, (int64_t)(r[1] < r[3] ? r[3] : r[1]) - view->top};
    const box inside = cut(view, b);
    if (!is_empty(inside)) take_box(inside, mask);
}

// ---- The lasso ----

/// An edge from its upper end to its lower one, in pixels of the whole view. These are floats and centres of pixels,
/// which doubles hold exactly.
typedef struct edge {
    double x0, y0, x1, y1;
    double slope;  ///< x of a step in y, rounded
    double doubt;  ///< no x that is computed from it is farther off
} edge;

/// Whether a centre is on the edge or right of it, exactly. It is neither above nor below it.
static bool is_right_of(const edge* e, double x, double y)
{
    TACT_ASSERT(e->y0 <= y && y <= e->y1);
    const double ab = (e->x0 - x) * (e->y1 - y), ba = (e->y0 - y) * (e->x1 - x);
    const double plain = ab - ba;
    // Shewchuk's bound is 3 units of 2^-53 and a little.
    if (fabs(plain) > 0x1p-50 * (fabs(ab) + fabs(ba))) return plain < 0.0;
    // A centre far out has more digits than a float, so that products need a second part.
    double term[12];
    term[0] = exact_multiply(e->x0, e->y1, &term[1]);
    term[2] = exact_multiply(-e->x0, y, &term[3]);
    term[4] = exact_multiply(-x, e->y1, &term[5]);
    term[6] = exact_multiply(-e->y0, e->x1, &term[7]);
    term[8] = exact_multiply(e->y0, x, &term[9]);
    term[10] = exact_multiply(y, e->x1, &term[11]);
    return exact_sum(term, 12) <= 0.0;
}

/// Where the edge passes a row, in pixels from the first centre, `left`.
static double passes(const edge* e, double left, double y)
{
    return (e->x0 + (y - e->y0) * e->slope) - left;
}

/// The first pixel of a row whose centre is on the edge or right of it, from 0 to `width` (none is).
static int64_t first_right_of(const edge* e, double left, double y, int64_t width)
{
    const double at = passes(e, left, y);
    if (at < -e->doubt) return 0;
    if (at > (double)(width - 1) + e->doubt) return width;
    const int64_t guess = at > 0.0 ? at < (double)width ? (int64_t)ceil(at) : width : 0;
    const double off = (double)guess - at;
    if (off > e->doubt && off < 1.0 - e->doubt) return guess;
    const bool before = guess > 0 && is_right_of(e, left + (double)(guess - 1), y);
    if (!before && (guess == width || is_right_of(e, left + (double)guess, y))) return guess;
    // One step off as a rule, and anywhere on an edge from far outside.
    TACT_ASSERT(guess >= 0 && guess <= width);
    int64_t low = before ? 0 : guess + 1, high = before ? guess - 1 : width;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (is_right_of(e, left + (double)middle, y)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// The first row, from 0 to `height`, whose centre is not above y. `top`: the first centre.
static int64_t first_row(double y, double top, int64_t height)
{
    // Exact where it is near a whole number of rows in the box: y is then either at least a quarter and as coarse as
    // floats are, or as small as makes no difference.
    const double rows = y - top;
    return rows > 0.0 ? rows < (double)height ? (int64_t)ceil(rows) : height : 0;
}

static void turn_bit(uint32_t* row, int64_t x)
{
    TACT_ASSERT(x >= 0);
    row[x / 32] ^= 1u << (x % 32);
}

/// Steps of 2^-32 pixels from row to row. Where such a number is near a centre the edge itself tells.
static void turn_steps(uint32_t* row, size_t row_words, const edge* e, double left, double y, int64_t rows,
                       int64_t width, uint32_t margin)
{
    uint64_t at = (uint64_t)(passes(e, left, y) * 0x1p32);
    const uint64_t step = (uint64_t)(int64_t)(e->slope * 0x1p32);
    for (int64_t k = 0; k < rows; ++k, at += step, row += row_words) {
        const bool sure = (uint32_t)at - margin < 0u - 2u * margin;
        uint32_t x = (uint32_t)(at >> 32) + 1;
        if (!sure) x = (uint32_t)first_right_of(e, left, y + (double)k, width);
        TACT_ASSERT(x <= width);
        row[x / 32] ^= 1u << x % 32;
    }
}

enum { STEPS = 256 };

/// Turns the bit over where each of `rows` rows, STEPS at most, passes to the edge's right side. `y`: the first centre.
static void turn_rows(canvas* c, uint32_t* row, const edge* e, double left, double y, int64_t rows)
{
    TACT_ASSERT(rows >= 1 && rows <= STEPS);
    const int64_t width = c->b.x1 - c->b.x0;
    const double first = passes(e, left, y), last = passes(e, left, y + (double)(rows - 1));
    const double low = fmin(first, last), high = fmax(first, last);
    // Right of all centres: the bit behind the last one, which nothing reads.
    if (low > (double)(width - 1) + e->doubt) return;
    // That of the first row and of the last one's slope; a rounding of either number; one of the step for each step.
    const double margin = 2.0 * e->doubt + 0x1p-22;
    if (high < -e->doubt) {
        for (int64_t k = 0; k < rows; ++k)
            turn_bit(row + (size_t)k * c->row_words, 0);
    } else if (rows > 1 && low > 1.0 && high < (double)(width - 2) && margin < 0.25) {
        turn_steps(row, c->row_words, e, left, y, rows, width, (uint32_t)(margin * 0x1p32));
    } else {
        for (int64_t k = 0; k < rows; ++k)
            turn_bit(row + (size_t)k * c->row_words, first_right_of(e, left, y + (double)k, width));
    }
}

static void turn_edge(canvas* c, const tact_pick_view* view, const float* a, const float* b)
{
    const bool down = a[1] < b[1];
    const float *upper = down ? a : b, *lower = down ? b : a;
    edge e = {(double)upper[0], (double)upper[1], (double)lower[0], (double)lower[1], 0.0, 0.0};
    const double left = (double)((int64_t)view->left + c->b.x0) + 0.5;
    const double top = (double)((int64_t)view->top + c->b.y0) + 0.5;
    const int64_t height = c->b.y1 - c->b.y0;
    const int64_t begin = first_row(e.y0, top, height), end = first_row(e.y1, top, height);
    TACT_ASSERT(begin >= 0 && end <= height);
    if (begin >= end) return;
    e.slope = (e.x1 - e.x0) / (e.y1 - e.y0);
    // What is computed is between the ends but for four roundings, each below 2^-52 of the larger end's size.
    e.doubt = 0x1p-48 * (fabs(e.x0) + fabs(e.x1) + fabs(left));
    for (int64_t y = begin; y < end; y += STEPS) {
        uint32_t* row = c->bits + (size_t)y * c->row_words;
        turn_rows(c, row, &e, left, top + (double)y, end - y < STEPS ? end - y : STEPS);
    }
}

/// A bit then tells of how many edges, even or odd, its pixel is right of.
static void sum_rows(canvas* c)
{
    const int64_t width = c->b.x1 - c->b.x0, height = c->b.y1 - c->b.y0;
    for (int64_t y = 0; y < height; ++y) {
        uint32_t* row = c->bits + (size_t)y * c->row_words;
        uint32_t carry = 0;
        for (size_t k = 0; k < c->row_words; ++k) {
            uint32_t v = row[k];
            for (int step = 1; step < 32; step *= 2)
                v ^= v << step;
            v ^= carry;
            carry = v >> 31 ? 0xffffffffu : 0;
            const int64_t here = width - (int64_t)k * 32;
            row[k] = v & bits_below(here > 0 ? here : 0);
        }
    }
}

/// A box in the view with all the pixels that corners may enclose.
static box box_around(const tact_pick_view* view, const tact_pick_region* region)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < region->lasso_count; ++i) {
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], (double)region->lasso[i][k]);
            high[k] = fmax(high[k], (double)region->lasso[i][k]);
        }
    }
    // Beyond all views, and far within what whole numbers hold.
    const double end = 0x1p40;
    int64_t at[4];
    for (int k = 0; k < 2; ++k) {
        at[k] = (int64_t)floor(fmax(fmin(low[k], end), -end)) - (k ? view->top : view->left);
        at[2 + k] = (int64_t)ceil(fmax(fmin(high[k], end), -end)) - (k ? view->top : view->left);
    }
    return cut(view, (box){at[0], at[1], at[2], at[3]});
}

static tact_result make_lasso(tact_env* env, const tact_pick_view* view, const tact_pick_region* region,
                              tact_pick_mask* mask)
{
    const size_t count = region->lasso_count;
    if (count && !region->lasso) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a lasso without its corners");
    if (count > TACT_PICK_LASSO_MAX) return tact_fail(env, TACT_ERROR_LIMIT, "a lasso of %zu corners", count);
    for (size_t i = 0; i < count; ++i) {
        if (isfinite(region->lasso[i][0]) && isfinite(region->lasso[i][1])) continue;
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "corner %zu of the lasso is not finite", i);
    }
    if (count < 3) return TACT_OK;
    const box b = box_around(view, region);
    if (is_empty(b)) return TACT_OK;
    canvas c;
    const tact_result result = canvas_make(env, b, &c);
    if (result != TACT_OK) return result;
    for (size_t i = 0; i < count; ++i)
        turn_edge(&c, view, region->lasso[i], region->lasso[i + 1 < count ? i + 1 : 0]);
    sum_rows(&c);
    return take_canvas(env, &c, mask);
}

// ---- The whole ----

static tact_result make(tact_env* env, const tact_pick_view* view, const tact_pick_region* region, tact_pick_mask* mask)
{
    if (view->width > TACT_PICK_SIZE_MAX || view->height > TACT_PICK_SIZE_MAX ||
        (int64_t)view->left + view->width > (int64_t)INT32_MAX + 1 ||
        (int64_t)view->top + view->height > (int64_t)INT32_MAX + 1) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a view of %u x %u pixels at %d, %d", view->width,
                         view->height, view->left, view->top);
    }
    const box all = {0, 0, view->width, view->height};
    switch (region->shape) {
        case TACT_PICK_FRAME:
            if (!is_empty(all)) take_box(all, mask);
            return TACT_OK;
        case TACT_PICK_POINT:
            return make_disc(env, view, region, mask);
        case TACT_PICK_RECTANGLE:
            make_rectangle(view, region->rectangle, mask);
            return TACT_OK;
        case TACT_PICK_LASSO:
            return make_lasso(env, view, region, mask);
    }
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no shape of regions has the number %d", (int)region->shape);
}

tact_result tact_pick_mask_make(tact_env* env, const tact_pick_view* view, const tact_pick_region* region,
                                tact_pick_mask* mask)
{
    memset(mask, 0, sizeof *mask);
    tact_float_env saved;
    tact_float_env_enter(&saved);
    const tact_result result = make(env, view, region, mask);
    tact_float_env_leave(&saved);
    if (result != TACT_OK) tact_pick_mask_free(env, mask);
    return result;
}

void tact_pick_mask_free(tact_env* env, tact_pick_mask* mask)
{
    tact_release(env, mask->bits);
    memset(mask, 0, sizeof *mask);
}

tact_pick_mask tact_pick_mask_rows(const tact_pick_mask* mask, uint32_t first, uint32_t count)
{
    TACT_ASSERT(first <= mask->height && count <= mask->height - first);
    tact_pick_mask rows = *mask;
    rows.y += first;
    rows.height = count;
    if (rows.bits) rows.bits += (size_t)first * mask->row_words;
    rows.point_y -= (int32_t)first;
    return rows;
}
