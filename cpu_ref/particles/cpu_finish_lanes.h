// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The end of a substep for several particles at a time: tact_particle_finish() in lanes for those that have walls in
// their way at most, and one by one for those near colliders and bodies. Included by cpu_lanes_body.h.

/// tact_speed_clamp().
LANES_FN VF speed_clamp(VF v)
{
    const VF most = V_SET(TACT_SPEED_RANGE), least = V_SET(-TACT_SPEED_RANGE);
    const VF low = V_SELECT(V_LT(v, least), least, V_SET(0.0f));
    return V_SELECT(V_LE(least, v), V_MIN(v, most), low);
}

/// A speed after a force: tact_motion_velocity() along one axis.
LANES_FN VF pushed(VF v, VF force, VF w, float gravity, const TactMotion* m)
{
    const VF a = V_ADD(V_MUL(force, w), V_SET(gravity));
    const VF u = V_MUL(V_ADD(v, V_MUL(V_SET(m->dt), a)), V_SET(m->drag));
    return speed_clamp(V_SELECT(V_LT(V_SET(0.0f), w), u, v));
}

/// tact_domain_speed().
LANES_FN VF speed_at(const TactDomainAxis* a, VF x, VF v)
{
    if (a->faces != TACT_FACES_WALL) return v;
    const VF nothing = V_SET(0.0f);
    const VM below = M_AND(V_LT(x, V_SET(a->lower)), V_LT(v, nothing));
    const VF held = V_SELECT(below, nothing, v);
    return V_SELECT(M_AND(V_LT(V_SET(a->upper), x), V_LT(nothing, v)), nothing, held);
}

/// tact_domain_hold().
LANES_FN VF held(const TactDomainAxis* a, VF x)
{
    const bool wall = a->faces == TACT_FACES_WALL;
    return V_MIN(V_MAX(x, V_SET(wall ? a->lower : -TACT_FARTHEST)), V_SET(wall ? a->upper : TACT_FARTHEST));
}

/// tact_grid_wrap().
LANES_FN VF wrapped(const TactGridAxis* g, VF inside)
{
    if (!(g->period > 0.0f)) return inside;
    const VF origin = V_SET(g->origin), end = V_SET(g->origin + g->period), period = V_SET(g->period);
    const VF up = V_ADD(inside, period), down = V_SUB(inside, period);
    const VF raised = V_SELECT(V_LT(inside, origin), V_SELECT(V_LT(up, end), up, origin), inside);
    return V_SELECT(V_LE(end, inside), V_SELECT(V_LE(origin, down), down, origin), raised);
}

/// Whether particles touch a wall across an axis.
LANES_FN uint32_t at_wall(const TactDomainAxis* a, VF x, VF radius)
{
    if (a->faces != TACT_FACES_WALL) return 0;
    const VF nothing = V_SET(0.0f);
    return M_BITS(V_LE(nothing, V_SUB(radius, V_SUB(x, V_SET(a->lower))))) |
           M_BITS(V_LE(nothing, V_SUB(radius, V_SUB(V_SET(a->upper), x))));
}

static void add_walls(const tact_particle_walk* walk, size_t i)
{
    float* sum = walk->sums[i];
    const tact_particle_self p = tact_cpu_self(walk->engine, i);
    TactVec force = tact_vec(sum[0], sum[1], sum[2]);
    tact_particle_wall_forces(walk->model, &p, &force);
    sum[0] = force.x;
    sum[1] = force.y;
    sum[2] = force.z;
}

static void add_caller_forces(const tact_particle_walk* walk, size_t begin, uint32_t count)
{
    const tact_particle_model* m = walk->model;
    for (size_t i = begin; i < begin + count; ++i) {
        const uint32_t id = walk->engine->ids[walk->slots.tag[i][0]];
        for (int k = 0; k < 3 && id < m->force_count; ++k)
            walk->sums[i][k] += m->forces[id][k];
    }
}

static inline uint32_t bits_in(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        ++count;
    return count;
}

/// Works out the particles of `near` one by one, from the sums before walls, into rows of velocities and into places.
static void finish_near(const tact_particle_walk* walk, size_t i, uint32_t near, const float (*sums)[4],
                        float (*rows)[4], float (*places)[LANES], tact_particle_counters* counters)
{
    for (uint32_t k = 0; k < LANES; ++k) {
        if (!(near >> k & 1u)) continue;
        const tact_particle_self p = tact_cpu_finish_near(walk, i + k, sums[k], counters);
        const float row[4] = {p.vx, p.vy, p.vz, p.inverse_mass};
        memcpy(rows[k], row, sizeof row);
        places[0][k] = p.x;
        places[1][k] = p.y;
        places[2][k] = p.z;
    }
}

/// What is clear about slots i and following: tact_cpu_clear().
LANES_FN VF clear_of(const tact_particle_walk* walk, size_t i, const uint32_t* numbers, VF x, VF y, VF z)
{
    VF ax, ay, az, most;
    V_ROWS(walk->slots.clear + i, numbers, ax, ay, az, most)
    const VF dx = V_SUB(x, ax), dy = V_SUB(y, ay), dz = V_SUB(z, az);
    return V_SUB(most, V_SQRT(dot_lanes(dx, dy, dz, dx, dy, dz)));
}

/// Slots i to i + LANES - 1, of which the first `count` are there.
LANES_FN void finish_lanes(const tact_particle_walk* walk, size_t i, uint32_t count, tact_particle_counters* counters)
{
    const tact_particle_model* m = walk->model;
    const tact_particle_slots* s = &walk->slots;
    const TactDomain* domain = &m->domain;
    const TactGrid* grid = &m->grid;
    const uint32_t all = (1u << count) - 1u;
    const VF x = V_LOAD(s->x + i), y = V_LOAD(s->y + i), z = V_LOAD(s->z + i), radius = V_LOAD(s->radius + i);
    uint32_t numbers[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
        numbers[k] = k < count ? k : 0;
    // Those that may touch a collider or body, or come to one: particle i + k is in bit k.
    uint32_t near = 0;
    VF clear = V_SET(0.0f);
    float sums[LANES][4];
    if (walk->keeps_clear) {
        clear = clear_of(walk, i, numbers, x, y, z);
        near = all ^ (all & M_BITS(V_LT(radius, clear)));
        memcpy(sums, walk->sums + i, count * sizeof sums[0]);
    }
    if (m->response == TACT_RESPONSE_SPRING) {
        const uint32_t walls =
            all & ~near &
            (at_wall(&domain->x, x, radius) | at_wall(&domain->y, y, radius) | at_wall(&domain->z, z, radius));
        for (uint32_t k = 0; walls && k < LANES; ++k) {
            if (walls >> k & 1u) add_walls(walk, i + k);
        }
    }
    if (m->force_count > 0) add_caller_forces(walk, i, count);
    VF vx, vy, vz, w, fx, fy, fz, unused;
    V_ROWS(s->velocity + i, numbers, vx, vy, vz, w)
    V_ROWS(walk->sums + i, numbers, fx, fy, fz, unused)
    (void)unused;
    vx = pushed(vx, fx, w, m->motion.gx, &m->motion);
    vy = pushed(vy, fy, w, m->motion.gy, &m->motion);
    vz = pushed(vz, fz, w, m->motion.gz, &m->motion);
    const VF limit = V_SET(m->motion.speed_limit);
    const VF speed = V_SQRT(dot_lanes(vx, vy, vz, vx, vy, vz));
    const VM fast = V_LT(limit, speed);
    uint32_t slowed = 0;
    if (M_BITS(fast)) {
        const VF factor = V_DIV(limit, speed);
        const VF lx = V_SELECT(fast, V_MUL(vx, factor), vx);
        const VF ly = V_SELECT(fast, V_MUL(vy, factor), vy);
        const VF lz = V_SELECT(fast, V_MUL(vz, factor), vz);
        slowed = all ^ (all & M_BITS(M_AND(M_AND(V_EQ(lx, vx), V_EQ(ly, vy)), V_EQ(lz, vz))));
        vx = lx;
        vy = ly;
        vz = lz;
    }
    const VF dt = V_SET(m->motion.dt);
    const VF to_x = V_ADD(x, V_MUL(dt, vx)), to_y = V_ADD(y, V_MUL(dt, vy)), to_z = V_ADD(z, V_MUL(dt, vz));
    vx = speed_at(&domain->x, to_x, vx);
    vy = speed_at(&domain->y, to_y, vy);
    vz = speed_at(&domain->z, to_z, vz);
    const VF end_x = held(&domain->x, to_x), end_y = held(&domain->y, to_y), end_z = held(&domain->z, to_z);
    if (walk->keeps_clear) {
        const VF mx = V_SUB(end_x, x), my = V_SUB(end_y, y), mz = V_SUB(end_z, z);
        const VF way = V_SQRT(dot_lanes(mx, my, mz, mx, my, mz));
        near |= all ^ (all & M_BITS(V_LT(V_ADD(way, V_MUL(radius, V_SET(0.5f))), clear)));
    }
    float rows[LANES][4], places[3][LANES];
    V_STORE_ROWS(rows, vx, vy, vz, w)
    V_STORE(places[0], wrapped(&grid->x, end_x));
    V_STORE(places[1], wrapped(&grid->y, end_y));
    V_STORE(places[2], wrapped(&grid->z, end_z));
    counters->slowed += bits_in(slowed & ~near);
    if (near) finish_near(walk, i, near, (const float(*)[4])sums, rows, places, counters);
    memcpy(s->x + i, places[0], count * sizeof(float));
    memcpy(s->y + i, places[1], count * sizeof(float));
    memcpy(s->z + i, places[2], count * sizeof(float));
    memcpy(s->velocity + i, rows, count * sizeof rows[0]);
}

LANES_TARGET static void finish(const tact_particle_walk* walk, size_t begin, size_t end,
                                tact_particle_counters* counters)
{
    size_t i = begin;
    for (; i + LANES <= end; i += LANES)
        finish_lanes(walk, i, LANES, counters);
    if (i < end) finish_lanes(walk, i, (uint32_t)(end - i), counters);
}
