// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// POSITION's passes over particles, several at a time: the move before contacts, the moves by contacts, the end of a
// substep. Those that colliders or bodies may be in the way of are done one by one. Included by cpu_lanes_body.h.

#include <float.h>

/// The particles now worked on, slots `at` to at + LANES - 1, of which the first `count` are there.
typedef struct lane_slots {
    size_t at;
    uint32_t count, all;  ///< a bit for each that is there
    uint32_t numbers[LANES];
} lane_slots;

LANES_FN lane_slots slots_at(size_t at, size_t end)
{
    lane_slots s = {.at = at, .count = end - at < LANES ? (uint32_t)(end - at) : LANES};
    s.all = (1u << s.count) - 1u;
    for (uint32_t k = 0; k < LANES; ++k)
        s.numbers[k] = k < s.count ? k : 0;
    return s;
}

/// Numbers of each; past the end the first again.
LANES_FN VF get_numbers(const float* from, const lane_slots* l)
{
    if (l->count == LANES) return V_LOAD(from + l->at);
    float all[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
        all[k] = from[l->at + l->numbers[k]];
    return V_LOAD(all);
}

/// Writes those that are there.
LANES_FN void put_numbers(float* to, VF values, uint32_t count)
{
    if (count == LANES) {
        V_STORE(to, values);
        return;
    }
    float all[LANES];
    V_STORE(all, values);
    memcpy(to, all, count * sizeof *to);
}

LANES_FN void put_rows(float (*to)[4], VF a, VF b, VF c, VF d, uint32_t count)
{
    if (count == LANES) {
        V_STORE_ROWS(to, a, b, c, d)
        return;
    }
    float rows[LANES][4];
    V_STORE_ROWS(rows, a, b, c, d)
    memcpy(to, rows, count * sizeof *to);
}

/// Three numbers of each.
typedef struct lane_vec {
    VF x, y, z;
} lane_vec;

LANES_FN VF length_lanes(lane_vec v)
{
    return V_SQRT(dot_lanes(v.x, v.y, v.z, v.x, v.y, v.z));
}

LANES_FN lane_vec less_lanes(lane_vec a, lane_vec b)
{
    const lane_vec d = {V_SUB(a.x, b.x), V_SUB(a.y, b.y), V_SUB(a.z, b.z)};
    return d;
}

LANES_FN lane_vec select_lanes(VM mask, lane_vec a, lane_vec b)
{
    const lane_vec v = {V_SELECT(mask, a.x, b.x), V_SELECT(mask, a.y, b.y), V_SELECT(mask, a.z, b.z)};
    return v;
}

LANES_FN lane_vec held_lanes(const TactDomain* d, lane_vec v)
{
    const lane_vec at = {held(&d->x, v.x), held(&d->y, v.y), held(&d->z, v.z)};
    return at;
}

/// tact_motion_limit().
LANES_FN lane_vec limit_lanes(VF limit, lane_vec v)
{
    const VF speed = length_lanes(v);
    const VM fast = V_LT(limit, speed);
    if (!M_BITS(fast)) return v;
    const VF factor = V_DIV(limit, speed);
    const lane_vec slow = {V_MUL(v.x, factor), V_MUL(v.y, factor), V_MUL(v.z, factor)};
    return select_lanes(fast, slow, v);
}

/// Which of two vectors differ.
LANES_FN uint32_t unlike(lane_vec a, lane_vec b, uint32_t all)
{
    return all ^ (all & M_BITS(M_AND(M_AND(V_EQ(a.x, b.x), V_EQ(a.y, b.y)), V_EQ(a.z, b.z))));
}

/// Of those in `clear`, which surfaces may stop on a way of that length: see cpu_clear.c.
LANES_FN uint32_t may_stop(VF clear, VF way, VF radius, uint32_t all)
{
    return all ^ (all & M_BITS(V_LT(V_ADD(way, V_MUL(radius, V_SET(0.5f))), clear)));
}

/// Where those of `near` are, and their velocities, once they were done one by one.
LANES_FN void replace_near(const tact_particle_self* done, uint32_t near, lane_vec* place, lane_vec* velocity)
{
    float values[6][LANES];
    V_STORE(values[0], place->x);
    V_STORE(values[1], place->y);
    V_STORE(values[2], place->z);
    V_STORE(values[3], velocity->x);
    V_STORE(values[4], velocity->y);
    V_STORE(values[5], velocity->z);
    for (uint32_t k = 0; k < LANES; ++k) {
        if (!(near >> k & 1u)) continue;
        const float of[6] = {done[k].x, done[k].y, done[k].z, done[k].vx, done[k].vy, done[k].vz};
        for (int n = 0; n < 6; ++n)
            values[n][k] = of[n];
    }
    *place = (lane_vec){V_LOAD(values[0]), V_LOAD(values[1]), V_LOAD(values[2])};
    *velocity = (lane_vec){V_LOAD(values[3]), V_LOAD(values[4]), V_LOAD(values[5])};
}

/// tact_particle_predict().
LANES_FN void predict_lanes(const tact_particle_walk* walk, size_t i, size_t end, tact_cpu_tally* tally)
{
    const tact_particle_model* m = walk->model;
    const tact_particle_slots* s = &walk->slots;
    const lane_slots l = slots_at(i, end);
    const lane_vec from = {V_LOAD(s->x + i), V_LOAD(s->y + i), V_LOAD(s->z + i)};
    const VF radius = V_LOAD(s->radius + i), dt = V_SET(m->motion.dt), nothing = V_SET(0.0f);
    lane_vec v, force = {nothing, nothing, nothing};
    VF w;
    V_ROWS(s->velocity + i, l.numbers, v.x, v.y, v.z, w)
    VF clear = nothing;
    uint32_t near = 0;
    if (walk->keeps_clear) {
        clear = clear_of(walk, i, l.numbers, from.x, from.y, from.z);
        const VF way = V_MUL(dt, length_lanes(v));
        near = l.all ^ (l.all & M_BITS(V_LT(V_ADD(radius, way), clear)));
    }
    if (m->force_count > 0) {
        float forces[3][LANES] = {{0.0f}};
        for (uint32_t k = 0; k < l.count; ++k) {
            const uint32_t id = walk->engine->ids[s->tag[i + k][0]];
            for (int n = 0; n < 3 && id < m->force_count; ++n)
                forces[n][k] += m->forces[id][n];
        }
        force = (lane_vec){V_LOAD(forces[0]), V_LOAD(forces[1]), V_LOAD(forces[2])};
    }
    v.x = pushed(v.x, force.x, w, m->motion.gx, &m->motion);
    v.y = pushed(v.y, force.y, w, m->motion.gy, &m->motion);
    v.z = pushed(v.z, force.z, w, m->motion.gz, &m->motion);
    const lane_vec limited = limit_lanes(V_SET(m->motion.speed_limit), v);
    const uint32_t slowed = unlike(limited, v, l.all);
    v = limited;
    const lane_vec ahead = {V_ADD(from.x, V_MUL(dt, v.x)), V_ADD(from.y, V_MUL(dt, v.y)),
                            V_ADD(from.z, V_MUL(dt, v.z))};
    lane_vec to = held_lanes(&m->domain, ahead);
    if (walk->keeps_clear) near |= may_stop(clear, length_lanes(less_lanes(to, from)), radius, l.all);
    tally->counters.slowed += bits_in(slowed & ~near);
    if (near) {
        tact_particle_self done[LANES];
        for (uint32_t k = 0; k < l.count; ++k) {
            if (near >> k & 1u) done[k] = tact_cpu_predict_near(walk, i + k, &tally->counters);
        }
        replace_near(done, near, &to, &v);
    }
    put_rows(s->from + i, from.x, from.y, from.z, nothing, l.count);
    put_rows(s->velocity + i, v.x, v.y, v.z, w, l.count);
    put_numbers(s->x + i, to.x, l.count);
    put_numbers(s->y + i, to.y, l.count);
    put_numbers(s->z + i, to.z, l.count);
}

/// Those that may touch a collider or body.
LANES_FN uint32_t may_touch(const tact_particle_walk* walk, const lane_slots* l, lane_vec at, VF radius)
{
    if (!walk->keeps_clear) return 0;
    return l->all ^ (l->all & M_BITS(V_LT(radius, clear_of(walk, l->at, l->numbers, at.x, at.y, at.z))));
}

/// What particles got from all that they touch, and how many that are.
typedef struct lane_shift {
    lane_vec sum;
    VF count;
} lane_shift;

/// Particles where they are now: for walls.
typedef struct lane_moved {
    lane_vec s;  ///< tact_position_shift(): a wall's way less their own
    VF radius, share, friction;
} lane_moved;

/// tact_position_shift() for a wall across the axis whose unit vector is (ax, ay, az); `sign`: that of the normal.
LANES_FN void shift_from_face(lane_shift* to, const lane_moved* p, VF distance, float ax, float ay, float az,
                              float sign)
{
    const VF nothing = V_SET(0.0f), depth = V_SUB(p->radius, distance);
    const VM touches = V_LE(nothing, depth);
    if (!M_BITS(touches)) return;
    const VF nx = V_SET(-(sign * ax)), ny = V_SET(-(sign * ay)), nz = V_SET(-(sign * az));
    const VF deep = V_MAX(depth, nothing), back = V_MUL(p->share, deep);
    const VF along = dot_lanes(p->s.x, p->s.y, p->s.z, nx, ny, nz);
    const lane_vec t = {V_SUB(p->s.x, V_MUL(along, nx)), V_SUB(p->s.y, V_MUL(along, ny)),
                        V_SUB(p->s.z, V_MUL(along, nz))};
    const VF slip = length_lanes(t), most = V_MUL(p->friction, deep);
    const VF part = V_SELECT(V_LT(most, slip), V_MUL(p->share, V_DIV(most, slip)), p->share);
    const lane_vec after = {V_ADD(to->sum.x, V_SUB(V_MUL(part, t.x), V_MUL(back, nx))),
                            V_ADD(to->sum.y, V_SUB(V_MUL(part, t.y), V_MUL(back, ny))),
                            V_ADD(to->sum.z, V_SUB(V_MUL(part, t.z), V_MUL(back, nz)))};
    to->sum = select_lanes(touches, after, to->sum);
    to->count = V_ADD(to->count, V_SELECT(touches, V_SET(1.0f), nothing));
}

LANES_FN void shift_from_faces(lane_shift* to, const lane_moved* p, const TactDomainAxis* a, VF x, float ax, float ay,
                               float az)
{
    if (a->faces != TACT_FACES_WALL) return;
    shift_from_face(to, p, V_SUB(x, V_SET(a->lower)), ax, ay, az, 1.0f);
    shift_from_face(to, p, V_SUB(V_SET(a->upper), x), ax, ay, az, -1.0f);
}

/// What walls do to particles.
LANES_FN void add_wall_shifts(const tact_particle_walk* walk, const lane_slots* l, lane_vec at, VF radius,
                              lane_shift* shift)
{
    const tact_particle_model* m = walk->model;
    if (!(at_wall(&m->domain.x, at.x, radius) | at_wall(&m->domain.y, at.y, radius) |
          at_wall(&m->domain.z, at.z, radius))) {
        return;
    }
    const VF nothing = V_SET(0.0f);
    const float(*rows)[4] = walk->motion + l->at;
    lane_vec moved;
    VF w;
    V_ROWS(rows, l->numbers, moved.x, moved.y, moved.z, w)
    lane_moved p = {{V_SUB(nothing, moved.x), V_SUB(nothing, moved.y), V_SUB(nothing, moved.z)},
                    radius,
                    V_SELECT(V_LT(nothing, w), V_SET(1.0f), nothing),
                    V_SET(walk->wall_friction)};
    if (!walk->one_rule) {
        float friction[LANES];
        for (uint32_t k = 0; k < LANES; ++k) {
            const uint32_t own = tact_tag_material(walk->slots.tag[l->at + l->numbers[k]][1]);
            friction[k] = m->rules[own * TACT_PARTICLE_MATERIALS + m->wall_material].friction;
        }
        p.friction = V_LOAD(friction);
    }
    shift_from_faces(shift, &p, &m->domain.x, at.x, 1.0f, 0.0f, 0.0f);
    shift_from_faces(shift, &p, &m->domain.y, at.y, 0.0f, 1.0f, 0.0f);
    shift_from_faces(shift, &p, &m->domain.z, at.z, 0.0f, 0.0f, 1.0f);
}

/// The sums of particles, and what walls, colliders and bodies add.
LANES_FN lane_shift all_shifts(const tact_particle_walk* walk, const lane_slots* l, lane_vec at, VF radius)
{
    lane_shift shift;
    V_ROWS(walk->sums + l->at, l->numbers, shift.sum.x, shift.sum.y, shift.sum.z, shift.count)
    add_wall_shifts(walk, l, at, radius, &shift);
    const uint32_t near = may_touch(walk, l, at, radius);
    if (!near) return shift;
    float rows[LANES][4];
    V_STORE_ROWS(rows, shift.sum.x, shift.sum.y, shift.sum.z, shift.count)
    for (uint32_t k = 0; k < l->count; ++k) {
        if (!(near >> k & 1u)) continue;
        memcpy(rows[k], walk->sums[l->at + k], sizeof rows[k]);
        tact_cpu_shift_near(walk, l->at + k, rows[k]);
    }
    V_ROWS(rows, l->numbers, shift.sum.x, shift.sum.y, shift.sum.z, shift.count)
    return shift;
}

/// Moves particles by what they got from all that they touch, and notes how far that was. Returns how far, in radii,
/// contacts have moved any since the substep began, or `moved` if that is more.
LANES_FN VF move_lanes(const tact_particle_walk* walk, size_t i, size_t end, VF moved)
{
    const tact_particle_model* m = walk->model;
    const tact_particle_slots* s = &walk->slots;
    const lane_slots l = slots_at(i, end);
    const lane_vec at = {get_numbers(s->x, &l), get_numbers(s->y, &l), get_numbers(s->z, &l)};
    const VF radius = get_numbers(s->radius, &l), nothing = V_SET(0.0f);
    const lane_shift all = all_shifts(walk, &l, at, radius);
    const lane_vec shift = all.sum;
    const VF count = all.count;
    lane_vec from;
    VF way;
    V_ROWS(s->from + i, l.numbers, from.x, from.y, from.z, way)
    const VM touched = V_LT(nothing, count);
    // tact_position_factor().
    const VF mean = V_DIV(V_SET(m->relaxation), count), one = V_SET(1.0f);
    const VF factor = V_SELECT(V_LT(mean, one), mean, one);
    const lane_vec there = {V_ADD(at.x, V_MUL(shift.x, factor)), V_ADD(at.y, V_MUL(shift.y, factor)),
                            V_ADD(at.z, V_MUL(shift.z, factor))};
    const lane_vec to = select_lanes(touched, there, at);
    // Whatever is not a number counts as far.
    const VF longer = V_MIN(V_ADD(way, length_lanes(less_lanes(to, at))), V_SET(TACT_FARTHEST));
    way = V_SELECT(touched, V_MAX(longer, V_SET(FLT_MIN)), way);
    const lane_vec motion = less_lanes(to, from);
    VF unused[3], w;
    V_ROWS(walk->motion + i, l.numbers, unused[0], unused[1], unused[2], w)
    (void)unused;
    put_rows(s->from + i, from.x, from.y, from.z, way, l.count);
    put_rows(walk->engine->motion + i, motion.x, motion.y, motion.z, w, l.count);
    put_rows(walk->engine->places + i, to.x, to.y, to.z, radius, l.count);
    put_numbers(s->x + i, to.x, l.count);
    put_numbers(s->y + i, to.y, l.count);
    put_numbers(s->z + i, to.z, l.count);
    return V_MAX(V_DIV(way, radius), moved);
}

/// tact_particle_settle().
LANES_FN void settle_lanes(const tact_particle_walk* walk, size_t i, size_t end, tact_cpu_tally* tally)
{
    const tact_particle_model* m = walk->model;
    const tact_particle_slots* s = &walk->slots;
    const lane_slots l = slots_at(i, end);
    const lane_vec to = {V_LOAD(s->x + i), V_LOAD(s->y + i), V_LOAD(s->z + i)};
    const VF nothing = V_SET(0.0f), dt = V_SET(m->motion.dt);
    lane_vec from, v;
    VF way, w;
    V_ROWS(s->from + i, l.numbers, from.x, from.y, from.z, way)
    V_ROWS(s->velocity + i, l.numbers, v.x, v.y, v.z, w)
    const lane_vec stop = held_lanes(&m->domain, to);
    const lane_vec d = less_lanes(stop, from);
    uint32_t near = 0;
    if (walk->keeps_clear) {
        const VF clear = clear_of(walk, i, l.numbers, from.x, from.y, from.z);
        near = may_stop(clear, length_lanes(d), V_LOAD(s->radius + i), l.all);
    }
    const VF most = V_ADD(length_lanes(v), V_SET(m->separation_speed));
    const lane_vec speed = {speed_clamp(V_DIV(d.x, dt)), speed_clamp(V_DIV(d.y, dt)), speed_clamp(V_DIV(d.z, dt))};
    const lane_vec u = limit_lanes(most, speed);
    const VM moves = V_LT(nothing, w);
    const VM sleeps = M_AND(M_AND(moves, V_LT(nothing, way)), V_LT(length_lanes(u), V_SET(m->sleep_speed)));
    lane_vec after = select_lanes(moves, u, v);
    after.x = V_SELECT(sleeps, nothing, speed_at(&m->domain.x, stop.x, after.x));
    after.y = V_SELECT(sleeps, nothing, speed_at(&m->domain.y, stop.y, after.y));
    after.z = V_SELECT(sleeps, nothing, speed_at(&m->domain.z, stop.z, after.z));
    const lane_vec put = {wrapped(&m->grid.x, stop.x), wrapped(&m->grid.y, stop.y), wrapped(&m->grid.z, stop.z)};
    lane_vec place = select_lanes(sleeps, from, put);
    if (near) {
        tact_particle_self done[LANES];
        for (uint32_t k = 0; k < l.count; ++k) {
            if (near >> k & 1u) done[k] = tact_cpu_settle_near(walk, i + k, &tally->counters);
        }
        replace_near(done, near, &place, &after);
    }
    put_rows(s->velocity + i, after.x, after.y, after.z, w, l.count);
    put_numbers(s->x + i, place.x, l.count);
    put_numbers(s->y + i, place.y, l.count);
    put_numbers(s->z + i, place.z, l.count);
}

LANES_TARGET static void predict(const tact_particle_walk* walk, size_t begin, size_t end, tact_cpu_tally* tally)
{
    for (size_t i = begin; i < end; i += LANES)
        predict_lanes(walk, i, end, tally);
}

LANES_TARGET static void shift(const tact_particle_walk* walk, size_t begin, size_t end, tact_cpu_tally* tally)
{
    VF moved = V_SET(tally->moved);
    for (size_t i = begin; i < end; i += LANES)
        moved = move_lanes(walk, i, end, moved);
    float each[LANES];
    V_STORE(each, moved);
    for (uint32_t k = 0; k < LANES; ++k)
        tally->moved = each[k] > tally->moved ? each[k] : tally->moved;
}

LANES_TARGET static void settle(const tact_particle_walk* walk, size_t begin, size_t end, tact_cpu_tally* tally)
{
    for (size_t i = begin; i < end; i += LANES)
        settle_lanes(walk, i, end, tally);
}
