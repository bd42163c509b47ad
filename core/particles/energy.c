// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where the energy of a system is and where it goes. Contacts are found by the CPU on the host's copy of the state,
// whatever backend steps it, and summed in their order: the sums are the same on every device.

#include <math.h>

#include "core/particles/particles.h"

/// What a contact of this particle acts on.
typedef struct other_side {
    TactVec velocity;
    float inverse_mass;
    uint32_t material;
    bool moves_by_itself;  ///< a wall, collider or body, whose motion nothing changes
} other_side;

static other_side side_of(const tact_particles* p, size_t row, const tact_particle_contact* c)
{
    const tact_particle_state* s = &p->mirror;
    const float* at = s->position[row];
    other_side o = {.moves_by_itself = c->with != TACT_CONTACT_PARTICLE};
    if (c->with == TACT_CONTACT_PARTICLE) {
        const size_t other = tact_particles_find(s, c->b);
        o.velocity = tact_vec(s->velocity[other][0], s->velocity[other][1], s->velocity[other][2]);
        o.inverse_mass = s->velocity[other][3];
        o.material = tact_tag_material(s->tag[other][1]);
    } else if (c->with == TACT_CONTACT_WALL) {
        o.material = p->model.wall_material;
    } else if (c->with == TACT_CONTACT_COLLIDER) {
        const TactSolid* b = &p->model.solids[c->b].solid;
        o.velocity = tact_surface_velocity(b->lx, b->ly, b->lz, b->rx, b->ry, b->rz, at[0] - b->px, at[1] - b->py,
                                           at[2] - b->pz);
        o.material = b->material;
    } else {
        const tact_particle_body* b = &p->model.bodies[c->b];
        const tact_body_pose* pose = &b->pose;
        o.velocity = tact_surface_velocity(pose->velocity.x, pose->velocity.y, pose->velocity.z, pose->spin.x,
                                           pose->spin.y, pose->spin.z, at[0] - pose->position.x,
                                           at[1] - pose->position.y, at[2] - pose->position.z);
        o.material = b->material;
    }
    return o;
}

/// Adds what tact_spring_force() stores, takes and gives in a contact.
static void add_contact(const tact_particles* p, const tact_particle_contact* c, tact_particle_totals* t)
{
    const size_t row = tact_particles_find(&p->mirror, c->a);
    const float* own = p->mirror.velocity[row];
    const other_side o = side_of(p, row, c);
    const double inverse_mass = (double)own[3] + (double)o.inverse_mass;
    if (!(inverse_mass > 0.0)) return;
    const uint32_t material = tact_tag_material(p->mirror.tag[row][1]);
    const TactContactRule* rule = &p->model.rules[material * TACT_PARTICLE_MATERIALS + o.material];
    const double n[3] = {(double)c->normal[0], (double)c->normal[1], (double)c->normal[2]};
    const double surface[3] = {(double)o.velocity.x, (double)o.velocity.y, (double)o.velocity.z};
    double v[3], along = 0.0, slip2 = 0.0, force[3];
    for (int k = 0; k < 3; ++k) {
        v[k] = surface[k] - (double)own[k];
        along += v[k] * n[k];
    }
    for (int k = 0; k < 3; ++k)
        slip2 += (v[k] - along * n[k]) * (v[k] - along * n[k]);
    const double spring = (double)rule->stiffness * (double)c->depth, slip = sqrt(slip2);
    const double dashpot = sqrt((double)rule->stiffness / inverse_mass);
    const double push = fmax(spring - (double)rule->normal_damping * dashpot * along, 0.0);
    const double full = (double)rule->tangential_damping * dashpot, most = (double)rule->friction * push;
    const double drag = full * slip > most ? most / slip : full;
    t->elastic_energy += 0.5 * spring * (double)c->depth;
    t->dissipated_power += (spring - push) * along + drag * slip2;
    for (int k = 0; k < 3; ++k) {
        force[k] = drag * (v[k] - along * n[k]) - push * n[k];
        if (o.moves_by_itself) t->external_power += force[k] * surface[k];
    }
}

/// Adds what gravity and the caller's forces give to a particle, and drag takes.
static void add_particle(const tact_particles* p, size_t row, tact_particle_totals* t)
{
    const float* v = p->mirror.velocity[row];
    if (!(v[3] > 0.0f)) return;
    const TactMotion* m = &p->model.motion;
    const double mass = 1.0 / (double)v[3], g[3] = {(double)m->gx, (double)m->gy, (double)m->gz};
    const uint32_t id = p->mirror.tag[row][0];
    for (int k = 0; k < 3; ++k) {
        const double speed = (double)v[k];
        t->external_power += mass * g[k] * speed;
        if (id < p->model.force_count) t->external_power += (double)p->model.forces[id][k] * speed;
        t->dissipated_power += (double)p->desc.drag * mass * speed * speed;
    }
}

// ---- GRAINS ----

/// By how much the springs of Hertz are stiffer than at a depth and radius of 1.
static double root_of(const tact_grain_meeting* m, double depth)
{
    return m->rule->hertz ? sqrt((double)m->radius * depth) : 1.0;
}

/// What the springs along the surface, of rolling and twisting hold at a depth.
static double stored(const tact_grain_meeting* m, double depth, const TactGrainMemory* memory)
{
    const double slid = (double)memory->sx * (double)memory->sx + (double)memory->sy * (double)memory->sy +
                        (double)memory->sz * (double)memory->sz;
    const double turned = (double)memory->rx * (double)memory->rx + (double)memory->ry * (double)memory->ry +
                          (double)memory->rz * (double)memory->rz + (double)memory->twist * (double)memory->twist;
    return 0.5 * (double)m->rule->shear * root_of(m, depth) * (slid + (double)m->radius * (double)m->radius * turned);
}

static double dot(TactVec a, TactVec b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/// Adds what a contact stores, takes and gives. `surface_spin`: of a surface; zeros with a particle.
static void add_meeting(const tact_particles* p, const tact_grain_meeting* m, const TactGrainMemory* before,
                        TactVec surface_spin, tact_particle_totals* t)
{
    // Over a substep.
    const double dt = p->model.motion.dt > 0.0f ? (double)p->model.motion.dt : 1e-9;
    TactGrainMemory after = *before;
    const TactGrainPush push = tact_grain_met(m, (float)dt, &after);
    const TactVec n = tact_vec(m->touch.nx, m->touch.ny, m->touch.nz);
    const double depth = (double)m->touch.depth, held = stored(m, depth, before), along = dot(m->slip, n);
    const double later = depth - dt * along, spring = (double)m->rule->stiffness * root_of(m, depth) * depth;
    // Adhesion pulls with the same force at all depths.
    const double pull = (double)m->rule->adhesion * (double)m->radius;
    t->elastic_energy += (m->rule->hertz ? 0.4 : 0.5) * spring * depth - pull * depth + held;
    // Power that motion gives to the contact, less what its springs gain.
    t->dissipated_power += dot(push.force, m->slip) + (spring - pull) * along + dot(push.turn, m->spin) -
                           (stored(m, later > 0.0 ? later : 0.0, &after) - held) / dt;
    t->external_power += dot(push.force, m->surface) + dot(push.turn, surface_spin);
}

/// The records of a particle: they are sorted.
static size_t first_record(const tact_particle_state* s, uint32_t id)
{
    size_t low = 0, high = s->record_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->records[middle].a < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// What a contact remembers; nothing where it did not touch in the last substep.
static TactGrainMemory memory_of(const tact_particle_state* s, uint32_t a, uint32_t with, uint32_t b,
                                 const TactTouch* touch)
{
    for (size_t k = first_record(s, a); k < s->record_count && s->records[k].a == a; ++k) {
        const tact_grain_record* r = &s->records[k];
        if (r->with != with || r->b != b) continue;
        if (with == TACT_CONTACT_PARTICLE || tact_grain_goes_on(r, touch)) return r->spring;
    }
    return tact_grain_forgotten();
}

/// One particle's sums.
typedef struct grain_sum {
    const tact_particles* particles;
    const tact_grain_self* self;
    tact_particle_totals* totals;
} grain_sum;

static void add_surface(const tact_particle_model* model, const tact_particle_self* self,
                        const tact_surface_touch* touch, void* user)
{
    const grain_sum* s = user;
    const tact_grain_meeting m = tact_grain_meet_surface(model, s->self, touch);
    const TactGrainMemory memory = memory_of(&s->particles->mirror, self->id, touch->with, touch->index, &touch->touch);
    add_meeting(s->particles, &m, &memory, touch->spin, s->totals);
}

static void add_grain_pair(const tact_particles* p, const tact_particle_contact* c, tact_particle_totals* t)
{
    const tact_particle_state* s = &p->mirror;
    const tact_grain_self a = tact_grain_of(s, tact_particles_find(s, c->a)),
                          b = tact_grain_of(s, tact_particles_find(s, c->b));
    if (!(a.p.inverse_mass + b.p.inverse_mass > 0.0f)) return;
    const TactTouch touch = {c->normal[0], c->normal[1], c->normal[2], c->depth, 1};
    const tact_grain_meeting m = tact_grain_meet(&p->model, &a, &b, touch);
    const TactGrainMemory memory = memory_of(s, c->a, c->with, c->b, &touch);
    add_meeting(p, &m, &memory, tact_vec(0.0f, 0.0f, 0.0f), t);
}

static void add_grain(const tact_particles* p, size_t row, tact_particle_totals* t)
{
    const tact_grain_self self = tact_grain_of(&p->mirror, row);
    if (!(self.p.inverse_mass > 0.0f)) return;
    const double radius = (double)self.p.radius;
    t->rotational_energy += 0.5 * dot(self.spin, self.spin) * 0.4 * radius * radius / (double)self.p.inverse_mass;
    grain_sum s = {p, &self, t};
    tact_particle_surfaces(&p->model, &self.p, add_surface, &s);
}

tact_result tact_particles_sum_energy(tact_particles* p, tact_particle_totals* totals)
{
    tact_env* env = &p->context->env;
    tact_result result = tact_particles_fetch_forces(p);
    if (result != TACT_OK) return result;
    const bool turns = p->mirror.turns;
    for (size_t i = 0; i < p->mirror.count; ++i) {
        add_particle(p, i, totals);
        if (turns) add_grain(p, i, totals);
    }
    if ((p->model.response != TACT_RESPONSE_SPRING && !turns) || p->mirror.count == 0) return TACT_OK;
    tact_particle_engine* engine = NULL;
    tact_particle_contact* contacts = NULL;
    size_t count = 0, room = 0;
    p->model.threads = p->context->threads;
    result = tact_particle_cpu_create(env, turns, &engine);
    if (result == TACT_OK) result = engine->type->load(engine, &p->mirror, p->model.threads);
    if (result == TACT_OK) result = engine->type->contacts(engine, &p->model, NULL, 0, &room);
    if (result == TACT_OK && room > 0) {
        contacts = tact_allocate(env, room, sizeof *contacts);
        result =
            contacts ? engine->type->contacts(engine, &p->model, contacts, room, &count) : TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (!turns) add_contact(p, &contacts[i], totals);
        // Those with surfaces are summed already.
        if (turns && contacts[i].with == TACT_CONTACT_PARTICLE) add_grain_pair(p, &contacts[i], totals);
    }
    if (engine) engine->type->destroy(engine);
    tact_release(env, contacts);
    return result;
}
