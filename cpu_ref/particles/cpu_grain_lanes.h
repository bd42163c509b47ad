// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// GRAINS: kernels/grain_contact.h in lanes, and exact sums of what it says. Included by cpu_lanes_body.h.

#include "base/simd_longs.h"

#define ALL_LANES ((1u << LANES) - 1u)

LANES_FN lane_vec cross_lanes(lane_vec a, lane_vec b)
{
    const lane_vec c = {V_SUB(V_MUL(a.y, b.z), V_MUL(a.z, b.y)), V_SUB(V_MUL(a.z, b.x), V_MUL(a.x, b.z)),
                        V_SUB(V_MUL(a.x, b.y), V_MUL(a.y, b.x))};
    return c;
}

/// tact_contact_number().
LANES_FN VF number_lanes(VF x)
{
    return V_SELECT(V_LT(V_ABS(x), V_SET(0x1p-126f)), V_SET(0.0f), x);
}

/// tact_grain_tangent().
LANES_FN lane_vec tangent_lanes(lane_vec n, lane_vec v)
{
    const VF along = dot_lanes(v.x, v.y, v.z, n.x, n.y, n.z);
    const lane_vec t = {V_SUB(v.x, V_MUL(along, n.x)), V_SUB(v.y, V_MUL(along, n.y)), V_SUB(v.z, V_MUL(along, n.z))};
    return t;
}

/// A number along one axis that a spring is drawn by: all that tact_grain_spring() does there.
typedef struct lane_draw {
    VF stiffness, inverse, damping, dt;
} lane_draw;

LANES_FN VF drawn(const lane_draw* d, VF* memory, VF speed)
{
    *memory = V_ADD(*memory, V_MUL(d->dt, speed));
    return V_ADD(V_MUL(d->stiffness, *memory), V_MUL(d->damping, speed));
}

LANES_FN VF given_way(const lane_draw* d, VM gives, VF part, VF force, VF* memory, VF speed)
{
    const VF less = V_SELECT(gives, V_MUL(force, part), force);
    const VF back = V_MUL(V_SUB(less, V_MUL(d->damping, speed)), d->inverse);
    *memory = number_lanes(V_SELECT(gives, back, *memory));
    return less;
}

/// tact_grain_spring().
LANES_FN lane_vec grain_spring_lanes(const lane_draw* d, lane_vec* memory, lane_vec speed, VF most)
{
    lane_vec f = {drawn(d, &memory->x, speed.x), drawn(d, &memory->y, speed.y), drawn(d, &memory->z, speed.z)};
    const VF wanted = V_SQRT(dot_lanes(f.x, f.y, f.z, f.x, f.y, f.z));
    const VM gives = V_LT(most, wanted);
    const VF part = V_DIV(most, wanted);
    f.x = given_way(d, gives, part, f.x, &memory->x, speed.x);
    f.y = given_way(d, gives, part, f.y, &memory->y, speed.y);
    f.z = given_way(d, gives, part, f.z, &memory->z, speed.z);
    return f;
}

/// The same along one axis alone: the square of a number is its only square.
LANES_FN VF grain_spring_lane(const lane_draw* d, VF* memory, VF speed, VF most)
{
    const VF f = drawn(d, memory, speed);
    const VF wanted = V_SQRT(V_MUL(f, f));
    return given_way(d, V_LT(most, wanted), V_DIV(most, wanted), f, memory, speed);
}

/// The rules of LANES contacts.
typedef struct lane_grain_rule {
    VF stiffness, shear, normal_damping, tangential_damping, friction, rolling, twisting, adhesion, cohesion;
    VM hertz;
} lane_grain_rule;

LANES_FN lane_grain_rule grain_rule_of(const TactGrainRule* r)
{
    const lane_grain_rule one = {V_SET(r->stiffness),      V_SET(r->shear),
                                 V_SET(r->normal_damping), V_SET(r->tangential_damping),
                                 V_SET(r->friction),       V_SET(r->rolling),
                                 V_SET(r->twisting),       V_SET(r->adhesion),
                                 V_SET(r->cohesion),       M_OF_BITS(r->hertz ? ALL_LANES : 0u)};
    return one;
}

/// Of LANES pairs of materials.
LANES_FN lane_grain_rule gathered_rules(const tact_particle_model* model, const uint32_t* own, const uint32_t* others)
{
    float rules[9][LANES];
    uint32_t hertz = 0;
    for (uint32_t k = 0; k < LANES; ++k) {
        const TactGrainRule* r = &model->grain_rules[own[k] * TACT_PARTICLE_MATERIALS + others[k]];
        const float numbers[9] = {r->stiffness,          r->shear,    r->normal_damping,
                                  r->tangential_damping, r->friction, r->rolling,
                                  r->twisting,           r->adhesion, r->cohesion};
        for (int n = 0; n < 9; ++n)
            rules[n][k] = numbers[n];
        hertz |= (r->hertz ? 1u : 0u) << k;
    }
    const lane_grain_rule all = {V_LOAD(rules[0]), V_LOAD(rules[1]), V_LOAD(rules[2]), V_LOAD(rules[3]),
                                 V_LOAD(rules[4]), V_LOAD(rules[5]), V_LOAD(rules[6]), V_LOAD(rules[7]),
                                 V_LOAD(rules[8]), M_OF_BITS(hertz)};
    return all;
}

LANES_FN lane_grain_rule grain_rules(const tact_grain_pass* pass, lane_pairs p)
{
    const tact_particle_walk* walk = pass->walk;
    if (walk->one_rule) return grain_rule_of(&pass->rule);
    uint32_t own[LANES], others[LANES];
    for (uint32_t k = 0; k < LANES; ++k) {
        own[k] = tact_tag_material(walk->slots.tag[p.i[k]][1]);
        others[k] = tact_tag_material(walk->slots.tag[p.j[k]][1]);
    }
    return gathered_rules(walk->model, own, others);
}

/// Of contacts with walls.
LANES_FN lane_grain_rule wall_rules(const tact_grain_pass* pass, const uint32_t* slots)
{
    const tact_particle_walk* walk = pass->walk;
    if (walk->one_rule) return grain_rule_of(&pass->wall_rule);
    uint32_t own[LANES], others[LANES];
    for (uint32_t k = 0; k < LANES; ++k) {
        own[k] = tact_tag_material(walk->slots.tag[slots[k]][1]);
        others[k] = walk->model->wall_material;
    }
    return gathered_rules(walk->model, own, others);
}

/// tact_exact_scaled().
LANES_FN VF exact_lanes(VF x, float scale)
{
    const VF t = V_MUL(x, V_SET(scale)), most = V_SET(TACT_EXACT_MOST);
    const VF within = V_MIN(V_MAX(t, V_SET(-TACT_EXACT_MOST)), most);
    return V_SELECT(V_EQ(t, t), within, V_SET(0.0f));
}

/// What LANES contacts do: rows of what exact sums of both get.
typedef struct lane_grain_rows {
    float force[LANES][4], torque_i[LANES][4], torque_j[LANES][4];
    uint32_t capped;  ///< a bit for each force that is cut
} lane_grain_rows;

LANES_FN void torque_lanes(const tact_grain_pass* pass, float (*rows)[4], lane_vec arm, VF length, lane_vec turn,
                           VM counts)
{
    const VF nothing = V_SET(0.0f);
    const VF x = V_ADD(V_MUL(length, arm.x), turn.x), y = V_ADD(V_MUL(length, arm.y), turn.y);
    const VF z = V_ADD(V_MUL(length, arm.z), turn.z);
    const VF tx = V_SELECT(counts, exact_lanes(x, pass->torque_scale), nothing);
    const VF ty = V_SELECT(counts, exact_lanes(y, pass->torque_scale), nothing);
    const VF tz = V_SELECT(counts, exact_lanes(z, pass->torque_scale), nothing);
    V_STORE_ROWS(rows, tx, ty, tz, nothing)
}

/// tact_grain_stiffened(), and 1 for those that are not of Hertz.
LANES_FN VF stiffened_lanes(VM hertz, VF depth, VF along, VF dt)
{
    const VF nothing = V_SET(0.0f), one = V_SET(1.0f), before = V_ADD(depth, V_MUL(dt, along));
    const VF part = V_SELECT(V_LT(nothing, before), V_SQRT(V_DIV(before, depth)), nothing);
    return V_SELECT(M_AND(hertz, M_AND(V_LT(along, nothing), V_LT(nothing, depth))), part, one);
}

LANES_FN lane_vec scaled_lanes(lane_vec v, VF by)
{
    const lane_vec s = {V_MUL(v.x, by), V_MUL(v.y, by), V_MUL(v.z, by)};
    return s;
}

/// tact_grain_push() for `turn`. `kept`: of the memory.
LANES_FN lane_vec turn_lanes(const lane_grain_rule* rule, lane_vec n, lane_vec spin, VF radius, VF push, VF shear,
                             VF drag, VF dt, VF kept, lane_vec* rolled, VF* twisted)
{
    const VF square = V_MUL(radius, radius), nothing = V_SET(0.0f);
    const VF turning = V_MUL(shear, square), pushed = V_MUL(push, radius);
    const lane_draw draw = {turning, V_SELECT(V_LT(nothing, turning), V_DIV(V_SET(1.0f), turning), nothing),
                            V_MUL(drag, square), dt};
    lane_vec memory = tangent_lanes(n, scaled_lanes(*rolled, kept));
    VF twist_memory = V_MUL(*twisted, kept);
    const lane_vec rolling = tangent_lanes(n, spin);
    const VF twisting = dot_lanes(spin.x, spin.y, spin.z, n.x, n.y, n.z);
    const lane_vec roll = grain_spring_lanes(&draw, &memory, rolling, V_MUL(rule->rolling, pushed));
    const VF twist = grain_spring_lane(&draw, &twist_memory, twisting, V_MUL(rule->twisting, pushed));
    // Where the rule has neither nothing is remembered.
    const VM turns = M_OR(V_LT(nothing, rule->rolling), V_LT(nothing, rule->twisting));
    rolled->x = V_SELECT(turns, memory.x, nothing);
    rolled->y = V_SELECT(turns, memory.y, nothing);
    rolled->z = V_SELECT(turns, memory.z, nothing);
    *twisted = V_SELECT(turns, twist_memory, nothing);
    const lane_vec turn = {V_SELECT(turns, V_ADD(roll.x, V_MUL(twist, n.x)), nothing),
                           V_SELECT(turns, V_ADD(roll.y, V_MUL(twist, n.y)), nothing),
                           V_SELECT(turns, V_ADD(roll.z, V_MUL(twist, n.z)), nothing)};
    return turn;
}

/// How stiff contacts are, and how strong their dashpots.
typedef struct lane_stiffness {
    VF normal, shear, inverse_shear, damping, drag;
} lane_stiffness;

LANES_FN lane_stiffness linear_stiffness(const lane_grain_rule* rule, VF inverse_mass)
{
    const VF nothing = V_SET(0.0f), shear = rule->shear;
    const lane_stiffness s = {rule->stiffness, shear,
                              V_SELECT(V_LT(nothing, shear), V_DIV(V_SET(1.0f), shear), nothing),
                              V_MUL(rule->normal_damping, V_SQRT(V_DIV(rule->stiffness, inverse_mass))),
                              V_MUL(rule->tangential_damping, V_SQRT(V_DIV(shear, inverse_mass)))};
    return s;
}

LANES_FN lane_stiffness same_stiffness(const tact_grain_pass* pass)
{
    const lane_stiffness s = {V_SET(pass->rule.stiffness), V_SET(pass->rule.shear), V_SET(pass->inverse_shear),
                              V_SET(pass->damping), V_SET(pass->drag)};
    return s;
}

LANES_FN lane_stiffness stiffness_lanes(const lane_grain_rule* rule, VF radius, VF depth, VF inverse_mass)
{
    const VF nothing = V_SET(0.0f), root = V_SQRT(V_MUL(radius, depth));
    const VF normal = V_SELECT(rule->hertz, V_MUL(rule->stiffness, root), rule->stiffness);
    const VF shear = V_SELECT(rule->hertz, V_MUL(rule->shear, root), rule->shear);
    const VF slope = V_SELECT(rule->hertz, V_MUL(V_SET(1.5f), normal), rule->stiffness);
    const lane_stiffness s = {normal, shear, V_SELECT(V_LT(nothing, shear), V_DIV(V_SET(1.0f), shear), nothing),
                              V_MUL(rule->normal_damping, V_SQRT(V_DIV(slope, inverse_mass))),
                              V_MUL(rule->tangential_damping, V_SQRT(V_DIV(shear, inverse_mass)))};
    return s;
}

/// Returns a bit for each force that is cut: tact_exact_capped().
LANES_FN uint32_t force_lanes(const tact_grain_pass* pass, float (*rows)[4], lane_vec f, VM counts)
{
    const VF nothing = V_SET(0.0f);
    const VF x = V_SELECT(counts, exact_lanes(f.x, pass->force_scale), nothing);
    const VF y = V_SELECT(counts, exact_lanes(f.y, pass->force_scale), nothing);
    const VF z = V_SELECT(counts, exact_lanes(f.z, pass->force_scale), nothing);
    V_STORE_ROWS(rows, x, y, z, nothing)
    return M_BITS(V_LE(V_SET(TACT_EXACT_MOST), V_MAX(V_MAX(V_ABS(x), V_ABS(y)), V_ABS(z))));
}

/// How LANES pairs of surfaces meet, as seen from the first of each: tact_grain_meeting.
typedef struct lane_meeting {
    lane_vec n, slip, spin;
    VF depth, arm, other, radius, inverse_mass;
    VM touches;
} lane_meeting;

/// tact_grain_arm().
LANES_FN VF arm_lanes(VF radius, VF depth)
{
    return V_MAX(V_SUB(radius, V_MUL(V_SET(0.5f), depth)), V_MUL(V_SET(0.125f), radius));
}

/// tact_grain_push() for contacts from number `at` of a list on, and torques of it. `rolls`, `law`: as the
/// pass. `one_torque`: both get the same, that of `torque_i`.
LANES_FN void push_lanes(const tact_grain_pass* pass, const tact_grain_list* list, size_t at, const lane_meeting* m,
                         const lane_grain_rule* rule, lane_grain_rows* rows, const bool rolls,
                         const tact_grain_laws law, const bool one_torque)
{
    const VF nothing = V_SET(0.0f);
    const lane_vec n = m->n, slip = m->slip;
    const bool linear = law != TACT_GRAINS_ANY;
    const lane_stiffness s = law == TACT_GRAINS_SAME ? same_stiffness(pass)
                             : linear                ? linear_stiffness(rule, m->inverse_mass)
                                                     : stiffness_lanes(rule, m->radius, m->depth, m->inverse_mass);
    const VF along = dot_lanes(slip.x, slip.y, slip.z, n.x, n.y, n.z);
    const VF push = V_MAX(V_SUB(V_MUL(s.normal, m->depth), V_MUL(s.damping, along)), nothing);
    const VF most = V_MUL(rule->friction, push), hold = V_MUL(V_MUL(rule->cohesion, m->radius), m->depth);
    const VF net = linear ? push : V_SUB(V_SUB(push, V_MUL(rule->adhesion, m->radius)), hold);
    const VF dt = V_SET(pass->walk->model->motion.dt);
    const lane_draw draw = {s.shear, s.inverse_shear, s.drag, dt};
    const lane_vec before = {V_LOAD(list->memory[0] + at), V_LOAD(list->memory[1] + at), V_LOAD(list->memory[2] + at)};
    const VF kept = linear ? V_SET(1.0f) : stiffened_lanes(rule->hertz, m->depth, along, dt);
    lane_vec slid = tangent_lanes(n, linear ? before : scaled_lanes(before, kept));
    const lane_vec force = grain_spring_lanes(&draw, &slid, tangent_lanes(n, slip), most);
    const VM moves = V_LT(nothing, m->inverse_mass), counts = M_AND(m->touches, moves);
    V_STORE(list->memory[0] + at, V_SELECT(m->touches, V_SELECT(moves, slid.x, nothing), V_SET(-0.0f)));
    V_STORE(list->memory[1] + at, V_SELECT(counts, slid.y, nothing));
    V_STORE(list->memory[2] + at, V_SELECT(counts, slid.z, nothing));
    const lane_vec all = {V_SUB(force.x, V_MUL(net, n.x)), V_SUB(force.y, V_MUL(net, n.y)),
                          V_SUB(force.z, V_MUL(net, n.z))};
    rows->capped = force_lanes(pass, rows->force, all, counts);
    const lane_vec across = cross_lanes(n, force);
    lane_vec turn = {nothing, nothing, nothing};
    if (rolls) {
        lane_vec rolled = {V_LOAD(list->memory[3] + at), V_LOAD(list->memory[4] + at), V_LOAD(list->memory[5] + at)};
        VF twisted = V_LOAD(list->memory[6] + at);
        turn = turn_lanes(rule, n, m->spin, m->radius, push, s.shear, s.drag, dt, kept, &rolled, &twisted);
        V_STORE(list->memory[3] + at, V_SELECT(counts, rolled.x, nothing));
        V_STORE(list->memory[4] + at, V_SELECT(counts, rolled.y, nothing));
        V_STORE(list->memory[5] + at, V_SELECT(counts, rolled.z, nothing));
        V_STORE(list->memory[6] + at, V_SELECT(counts, twisted, nothing));
    }
    torque_lanes(pass, rows->torque_i, across, m->arm, turn, counts);
    if (one_torque) return;
    const lane_vec back = {V_SUB(nothing, turn.x), V_SUB(nothing, turn.y), V_SUB(nothing, turn.z)};
    torque_lanes(pass, rows->torque_j, across, m->other, back, counts);
}

/// Which of LANES contacts there were: all but those that remember -0.
LANES_FN uint32_t remembered_lanes(const float* memory)
{
    uint32_t words[LANES];
    memcpy(words, memory, sizeof words);
    return ALL_LANES ^ M_BITS(M_EQ_WORDS(words, UINT32_C(1) << 31));
}

/// LANES pairs from number `at` of a list on, as push_lanes() has them. `one_torque`: radii are equal and nothing
/// rolls. False where none of them touches, or did.
LANES_FN bool grain_lanes(const tact_grain_pass* pass, const tact_grain_list* list, size_t at, lane_grain_rows* rows,
                          const bool rolls, const tact_grain_laws law, const bool one_torque)
{
    const tact_particle_walk* walk = pass->walk;
    const lane_pairs p = {list->i + at, list->j + at};
    const lane_touch t = touch_lanes(walk, p);
    if ((M_BITS(t.touches) | remembered_lanes(list->memory[0] + at)) == 0) return false;
    const lane_grain_rule rule = grain_rules(pass, p);
    VF ix, iy, iz, iw, jx, jy, jz, jw, unused;
    V_ROWS(walk->motion, p.i, ix, iy, iz, iw)
    V_ROWS(walk->motion, p.j, jx, jy, jz, jw)
    const VF arm = arm_lanes(t.radius_i, t.depth), other = arm_lanes(t.radius_j, t.depth);
    const lane_vec n = {t.nx, t.ny, t.nz}, velocity = {V_SUB(jx, ix), V_SUB(jy, iy), V_SUB(jz, iz)};
    V_ROWS(pass->spin, p.i, ix, iy, iz, unused)
    V_ROWS(pass->spin, p.j, jx, jy, jz, unused)
    (void)unused;
    const lane_vec both = {V_ADD(V_MUL(arm, ix), V_MUL(other, jx)), V_ADD(V_MUL(arm, iy), V_MUL(other, jy)),
                           V_ADD(V_MUL(arm, iz), V_MUL(other, jz))};
    const lane_vec turned = cross_lanes(both, n);
    const lane_meeting m = {
        .n = n,
        .slip = {V_SUB(velocity.x, turned.x), V_SUB(velocity.y, turned.y), V_SUB(velocity.z, turned.z)},
        .spin = {V_SUB(jx, ix), V_SUB(jy, iy), V_SUB(jz, iz)},
        .depth = t.depth,
        .arm = arm,
        .other = other,
        .radius = law != TACT_GRAINS_ANY && !rolls ? V_SET(0.0f) : V_DIV(V_MUL(arm, other), V_ADD(arm, other)),
        .inverse_mass = V_ADD(iw, jw),
        .touches = t.touches};
    push_lanes(pass, list, at, &m, &rule, rows, rolls, law, one_torque);
    return true;
}

/// How many of the pairs, a bit each, are the list's own.
LANES_FN uint32_t count_own(const tact_grain_pass* pass, const tact_grain_list* list, size_t at, uint32_t bits,
                            uint32_t low, uint32_t high)
{
    uint32_t count = 0;
    for (size_t k = at; bits; ++k, bits >>= 1) {
        if (!(bits & 1u) || k >= list->count) continue;
        const tact_particle_cpu* e = pass->walk->engine;
        const uint32_t i = list->i[k], j = list->j[k];
        // Counted where the one with the smaller id is.
        if (tact_cpu_is_ghost(e, e->now.tag[i][0] < e->now.tag[j][0] ? i : j)) continue;
        count += tact_cpu_pair_is_own(e, low, high, list->one_sided, i, j);
    }
    return count;
}

LANES_FN uint32_t grains_in(const tact_grain_pass* pass, const tact_grain_list* list, uint32_t low, uint32_t high,
                            size_t spare, const bool rolls, const tact_grain_laws law, const bool one_torque)
{
    const uint32_t size = high - low;
    uint32_t capped = 0;
    for (size_t at = 0; at < list->count; at += LANES) {
        lane_grain_rows rows;
        if (!grain_lanes(pass, list, at, &rows, rolls, law, one_torque)) continue;
        if (rows.capped) capped += count_own(pass, list, at, rows.capped, low, high);
        const size_t left = list->count - at;
        for (uint32_t k = 0; k < LANES && k < left; ++k) {
            const uint32_t i = list->i[at + k], j = list->j[at + k];
            tact_grain_sums* a = &pass->sums[list->one_sided || i - low < size ? i : spare];
            tact_grain_sums* b = &pass->sums[!list->one_sided && j - low < size ? j : spare];
            const l4 force = l4_cut(f4_load(rows.force[k])), torque = l4_cut(f4_load(rows.torque_i[k]));
            l4_add_to(a->force, force);
            l4_take_from(b->force, force);
            l4_add_to(a->torque, torque);
            l4_add_to(b->torque, one_torque ? torque : l4_cut(f4_load(rows.torque_j[k])));
        }
    }
    return capped;
}

/// LANES particles and walls from number `at` of a list on: tact_touch_wall() and tact_grain_meet_surface().
LANES_FN void wall_lanes(const tact_grain_pass* pass, const tact_grain_list* list, size_t at, lane_grain_rows* rows,
                         const bool rolls, const tact_grain_laws law)
{
    const tact_particle_walk* walk = pass->walk;
    const uint32_t* slots = list->i + at;
    const lane_grain_rule rule = wall_rules(pass, slots);
    const VF nothing = V_SET(0.0f);
    VF x, y, z, radius, vx, vy, vz, w, plane, unused;
    lane_vec n;
    V_ROWS(walk->places, slots, x, y, z, radius)
    V_ROWS(walk->motion, slots, vx, vy, vz, w)
    V_ROWS(pass->walls, list->j + at, n.x, n.y, n.z, plane)
    // Of a normal one number is 1 or -1, the others are zeros.
    const VF place = V_SELECT(V_LT(nothing, V_ABS(n.x)), x, V_SELECT(V_LT(nothing, V_ABS(n.y)), y, z));
    const VF distance = V_MUL(V_ADD(V_ADD(n.x, n.y), n.z), V_SUB(plane, place)), depth = V_SUB(radius, distance);
    const VF deep = V_MAX(depth, nothing), arm = arm_lanes(radius, deep);
    V_ROWS(pass->spin, slots, x, y, z, unused)
    (void)unused;
    const lane_vec spin = {x, y, z}, turned = cross_lanes(scaled_lanes(spin, arm), n);
    const lane_meeting m = {.n = n,
                            .slip = {V_SUB(V_SUB(nothing, vx), turned.x), V_SUB(V_SUB(nothing, vy), turned.y),
                                     V_SUB(V_SUB(nothing, vz), turned.z)},
                            .spin = {V_SUB(nothing, x), V_SUB(nothing, y), V_SUB(nothing, z)},
                            .depth = deep,
                            .arm = arm,
                            .other = nothing,
                            .radius = arm,
                            .inverse_mass = w,
                            // What nothing moves feels no wall.
                            .touches = M_AND(V_LE(nothing, depth), V_LT(nothing, w))};
    push_lanes(pass, list, at, &m, &rule, rows, rolls, law, true);
}

LANES_FN uint32_t walls_in(const tact_grain_pass* pass, const tact_grain_list* list, const bool rolls,
                           const tact_grain_laws law)
{
    uint32_t capped = 0;
    for (size_t at = 0; at < list->count; at += LANES) {
        lane_grain_rows rows;
        wall_lanes(pass, list, at, &rows, rolls, law);
        const size_t left = list->count - at;
        for (uint32_t k = 0; k < LANES && k < left; ++k) {
            tact_grain_sums* sums = &pass->sums[list->i[at + k]];
            l4_add_to(sums->force, l4_cut(f4_load(rows.force[k])));
            l4_add_to(sums->torque, l4_cut(f4_load(rows.torque_i[k])));
            capped += rows.capped >> k & 1u;
        }
    }
    return capped;
}

LANES_TARGET static uint32_t walls(const tact_grain_pass* pass, const tact_grain_list* list)
{
    if (pass->rolls) return walls_in(pass, list, true, TACT_GRAINS_ANY);
    if (pass->wall_law == TACT_GRAINS_ANY) return walls_in(pass, list, false, TACT_GRAINS_ANY);
    return walls_in(pass, list, false, TACT_GRAINS_LINEAR);
}

/// Which of LANES particles are not farther than `most` from a face of the domain.
LANES_FN uint32_t near_face(const TactDomainAxis* a, VF x, VF most, const bool upper)
{
    if (a->faces != TACT_FACES_WALL) return 0;
    return M_BITS(V_LE(upper ? V_SUB(V_SET(a->upper), x) : V_SUB(x, V_SET(a->lower)), most));
}

LANES_TARGET static size_t near_walls(const tact_particle_walk* walk, size_t begin, size_t end, uint32_t* slots,
                                      uint32_t* faces)
{
    const tact_particle_slots* s = &walk->slots;
    const TactDomain* d = &walk->model->domain;
    size_t found = 0;
    for (size_t i = begin; i < end; i += LANES) {
        const VF x = V_LOAD(s->x + i), y = V_LOAD(s->y + i), z = V_LOAD(s->z + i);
        const VF most = V_MUL(V_LOAD(s->radius + i), V_SET(walk->stretch));
        const uint32_t all = end - i < LANES ? (1u << (end - i)) - 1u : ALL_LANES;
        const uint32_t near[6] = {near_face(&d->x, x, most, false), near_face(&d->x, x, most, true),
                                  near_face(&d->y, y, most, false), near_face(&d->y, y, most, true),
                                  near_face(&d->z, z, most, false), near_face(&d->z, z, most, true)};
        uint32_t some = all & (near[0] | near[1] | near[2] | near[3] | near[4] | near[5]);
        for (uint32_t k = 0; some; ++k, some >>= 1) {
            for (uint32_t face = 0; (some & 1u) && face < 6; ++face) {
                if (!(near[face] >> k & 1u)) continue;
                if (slots) {
                    slots[found] = (uint32_t)i + k;
                    faces[found] = face;
                }
                ++found;
            }
        }
    }
    return found;
}

LANES_TARGET static uint32_t grains(const tact_grain_pass* pass, const tact_grain_list* list, uint32_t low,
                                    uint32_t high, size_t spare)
{
    const bool one_torque = pass->walk->equal_radii;
    const tact_grain_laws any = TACT_GRAINS_ANY, linear = TACT_GRAINS_LINEAR, same = TACT_GRAINS_SAME;
    if (pass->rolls && pass->law == same) return grains_in(pass, list, low, high, spare, true, same, false);
    if (pass->rolls && pass->law == linear) return grains_in(pass, list, low, high, spare, true, linear, false);
    if (pass->rolls) return grains_in(pass, list, low, high, spare, true, any, false);
    if (pass->law == same && one_torque) return grains_in(pass, list, low, high, spare, false, same, true);
    if (pass->law == any && one_torque) return grains_in(pass, list, low, high, spare, false, any, true);
    if (pass->law == any) return grains_in(pass, list, low, high, spare, false, any, false);
    return grains_in(pass, list, low, high, spare, false, linear, false);
}

/// The quaternions in rows of four after a substep: tact_grain_turned().
LANES_FN void turn_rows(float (*rows)[4], const uint32_t* numbers, lane_vec spin, VF dt, uint32_t count)
{
    VF qx, qy, qz, qw;
    V_ROWS((const float(*)[4])rows, numbers, qx, qy, qz, qw)
    const VF half_dt = V_MUL(V_SET(0.5f), dt), half = V_SET(0.5f);
    const VF speed = length_lanes(spin);
    const VF part = V_SELECT(V_LT(half, V_MUL(half_dt, speed)), V_DIV(half, speed), half_dt);
    const VF ax = V_MUL(part, spin.x), ay = V_MUL(part, spin.y), az = V_MUL(part, spin.z);
    const VF x = V_ADD(qx, V_SUB(V_ADD(V_MUL(ax, qw), V_MUL(ay, qz)), V_MUL(az, qy)));
    const VF y = V_ADD(qy, V_SUB(V_ADD(V_MUL(ay, qw), V_MUL(az, qx)), V_MUL(ax, qz)));
    const VF z = V_ADD(qz, V_SUB(V_ADD(V_MUL(az, qw), V_MUL(ax, qy)), V_MUL(ay, qx)));
    const VF w = V_SUB(qw, V_ADD(V_ADD(V_MUL(ax, qx), V_MUL(ay, qy)), V_MUL(az, qz)));
    const VF square = V_ADD(V_ADD(V_ADD(V_MUL(x, x), V_MUL(y, y)), V_MUL(z, z)), V_MUL(w, w));
    const VF inverse = V_DIV(V_SET(1.0f), V_SQRT(square));
    put_rows(rows, V_MUL(x, inverse), V_MUL(y, inverse), V_MUL(z, inverse), V_MUL(w, inverse), count);
}

/// tact_grain_finish() and tact_grain_turned() for slots i and following, of which `count` are there.
LANES_FN void spin_lanes(const tact_grain_pass* pass, size_t i, uint32_t count)
{
    const tact_particle_walk* walk = pass->walk;
    const tact_particle_slots* s = &walk->slots;
    float torques[LANES][4];
    uint32_t numbers[LANES];
    for (uint32_t k = 0; k < LANES; ++k) {
        const uint32_t n = k < count ? k : 0;
        const tact_grain_sums* sums = &pass->sums[i + n];
        numbers[k] = n;
        f4_store(walk->sums[i + n], f4_mul(l4_value(sums->force), f4_set(walk->model->force_unit)));
        f4_store(torques[k], f4_mul(l4_value(sums->torque), f4_set(walk->model->torque_unit)));
    }
    VF x, y, z, w, tx, ty, tz, unused;
    V_ROWS(s->velocity + i, numbers, unused, unused, unused, w)
    V_ROWS(pass->spin + i, numbers, x, y, z, unused)
    V_ROWS((const float(*)[4])torques, numbers, tx, ty, tz, unused)
    (void)unused;
    const VF radius = V_LOAD(s->radius + i), dt = V_SET(walk->model->motion.dt);
    const VF push = V_MUL(dt, V_DIV(V_MUL(V_SET(2.5f), w), V_MUL(radius, radius)));
    const lane_vec spin = {speed_clamp(V_ADD(x, V_MUL(push, tx))), speed_clamp(V_ADD(y, V_MUL(push, ty))),
                           speed_clamp(V_ADD(z, V_MUL(push, tz)))};
    put_rows(pass->spin + i, spin.x, spin.y, spin.z, V_SET(0.0f), count);
    turn_rows(pass->turn + i, numbers, spin, dt, count);
}

/// Which of slots i and following may touch a collider or body.
LANES_FN uint32_t near_lanes(const tact_particle_walk* walk, size_t i, uint32_t count)
{
    const tact_particle_slots* s = &walk->slots;
    const VF x = V_LOAD(s->x + i), y = V_LOAD(s->y + i), z = V_LOAD(s->z + i), radius = V_LOAD(s->radius + i);
    uint32_t numbers[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
        numbers[k] = k < count ? k : 0;
    return (ALL_LANES ^ M_BITS(V_LT(radius, clear_of(walk, i, numbers, x, y, z)))) & ((1u << count) - 1u);
}

/// Notes how far slots i and following have come since their places were noted, and their places. Returns those that
/// have come too far, all in all.
LANES_FN uint32_t way_lanes(const tact_grain_pass* pass, size_t i, uint32_t count)
{
    const tact_particle_walk* walk = pass->walk;
    const tact_particle_slots* s = &walk->slots;
    const TactGrid* g = &walk->model->grid;
    const VF x = V_LOAD(s->x + i), y = V_LOAD(s->y + i), z = V_LOAD(s->z + i), radius = V_LOAD(s->radius + i);
    uint32_t numbers[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
        numbers[k] = k < count ? k : 0;
    VF px, py, pz, unused;
    V_ROWS(walk->places + i, numbers, px, py, pz, unused)
    (void)unused;
    const lane_vec d = {shorter_lanes(V_SUB(x, px), g->x.period), shorter_lanes(V_SUB(y, py), g->y.period),
                        shorter_lanes(V_SUB(z, pz), g->z.period)};
    const VF left = V_SUB(V_LOAD(pass->way + i), length_lanes(d));
    put_numbers(pass->way + i, left, count);
    put_rows(pass->places + i, x, y, z, radius, count);
    // What is not a number has come too far.
    return (ALL_LANES ^ M_BITS(V_LE(V_SET(0.0f), left))) & ((1u << count) - 1u);
}

LANES_TARGET static void spin(const tact_grain_pass* pass, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i += LANES)
        spin_lanes(pass, i, end - i < LANES ? (uint32_t)(end - i) : LANES);
}

LANES_TARGET static size_t near(const tact_particle_walk* walk, size_t begin, size_t end, uint32_t* slots)
{
    size_t found = 0;
    for (size_t i = begin; i < end; i += LANES) {
        uint32_t bits = near_lanes(walk, i, end - i < LANES ? (uint32_t)(end - i) : LANES);
        for (uint32_t k = 0; bits; ++k, bits >>= 1) {
            if (bits & 1u) slots[found++] = (uint32_t)i + k;
        }
    }
    return found;
}

LANES_TARGET static bool way(const tact_grain_pass* pass, size_t begin, size_t end)
{
    uint32_t far = 0;
    for (size_t i = begin; i < end; i += LANES)
        far |= way_lanes(pass, i, end - i < LANES ? (uint32_t)(end - i) : LANES);
    return far != 0;
}
