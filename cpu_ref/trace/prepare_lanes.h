// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays made ready for a tree, as many at a time as there are lanes: tact_ray_frame(), tact_trace_enter() and the gate
// of an instance, operation for operation. Included by lanes_body.h.

/// TACT_NONE in all lanes.
static const uint32_t lanes_none[16] = {TACT_NONE, TACT_NONE, TACT_NONE, TACT_NONE, TACT_NONE, TACT_NONE,
                                        TACT_NONE, TACT_NONE, TACT_NONE, TACT_NONE, TACT_NONE, TACT_NONE,
                                        TACT_NONE, TACT_NONE, TACT_NONE, TACT_NONE};

typedef struct ray_lanes {
    VF o[3], d[3], tmin, tmax;
} ray_lanes;

typedef struct frame_lanes {
    VF inverse[3], sx, sy, sz;
    VM y, z;  // the dominant axis
    VM valid;
} frame_lanes;

/// The rays with the numbers ids[0] on, or, when `numbers` is not NULL, numbers[ids[0]] on.
LANES_FN void load_rays(const tact_ray* rays, const uint32_t* numbers, const uint32_t* ids, uint32_t count,
                        ray_lanes* r)
{
    const void* rows[LANES];
    for (uint32_t i = 0; i < LANES; ++i) {
        const uint32_t id = ids[i < count ? i : 0];
        rows[i] = &rays[numbers ? numbers[id] : id];
    }
    VF columns[8];
    turn_rows(rows, columns);
    for (int k = 0; k < 3; ++k) {
        r->o[k] = columns[k];
        r->d[k] = columns[4 + k];
    }
    r->tmin = columns[3];
    r->tmax = columns[7];
}

/// The bits of the rays that are fast (lanes.h). `most` is tact_trace_most_direction().
LANES_FN uint32_t are_fast(const ray_lanes* r, float most)
{
    VM fast = M_AND(M_AND(V_LE(V_SET(0.0f), r->tmin), V_LE(r->tmin, r->tmax)), V_LE(r->tmin, V_SET(TACT_LARGEST)));
    for (int k = 0; k < 3; ++k)
        fast = M_AND(fast, V_LE(V_ABS(r->d[k]), V_SET(most)));
    return M_BITS(fast);
}

/// Reads ahead: the caller's rays lie in another order.
LANES_FN void prefetch_rays(const tact_ray* rays, const uint32_t* numbers, const uint32_t* ids, uint32_t count,
                            uint32_t begin)
{
    enum { AHEAD = 32 };
    for (uint32_t i = begin + AHEAD; i < begin + AHEAD + LANES && i < count; ++i) {
        // What malloc() gives begins 16 bytes into a line as a rule, so that every other ray lies across two.
        const tact_ray* ray = &rays[numbers[ids[i]]];
        TACT_PREFETCH(&ray->ox);
        TACT_PREFETCH(&ray->tmax);
    }
}

LANES_FN void make_frames(const VF o[3], const VF d[3], frame_lanes* f)
{
    const VF tiny = V_SET(TACT_TINY), zero = V_SET(0.0f), one = V_SET(1.0f);
    VF e[3];
    VM good = V_LE(V_ABS(o[0]), V_SET(TACT_RANGE));
    for (int k = 0; k < 3; ++k) {
        e[k] = V_SELECT(V_LT(V_ABS(d[k]), tiny), zero, d[k]);
        f->inverse[k] = V_SELECT(V_EQ(e[k], zero), V_SET(TACT_HUGE), V_DIV(one, e[k]));
        good = M_AND(good, V_LE(V_ABS(o[k]), V_SET(TACT_RANGE)));
        good = M_AND(good, V_LE(V_ABS(e[k]), V_SET(TACT_LARGEST)));
    }
    const VF ax = V_ABS(e[0]), ay = V_ABS(e[1]), az = V_ABS(e[2]);
    f->y = V_LT(ax, ay);
    VF largest = V_SELECT(f->y, ay, ax);
    f->z = V_LT(largest, az);
    largest = V_SELECT(f->z, az, largest);
    f->valid = M_AND(good, V_LT(zero, largest));
    const VF along = V_SELECT(f->z, e[2], V_SELECT(f->y, e[1], e[0]));
    f->sx = V_DIV(V_SELECT(f->z, e[0], V_SELECT(f->y, e[2], e[1])), along);
    f->sy = V_DIV(V_SELECT(f->z, e[1], V_SELECT(f->y, e[0], e[2])), along);
    f->sz = V_DIV(one, along);
}

/// tact_box_interval() of one box.
LANES_FN void box_interval(const VF o[3], const VF inverse[3], const float lower[3], const float upper[3], float slack,
                           VF* enter, VF* leave)
{
    VF low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        const VF a = V_MUL(V_SUB(V_SET(lower[k]), o[k]), inverse[k]);
        const VF b = V_MUL(V_SUB(V_SET(upper[k]), o[k]), inverse[k]);
        low[k] = V_MIN(a, b);
        high[k] = V_MAX(a, b);
    }
    const VF first = V_MAX(V_MAX(low[0], low[1]), low[2]), last = V_MIN(V_MIN(high[0], high[1]), high[2]);
    const VF less = V_SET(1.0f - slack), more = V_SET(1.0f + slack), zero = V_SET(0.0f);
    *enter = V_MUL(first, V_SELECT(V_LT(first, zero), more, less));
    *leave = V_MUL(last, V_SELECT(V_LT(last, zero), less, more));
}

LANES_FN void store_rays(tact_stream_ray* rays, const uint32_t* ids, uint32_t count, const VF o[3],
                         const frame_lanes* f, const VF tmin, const VF limit, const VF enter, const VF leave, VM valid)
{
    void *first[LANES], *second[LANES];
    for (uint32_t i = 0; i < LANES; ++i) {
        tact_stream_ray* r = &rays[ids[i < count ? i : 0]];
        first[i] = r;
        second[i] = (char*)r + sizeof *r / 2;
    }
    const VF zero = V_SET(0.0f), axis = V_SELECT(f->z, V_SET(2.0f), V_SELECT(f->y, V_SET(1.0f), zero));
    VF octant = zero;
    for (int k = 0; k < 3; ++k)
        octant = V_ADD(octant, V_SELECT(V_LT(f->inverse[k], zero), V_SET((float)(1 << k)), zero));
    octant = V_SELECT(valid, octant, V_SET(8.0f));
    // As a word a negative zero would be a large number, and distances may be sorted as words.
    const VF begin[8] = {o[0], o[1], o[2], V_ADD(tmin, zero), f->inverse[0], f->inverse[1], f->inverse[2], limit};
    const VF end[8] = {f->sx, f->sy, f->sz, V_WHOLE(axis), V_WHOLE(octant), enter, leave, zero};
    turn_columns(begin, first, count);
    turn_columns(end, second, count);
}

/// What is known of rays that come into their first frame: that nothing is hit so far.
LANES_FN void store_misses(tact_stream* s, const uint32_t* ids, uint32_t count, const VF tmax)
{
    if (!s->best) {
        float ends[LANES];
        V_STORE(ends, tmax);
        for (uint32_t i = 0; i < count; ++i)
            s->tmax[ids[i]] = ends[i];
        return;
    }
    const VF zero = V_SET(0.0f), none = V_LOAD_WORDS(lanes_none);
    const VF columns[5] = {none, none, tmax, zero, zero};
    void* rows[LANES];
    for (uint32_t i = 0; i < LANES; ++i)
        rows[i] = &s->best[ids[i < count ? i : 0]];
    turn_five(columns, rows, count);
}

/// Rays in the world's frame, for the tree over instances, with their directions instead of shears.
LANES_TARGET static void prepare_world(tact_stream* s, const tact_ray* rays, const uint32_t* ids, uint32_t count)
{
    for (uint32_t j = 0; j < count; j += LANES) {
        const uint32_t n = count - j < LANES ? count - j : LANES;
        ray_lanes r;
        frame_lanes f;
        prefetch_rays(rays, s->numbers, ids, count, j);
        load_rays(rays, s->numbers, ids + j, n, &r);
        store_misses(s, ids + j, n, r.tmax);
        make_frames(r.o, r.d, &f);
        f.sx = r.d[0];
        f.sy = r.d[1];
        f.sz = r.d[2];
        store_rays(s->world, ids + j, n, r.o, &f, r.tmin, r.tmax, r.tmin, r.tmax, f.valid);
    }
}

/// Rays that are about to enter an instance.
typedef struct outer_lanes {
    VF o[3], d[3], tmin, limit;
    VF inverse[3];
    VM valid;
} outer_lanes;

/// Those that are in no frame so far.
LANES_FN void load_callers(tact_stream* s, const tact_ray* rays, const uint32_t* ids, uint32_t count, outer_lanes* out)
{
    ray_lanes r;
    frame_lanes f;
    load_rays(rays, s->numbers, ids, count, &r);
    store_misses(s, ids, count, r.tmax);
    make_frames(r.o, r.d, &f);
    for (int k = 0; k < 3; ++k) {
        out->o[k] = r.o[k];
        out->d[k] = r.d[k];
        out->inverse[k] = f.inverse[k];
    }
    out->tmin = r.tmin;
    out->limit = r.tmax;
    out->valid = f.valid;
}

/// Those of prepare_world(), all valid.
LANES_FN void load_world(const tact_stream* s, const uint32_t* ids, uint32_t count, outer_lanes* out)
{
    const void *first[LANES], *second[LANES];
    for (uint32_t i = 0; i < LANES; ++i) {
        const tact_stream_ray* r = &s->world[ids[i < count ? i : 0]];
        first[i] = r;
        second[i] = &r->sx;
    }
    VF begin[8], end[8];
    turn_rows(first, begin);
    turn_rows(second, end);
    for (int k = 0; k < 3; ++k) {
        out->o[k] = begin[k];
        out->d[k] = end[k];
        out->inverse[k] = begin[4 + k];
    }
    out->tmin = begin[3];
    out->limit = begin[7];
    out->valid = V_LE(V_SET(0.0f), V_SET(0.0f));
}

/// Rays in an instance's frame, with their gates. Those that miss it have the octant 8. `only`: there is no other, and
/// no frame of the world.
LANES_TARGET static void prepare_instance(tact_stream* s, const tact_ray* rays, const tact_trace_instance* instance,
                                          const uint32_t* ids, uint32_t count, bool only)
{
    for (uint32_t j = 0; j < count; j += LANES) {
        const uint32_t n = count - j < LANES ? count - j : LANES;
        outer_lanes r;
        if (only) {
            prefetch_rays(rays, s->numbers, ids, count, j);
            load_callers(s, rays, ids + j, n, &r);
        } else {
            for (uint32_t i = j + LANES; i < j + 2 * LANES && i < count; ++i)
                TACT_PREFETCH(&s->world[ids[i]]);
            load_world(s, ids + j, n, &r);
        }
        frame_lanes f;
        VF enter, leave, o[3], d[3], p[3];
        box_interval(r.o, r.inverse, instance->lower, instance->upper, TACT_INSTANCE_SLACK, &enter, &leave);
        VM valid = M_AND(M_AND(V_LE(enter, leave), V_LE(enter, r.limit)), M_AND(V_LE(r.tmin, leave), r.valid));
        for (int k = 0; k < 3; ++k)
            p[k] = V_SUB(r.o[k], V_SET(instance->rows[k][3]));
        for (int k = 0; k < 3; ++k) {
            const VF m0 = V_SET(instance->rows[k][0]), m1 = V_SET(instance->rows[k][1]),
                     m2 = V_SET(instance->rows[k][2]);
            o[k] = V_ADD(V_ADD(V_MUL(m0, p[0]), V_MUL(m1, p[1])), V_MUL(m2, p[2]));
            d[k] = V_ADD(V_ADD(V_MUL(m0, r.d[0]), V_MUL(m1, r.d[1])), V_MUL(m2, r.d[2]));
        }
        make_frames(o, d, &f);
        valid = M_AND(valid, f.valid);
        store_rays(s->rays, ids + j, n, o, &f, r.tmin, r.limit, enter, leave, valid);
    }
}

/// As in lanes.h.
LANES_TARGET static uint32_t octants(const tact_trace_job* job, uint32_t* order, uint32_t count, uint32_t* out,
                                     tact_trace_fn* slow)
{
    const float most = tact_trace_most_direction(job->scene);
    const VF zero = V_SET(0.0f);
    uint32_t fast = 0;
    for (uint32_t j = 0; j < count; j += LANES) {
        const uint32_t n = count - j < LANES ? count - j : LANES;
        for (uint32_t i = 0; i < n && j + i + 16 < count; ++i)
            TACT_PREFETCH(&job->rays[order[j + i + 16]]);
        ray_lanes r;
        load_rays(job->rays, NULL, order + j, n, &r);
        VF octant = zero;
        for (int k = 0; k < 3; ++k)
            octant = V_ADD(octant, V_SELECT(V_LT(r.d[k], zero), V_SET((float)(1 << k)), zero));
        uint32_t words[LANES];
        V_STORE_WORDS(words, V_WHOLE(octant));
        const uint32_t good = are_fast(&r, most);
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t number = order[j + i];
            order[fast] = number;
            out[fast] = words[i];
            if ((good >> i) & 1u)
                ++fast;
            else
                slow(job, number, (size_t)number + 1);
        }
    }
    return fast;
}
