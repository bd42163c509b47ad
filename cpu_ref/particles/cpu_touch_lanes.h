// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What touching particles do to each other, several contacts at a time: kernels/particle_contact.h in lanes. Included
// by cpu_lanes_body.h.

/// LANES pairs of slots.
typedef struct lane_pairs {
    const uint32_t *i, *j;
} lane_pairs;

/// The normals of LANES contacts, their depths, both radii, and whether they touch at all.
typedef struct lane_touch {
    VF nx, ny, nz, depth, radius_i, radius_j;
    VM touches;
} lane_touch;

/// As tact_touch_spheres() does for centres that coincide.
static void set_coincident_normals(const tact_particle_walk* walk, lane_pairs p, const float* distance, float* nx,
                                   float* ny, float* nz)
{
    for (uint32_t k = 0; k < LANES; ++k) {
        if (distance[k] > TACT_COINCIDENT) continue;
        const uint32_t i = walk->slots.tag[p.i[k]][0], j = walk->slots.tag[p.j[k]][0];
        nx[k] = 0.0f;
        ny[k] = i < j ? 1.0f : -1.0f;
        nz[k] = 0.0f;
    }
}

/// tact_grid_shorter().
LANES_FN VF shorter_lanes(VF d, float period)
{
    const VF half = V_SET(0.5f * period), length = V_SET(period);
    const VF result = V_SELECT(V_LT(half, d), V_SUB(d, length), d);
    return V_SELECT(V_LT(d, V_SUB(V_SET(0.0f), half)), V_ADD(d, length), result);
}

LANES_FN VF dot_lanes(VF ax, VF ay, VF az, VF bx, VF by, VF bz)
{
    return V_ADD(V_ADD(V_MUL(ax, bx), V_MUL(ay, by)), V_MUL(az, bz));
}

LANES_FN lane_touch touch_lanes(const tact_particle_walk* walk, lane_pairs p)
{
    VF ix, iy, iz, ir, jx, jy, jz, jr;
    V_ROWS(walk->places, p.i, ix, iy, iz, ir)
    V_ROWS(walk->places, p.j, jx, jy, jz, jr)
    VF dx = V_SUB(jx, ix), dy = V_SUB(jy, iy), dz = V_SUB(jz, iz);
    if (walk->periodic) {
        dx = shorter_lanes(dx, walk->table->grid.x.period);
        dy = shorter_lanes(dy, walk->table->grid.y.period);
        dz = shorter_lanes(dz, walk->table->grid.z.period);
    }
    const VF reach = V_ADD(ir, jr);
    const VF distance2 = dot_lanes(dx, dy, dz, dx, dy, dz);
    const VF distance = V_SQRT(distance2);
    const VF depth = V_SUB(reach, distance);
    const VF inverse = V_DIV(V_SET(1.0f), distance);
    lane_touch t = {V_MUL(dx, inverse),
                    V_MUL(dy, inverse),
                    V_MUL(dz, inverse),
                    V_MAX(depth, V_SET(0.0f)),
                    ir,
                    jr,
                    V_LE(distance2, V_MUL(reach, reach))};
    if (M_BITS(V_LE(distance, V_SET(TACT_COINCIDENT)))) {
        float distances[LANES], nx[LANES], ny[LANES], nz[LANES];
        V_STORE(distances, distance);
        V_STORE(nx, t.nx);
        V_STORE(ny, t.ny);
        V_STORE(nz, t.nz);
        set_coincident_normals(walk, p, distances, nx, ny, nz);
        t.nx = V_LOAD(nx);
        t.ny = V_LOAD(ny);
        t.nz = V_LOAD(nz);
    }
    return t;
}

/// The rules of LANES contacts.
typedef struct lane_rules {
    VF stiffness, normal_damping, friction, tangential_damping;
} lane_rules;

static void gather_rules(const tact_walk_worker* w, lane_pairs p, float rules[4][LANES])
{
    const tact_particle_walk* walk = w->walk;
    for (uint32_t k = 0; k < LANES; ++k) {
        const uint32_t i = tact_tag_material(walk->slots.tag[p.i[k]][1]);
        const uint32_t j = tact_tag_material(walk->slots.tag[p.j[k]][1]);
        const TactContactRule* r = &walk->model->rules[i * TACT_PARTICLE_MATERIALS + j];
        rules[0][k] = r->stiffness;
        rules[1][k] = r->normal_damping;
        rules[2][k] = r->friction;
        rules[3][k] = r->tangential_damping;
    }
}

LANES_FN lane_rules rules_lanes(const tact_walk_worker* w, lane_pairs p)
{
    const tact_particle_walk* walk = w->walk;
    if (walk->one_rule) {
        const lane_rules one = {V_SET(walk->rule.stiffness), V_SET(walk->rule.normal_damping),
                                V_SET(walk->rule.friction), V_SET(walk->rule.tangential_damping)};
        return one;
    }
    float values[4][LANES];
    gather_rules(w, p, values);
    const lane_rules rules = {V_LOAD(values[0]), V_LOAD(values[1]), V_LOAD(values[2]), V_LOAD(values[3])};
    return rules;
}

/// tact_spring_force(): what i gets; j gets the opposite.
LANES_FN void spring_lanes(tact_walk_worker* w, lane_pairs p, uint32_t at)
{
    const tact_particle_walk* walk = w->walk;
    const lane_touch t = touch_lanes(walk, p);
    const lane_rules rule = rules_lanes(w, p);
    VF ix, iy, iz, iw, jx, jy, jz, jw;
    V_ROWS(walk->motion, p.i, ix, iy, iz, iw)
    V_ROWS(walk->motion, p.j, jx, jy, jz, jw)
    const VF vx = V_SUB(jx, ix), vy = V_SUB(jy, iy), vz = V_SUB(jz, iz), inverse_mass = V_ADD(iw, jw);
    const VF dashpot = walk->same_dashpot ? V_SET(walk->dashpot) : V_SQRT(V_DIV(rule.stiffness, inverse_mass));
    const VF damping = V_MUL(rule.normal_damping, dashpot);
    const VF along = dot_lanes(vx, vy, vz, t.nx, t.ny, t.nz);
    const VF push = V_MAX(V_SUB(V_MUL(rule.stiffness, t.depth), V_MUL(damping, along)), V_SET(0.0f));
    const VF tx = V_SUB(vx, V_MUL(along, t.nx));
    const VF ty = V_SUB(vy, V_MUL(along, t.ny));
    const VF tz = V_SUB(vz, V_MUL(along, t.nz));
    const VF slip = V_SQRT(dot_lanes(tx, ty, tz, tx, ty, tz));
    const VF full = V_MUL(rule.tangential_damping, dashpot);
    const VF most = V_MUL(rule.friction, push);
    const VF drag = V_SELECT(V_LT(most, V_MUL(full, slip)), V_DIV(most, slip), full);
    const VF nothing = V_SET(0.0f);
    const VM moves = V_LT(nothing, inverse_mass);
    const VF fx = V_SELECT(moves, V_SUB(V_MUL(drag, tx), V_MUL(push, t.nx)), nothing);
    const VF fy = V_SELECT(moves, V_SUB(V_MUL(drag, ty), V_MUL(push, t.ny)), nothing);
    const VF fz = V_SELECT(moves, V_SUB(V_MUL(drag, tz), V_MUL(push, t.nz)), nothing);
    V_STORE_ROWS(w->block.first + at, fx, fy, fz, nothing)
}

/// tact_position_shift() for one of the two. `count`: what is added to count it. Those that do not touch get zeros,
/// which change no sum, since none is ever -0: it begins with +0, and only two zeros of that sign make another.
LANES_FN void shift_lanes(float (*rows)[4], const lane_touch* t, VF tx, VF ty, VF tz, VM slides, VF limit, VF share,
                          float count)
{
    const VF nothing = V_SET(0.0f);
    const VF back = V_MUL(share, t->depth);
    const VF part = V_SELECT(slides, V_MUL(share, limit), share);
    const VF mx = V_SUB(V_MUL(part, tx), V_MUL(back, t->nx));
    const VF my = V_SUB(V_MUL(part, ty), V_MUL(back, t->ny));
    const VF mz = V_SUB(V_MUL(part, tz), V_MUL(back, t->nz));
    const VF rx = V_SELECT(t->touches, mx, nothing), ry = V_SELECT(t->touches, my, nothing);
    const VF rz = V_SELECT(t->touches, mz, nothing), one = V_SELECT(t->touches, V_SET(count), nothing);
    V_STORE_ROWS(rows, rx, ry, rz, one)
}

LANES_FN void position_lanes(tact_walk_worker* w, lane_pairs p, uint32_t at, const bool same_share)
{
    tact_touch_block* b = &w->block;
    const tact_particle_walk* walk = w->walk;
    const lane_touch t = touch_lanes(walk, p);
    const VF friction = walk->one_rule ? V_SET(walk->rule.friction) : rules_lanes(w, p).friction;
    VF ix, iy, iz, iw, jx, jy, jz, jw;
    V_ROWS(walk->motion, p.i, ix, iy, iz, iw)
    V_ROWS(walk->motion, p.j, jx, jy, jz, jw)
    const VF sx = V_SUB(jx, ix), sy = V_SUB(jy, iy), sz = V_SUB(jz, iz);
    const VF along = dot_lanes(sx, sy, sz, t.nx, t.ny, t.nz);
    const VF tx = V_SUB(sx, V_MUL(along, t.nx));
    const VF ty = V_SUB(sy, V_MUL(along, t.ny));
    const VF tz = V_SUB(sz, V_MUL(along, t.nz));
    const VF slip = V_SQRT(dot_lanes(tx, ty, tz, tx, ty, tz));
    const VF most = V_MUL(friction, t.depth);
    const VM slides = V_LT(most, slip);
    const VF limit = V_DIV(most, slip);
    // As seen from j all is opposite: its shift is the negative of this.
    if (same_share) {
        shift_lanes(b->first + at, &t, tx, ty, tz, slides, limit, V_SET(walk->share), 1.0f);
        return;
    }
    const VF sum = V_ADD(iw, jw);
    const VM moves = V_LT(V_SET(0.0f), sum);
    const VF share_i = V_SELECT(moves, V_DIV(iw, sum), V_SET(0.0f));
    const VF share_j = V_SELECT(moves, V_DIV(jw, sum), V_SET(0.0f));
    shift_lanes(b->first + at, &t, tx, ty, tz, slides, limit, share_i, 1.0f);
    shift_lanes(b->second + at, &t, tx, ty, tz, slides, limit, share_j, -1.0f);
}

/// How what a contact does is taken from the second of the two.
typedef enum lane_second {
    SECOND_SAME,      ///< its first row is
    SECOND_OWN,       ///< its second row is
    SECOND_OPPOSITE,  ///< its first row's opposite is added, but for the count
} lane_second;

/// To take a number away is to add its opposite.
LANES_FN void change_row(float to[4], f4 by)
{
    f4_store(to, f4_add(f4_load(to), by));
}

/// Adds what `count` contacts do, in order. Rows that nobody asks for are all one.
LANES_FN void add_rows(tact_walk_worker* w, lane_pairs p, uint32_t count, const lane_second second)
{
    const tact_touch_block* b = &w->block;
    float(*sums)[4] = w->walk->sums;
    const uint32_t low = w->low, size = w->high - w->low;
    for (uint32_t k = 0; k < count; ++k) {
        const size_t i = p.i[k] - low < size ? p.i[k] : w->spare;
        const size_t j = p.j[k] - low < size ? p.j[k] : w->spare;
        change_row(sums[i], f4_load(b->first[k]));
        if (second == SECOND_OWN) {
            change_row(sums[j], f4_negate(f4_load(b->second[k])));
        } else if (second == SECOND_OPPOSITE) {
            change_row(sums[j], f4_negate_three(f4_load(b->first[k])));
        } else {
            change_row(sums[j], f4_negate(f4_load(b->first[k])));
        }
    }
}

LANES_FN void work_out_positions(tact_walk_worker* w, lane_pairs p, uint32_t count, const bool same_share)
{
    for (uint32_t at = 0; at < count; at += LANES) {
        const lane_pairs some = {p.i + at, p.j + at};
        position_lanes(w, some, at, same_share);
    }
    add_rows(w, p, count, same_share ? SECOND_OPPOSITE : SECOND_OWN);
}

/// Works out at most TACT_TOUCH_BLOCK pairs. LANES numbers more can be read, and are of slots that are there.
LANES_FN void work_out(tact_walk_worker* w, lane_pairs p, uint32_t count)
{
    if (w->walk->model->response == TACT_RESPONSE_POSITION) {
        if (w->walk->same_share) {
            work_out_positions(w, p, count, true);
        } else {
            work_out_positions(w, p, count, false);
        }
        return;
    }
    for (uint32_t at = 0; at < count; at += LANES) {
        const lane_pairs some = {p.i + at, p.j + at};
        spring_lanes(w, some, at);
    }
    add_rows(w, p, count, SECOND_SAME);
}

LANES_FN void flush_block(tact_walk_worker* w)
{
    tact_touch_block* b = &w->block;
    if (b->count == 0) return;
    if (w->walk->contacts) {
        tact_walk_note(w);
        return;
    }
    // The last lanes work on something that is there.
    for (uint32_t k = b->count; k < b->count + LANES; ++k) {
        b->i[k] = b->i[0];
        b->j[k] = b->j[0];
    }
    if (w->list.i) tact_walk_list(w);
    if (w->walk->model->response == TACT_RESPONSE_GRAINS) {
        // These are listed alone.
        b->count = 0;
        return;
    }
    const lane_pairs pairs = {b->i, b->j};
    work_out(w, pairs, b->count);
    b->count = 0;
}
