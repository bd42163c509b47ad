// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Scenes for the solver, and what becomes of them.

#include "rigid_solver.h"

enum { HULLS = 4, HULL_POINTS = 12, CARD_STORIES = 3, RING_SIDES = 8 };

// ---- What bodies weigh ----

static mat inverse(const mat* m)
{
    const vec yz = cross(m->y, m->z), zx = cross(m->z, m->x), xy = cross(m->x, m->y);
    const double scale = 1.0 / dot(m->x, yz);
    return (mat){times((vec){yz.x, zx.x, xy.x}, scale), times((vec){yz.y, zx.y, xy.y}, scale),
                 times((vec){yz.z, zx.z, xy.z}, scale)};
}

static mat diagonal(double x, double y, double z)
{
    return (mat){{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}

/// The mass at density 1 and the inertia of a solid hull about the origin, by tetrahedra to its triangles; `centre`
/// becomes its centre of mass.
static double weigh_hull(const tact_vec3* points, size_t count, mat* inertia, vec* centre)
{
    tact_hull_mesh hull;
    double volume = 0.0, second[3][3] = {{0}};
    *centre = (vec){0, 0, 0};
    if (tact_hull_mesh_3d(points, count, NULL, &hull) != TACT_OK) return 0.0;
    for (size_t t = 0; t < hull.triangle_count; ++t) {
        double p[4][3] = {{0}};
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 corner = points[hull.triangles[3 * t + (size_t)k]];
            p[k][0] = (double)corner.x;
            p[k][1] = (double)corner.y;
            p[k][2] = (double)corner.z;
            for (int i = 0; i < 3; ++i)
                p[3][i] += p[k][i];
        }
        const vec a = {p[0][0], p[0][1], p[0][2]}, b = {p[1][0], p[1][1], p[1][2]}, c = {p[2][0], p[2][1], p[2][2]};
        const double six = dot(a, cross(b, c));
        volume += six / 6.0;
        *centre = sum(*centre, times(sum(sum(a, b), c), six / 24.0));
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k)
                second[i][k] +=
                    six / 120.0 * (p[0][i] * p[0][k] + p[1][i] * p[1][k] + p[2][i] * p[2][k] + p[3][i] * p[3][k]);
        }
    }
    tact_hull_mesh_free(&hull);
    const double trace = second[0][0] + second[1][1] + second[2][2];
    *centre = times(*centre, 1.0 / volume);
    *inertia = (mat){{trace - second[0][0], -second[0][1], -second[0][2]},
                     {-second[1][0], trace - second[1][1], -second[1][2]},
                     {-second[2][0], -second[2][1], trace - second[2][2]}};
    return volume;
}

/// The mass at density 1, and the inertia.
static double weigh(const tact_body_shape* s, mat* inertia)
{
    const double r = (double)s->radius, hx = (double)s->half.x, hy = (double)s->half.y, hz = (double)s->half.z;
    if (s->kind == TACT_BODY_HULL) {
        vec centre;
        return weigh_hull(s->points, s->point_count, inertia, &centre);
    }
    if (s->kind == TACT_BODY_BOX) {
        const double mass = 8.0 * hx * hy * hz;
        *inertia = diagonal(mass / 3.0 * (hy * hy + hz * hz), mass / 3.0 * (hx * hx + hz * hz),
                            mass / 3.0 * (hx * hx + hy * hy));
        return mass;
    }
    // A sphere is a capsule of no length.
    const double h = s->kind == TACT_BODY_CAPSULE ? hy : 0.0, r2 = r * r;
    const double ball = 4.0 / 3.0 * pi * r2 * r, tube = 2.0 * pi * r2 * h;
    const double about = tube * (r2 / 4.0 + h * h / 3.0) + ball * (0.4 * r2 + h * h + 0.75 * h * r);
    *inertia = diagonal(about, tube * r2 / 2.0 + ball * 0.4 * r2, about);
    return ball + tube;
}

/// The same of a compound whose parts have one shape, a sum over them. Its middle is at the origin.
static double weigh_parts(const tact_body_shape* shape, const tact_body_part* parts, size_t count, mat* inertia)
{
    mat own;
    const double mass = weigh(shape, &own);
    *inertia = diagonal(0, 0, 0);
    for (size_t i = 0; i < count; ++i) {
        const tact_quat q = parts[i].rotation;
        const double turn[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
        const mat axes = axes_of(turn), there = turned_mat(&axes, &own);
        const vec at = {(double)parts[i].position.x, (double)parts[i].position.y, (double)parts[i].position.z};
        const double far = dot(at, at);
        inertia->x = sum(inertia->x, sum(there.x, times(less((vec){far, 0, 0}, times(at, at.x)), mass)));
        inertia->y = sum(inertia->y, sum(there.y, times(less((vec){0, far, 0}, times(at, at.y)), mass)));
        inertia->z = sum(inertia->z, sum(there.z, times(less((vec){0, 0, far}, times(at, at.z)), mass)));
    }
    return mass * (double)count;
}

// ---- Scenes ----

/// Adds a body to the set and to the solver. One of no mass stays where it is.
static bool add_weighed(world* w, uint32_t number, tact_pose pose, double mass, const mat* inertia)
{
    const bool fixed = mass == 0.0;
    const tact_body body = {
        .pose = pose, .shape = number, .margin = 0.01f, .categories = {fixed ? 1u : 2u, fixed ? 2u : 3u}};
    uint32_t id = 0;
    if (w->count == w->capacity || tact_bodies_add(w->set, &body, 1, &id) != TACT_OK) return false;
    // The set has brought the rotation to unit length.
    tact_body there;
    if (tact_bodies_get(w->set, id, &there) != TACT_OK) return false;
    pose = there.pose;
    rigid* b = &w->bodies[w->count++];
    *b = (rigid){
        .at = {pose.x, pose.y, pose.z},
        .turn = {(double)pose.rotation.x, (double)pose.rotation.y, (double)pose.rotation.z, (double)pose.rotation.w},
        .start = {pose.x, pose.y, pose.z}};
    w->poses[id] = pose;
    if (fixed) return true;
    b->mass_inverse = 1.0 / mass;
    b->inertia_inverse = inverse(inertia);
    return true;
}

/// The same of a shape without parts. Half-spaces stay where they are.
static bool add(world* w, const tact_body_shape* shape, uint32_t number, tact_pose pose)
{
    mat inertia = diagonal(0, 0, 0);
    const double mass = shape->kind == TACT_BODY_HALF_SPACE ? 0.0 : weigh(shape, &inertia);
    return add_weighed(w, number, pose, mass, &inertia);
}

static bool add_new(world* w, const tact_body_shape* shape, tact_pose pose)
{
    uint32_t number;
    return tact_bodies_add_shape(w->set, shape, &number) == TACT_OK && add(w, shape, number, pose);
}

static tact_pose pose_at(double x, double y, double z)
{
    return (tact_pose){.x = x, .y = y, .z = z, .rotation = {0, 0, 0, 1}};
}

static tact_body_shape box_of(float x, float y, float z)
{
    return (tact_body_shape){.kind = TACT_BODY_BOX, .half = {x, y, z}};
}

/// Boxes one upon the other; or, with `crooked`, each turned and shifted a little.
static bool add_stack(world* w, size_t count, bool crooked)
{
    const tact_body_shape box = box_of(0.5f, 0.5f, 0.5f);
    bool good = true;
    for (size_t i = 0; i < count && good; ++i) {
        tact_pose pose = pose_at(0.0, 0.5 + (double)i, 0.0);
        if (crooked) {
            pose.x = 0.03 * (double)(i * 5 % 3);
            pose.z = 0.03 * (double)(i * 7 % 4);
            pose.rotation.y = 0.04f * (float)(i * 3 % 5);
        }
        good = add_new(w, &box, pose);
    }
    return good;
}

/// Pairs of cards that lean on each other, and cards that lie on them.
static bool add_cards(world* w)
{
    const double half = 0.5, thin = 0.01, c = 0.9396926207859084, s = 0.3420201433256687;  // of 20 degrees
    const double wide = half * s + thin * c, high = half * c + thin * s, story = 2.0 * (high + thin);
    const tact_body_shape card = box_of((float)thin, (float)half, 0.35f);
    const float turn = 0.17364818f, rest = 0.98480775f;  // of 10 degrees
    const float flat = 0.70710678f;
    bool good = true;
    for (int level = 0; level < CARD_STORIES; ++level) {
        const int pairs = CARD_STORIES - level;
        const double y = high + level * story;
        for (int i = 0; i < pairs && good; ++i) {
            const double x = (2 * i - pairs + 1) * 2.0 * wide;
            tact_pose left = pose_at(x - wide, y, 0.0), right = pose_at(x + wide, y, 0.0);
            left.rotation = (tact_quat){0, 0, -turn, rest};
            right.rotation = (tact_quat){0, 0, turn, rest};
            good = add_new(w, &card, left) && add_new(w, &card, right);
        }
        for (int i = 0; i + 1 < pairs && good; ++i) {
            tact_pose lying = pose_at((2 * i - pairs + 2) * 2.0 * wide, y + high + thin, 0.0);
            lying.rotation = (tact_quat){0, 0, flat, flat};
            good = add_new(w, &card, lying);
        }
    }
    return good;
}

/// The first one leans on the second.
static bool add_dominoes(world* w, size_t count)
{
    const tact_body_shape tile = box_of(0.1f, 0.5f, 0.25f);
    bool good = true;
    for (size_t i = 0; i < count && good; ++i) {
        tact_pose pose = pose_at(0.5 * (double)i, 0.5, 0.0);
        if (i == 0) {
            pose = pose_at(0.09, 0.51, 0.0);
            pose.rotation = (tact_quat){0, 0, -0.13f, 0.99151399f};
        }
        good = add_new(w, &tile, pose);
    }
    return good;
}

/// A number from 0 to 1, by a generator after Vigna (splitmix64).
static double fraction(uint64_t* seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/// A hull of random points about its centre of mass.
static tact_body_shape hull_of(tact_vec3 points[HULL_POINTS], uint64_t* seed)
{
    mat inertia;
    vec centre;
    for (int k = 0; k < HULL_POINTS; ++k) {
        // One statement each: compilers differ in which of several calls they make first.
        points[k].x = (float)(fraction(seed) - 0.5);
        points[k].y = (float)(fraction(seed) - 0.5);
        points[k].z = (float)(fraction(seed) - 0.5);
    }
    weigh_hull(points, HULL_POINTS, &inertia, &centre);
    for (int k = 0; k < HULL_POINTS; ++k) {
        points[k].x -= (float)centre.x;
        points[k].y -= (float)centre.y;
        points[k].z -= (float)centre.z;
    }
    return (tact_body_shape){.kind = TACT_BODY_HULL, .points = points, .point_count = HULL_POINTS};
}

/// Four half-spaces that leave a square.
static bool add_walls(world* w, double out)
{
    const tact_body_shape wall = {.kind = TACT_BODY_HALF_SPACE};
    const float s = 0.70710678f;
    tact_pose east = pose_at(out, 0, 0), west = pose_at(-out, 0, 0), south = pose_at(0, 0, out),
              north = pose_at(0, 0, -out);
    east.rotation = (tact_quat){0, 0, s, s};
    west.rotation = (tact_quat){0, 0, -s, s};
    south.rotation = (tact_quat){-s, 0, 0, s};
    north.rotation = (tact_quat){s, 0, 0, s};
    return add_new(w, &wall, east) && add_new(w, &wall, west) && add_new(w, &wall, south) && add_new(w, &wall, north);
}

/// Spheres, capsules, boxes and hulls that fall between walls, higher than wide.
static bool add_mixed(world* w, size_t count)
{
    uint64_t seed = 26;
    tact_vec3 points[HULLS][HULL_POINTS];
    tact_body_shape shapes[3 + HULLS] = {{.kind = TACT_BODY_SPHERE, .radius = 0.4f},
                                         {.kind = TACT_BODY_CAPSULE, .radius = 0.25f, .half = {0, 0.3f, 0}},
                                         box_of(0.4f, 0.3f, 0.35f)};
    uint32_t numbers[3 + HULLS];
    size_t side = 1;
    while (4 * side * side * side < count)
        ++side;
    bool good = add_walls(w, 0.55 * (double)side);
    for (int i = 0; i < 3 + HULLS && good; ++i) {
        if (i >= 3) shapes[i] = hull_of(points[i - 3], &seed);
        good = tact_bodies_add_shape(w->set, &shapes[i], &numbers[i]) == TACT_OK;
    }
    for (size_t i = 0; i < count && good; ++i) {
        const int kind = (int)(fraction(&seed) * (3 + HULLS));
        tact_pose pose =
            pose_at(1.05 * ((double)(i % side) - 0.5 * (double)(side - 1)), 1.0 + 1.1 * (double)(i / (side * side)),
                    1.05 * ((double)(i / side % side) - 0.5 * (double)(side - 1)));
        pose.x += 0.05 * fraction(&seed);
        pose.z += 0.05 * fraction(&seed);
        good = add(w, &shapes[kind], numbers[kind], pose);
    }
    return good;
}

/// Rings that hang in each other, the first from one that stays where it is. A ring is eight rods with a corner at the
/// top and one at the bottom, which keeps the next ring in the middle.
static bool add_chain(world* w, size_t count)
{
    const double out = 0.5, s = 0.7071067811865476, across[RING_SIDES] = {0, s, 1, s, 0, -s, -1, -s};
    const double half = out * 0.3826834323650898;  // the sine of 22.5 degrees
    const tact_body_shape rod = {.kind = TACT_BODY_CAPSULE, .radius = 0.1f, .half = {0, (float)half, 0}};
    tact_body_part parts[RING_SIDES];
    uint32_t rod_number, number;
    if (tact_bodies_add_shape(w->set, &rod, &rod_number) != TACT_OK) return false;
    for (int k = 0; k < RING_SIDES; ++k) {
        const int next = (k + 1) % RING_SIDES;
        const vec p = {out * across[k], out * across[(k + 2) % RING_SIDES], 0};
        const vec q = {out * across[next], out * across[(next + 2) % RING_SIDES], 0};
        // From the y axis to the rod's, which has no direction of its own.
        vec way = times(less(q, p), 0.5 / half);
        if (way.y < 0.0) way = times(way, -1.0);
        const double length = sqrt(2.0 + 2.0 * way.y);
        parts[k] = (tact_body_part){.shape = rod_number,
                                    .position = {(float)(0.5 * (p.x + q.x)), (float)(0.5 * (p.y + q.y)), 0},
                                    .rotation = {0, 0, (float)(-way.x / length), (float)((1.0 + way.y) / length)}};
    }
    const tact_body_shape ring = {.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = RING_SIDES};
    if (tact_bodies_add_shape(w->set, &ring, &number) != TACT_OK) return false;
    mat inertia;
    const double mass = weigh_parts(&rod, parts, RING_SIDES, &inertia), apart = 2.0 * (out - (double)rod.radius);
    bool good = true;
    for (size_t i = 0; i <= count && good; ++i) {
        tact_pose pose = pose_at(0.0, apart * (double)(count + 1 - i), 0.0);
        if (i % 2 != 0) pose.rotation = (tact_quat){0, (float)s, 0, (float)s};
        good = add_weighed(w, number, pose, i == 0 ? 0.0 : mass, &inertia);
    }
    return good;
}

static const char* const scene_names[] = {"stack", "crooked", "cards", "dominoes", "chain", "mixed"};
enum { SCENES = sizeof scene_names / sizeof *scene_names };

/// Makes a scene of `scene_names`; a count of 0 stands for the scene's own. False: there is no memory, or an error is
/// in the context.
static bool open_world(world* w, const tact_context_desc* desc, const char* scene, size_t count)
{
    const tact_body_shape floor = {.kind = TACT_BODY_HALF_SPACE};
    *w = (world){.capacity = (count ? count : 300) + 5};
    w->bodies = calloc(w->capacity, sizeof *w->bodies);
    w->poses = calloc(w->capacity, sizeof *w->poses);
    if (!w->bodies || !w->poses || tact_context_create(desc, &w->context) != TACT_OK ||
        tact_bodies_create(w->context, &w->set) != TACT_OK ||
        tact_contacts_follow(w->set, true, sizeof(impulses)) != TACT_OK || !add_new(w, &floor, pose_at(0, 0, 0))) {
        return false;
    }
    if (strcmp(scene, "stack") == 0) return add_stack(w, count ? count : 10, false);
    if (strcmp(scene, "crooked") == 0) return add_stack(w, count ? count : 10, true);
    if (strcmp(scene, "cards") == 0) return add_cards(w);
    if (strcmp(scene, "dominoes") == 0) return add_dominoes(w, count ? count : 30);
    if (strcmp(scene, "chain") == 0) return add_chain(w, count ? count : 20);
    return add_mixed(w, count ? count : 300);
}

static void close_world(world* w)
{
    tact_bodies_destroy(w->set);
    tact_context_destroy(w->context);
    free(w->constraints);
    free(w->poses);
    free(w->bodies);
}

typedef struct summary {
    double moved;   ///< how far a body is from where it began, at most
    double energy;  ///< kinetic
    size_t lying;   ///< bodies whose y axis is more than 45 degrees from upright
    uint64_t digest;
} summary;

static uint64_t digest_more(uint64_t digest, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (digest ^ bits) * 0x100000001b3u ^ digest >> 29;
}

static summary sum_up(const world* w)
{
    summary s = {.digest = 0xcbf29ce484222325u};
    for (size_t i = 0; i < w->count; ++i) {
        const rigid* b = &w->bodies[i];
        if (b->mass_inverse == 0.0) continue;
        const vec d = less(b->at, b->start);
        const mat inertia = inverse(&b->inertia_world);
        const double moved = sqrt(dot(d, d));
        s.moved = moved > s.moved ? moved : s.moved;
        s.lying += axes_of(b->turn).y.y < 0.70710678;
        s.energy +=
            0.5 * dot(b->velocity, b->velocity) / b->mass_inverse + 0.5 * dot(b->spin, apply(&inertia, b->spin));
        const double numbers[7] = {b->at.x, b->at.y, b->at.z, b->turn[0], b->turn[1], b->turn[2], b->turn[3]};
        for (int k = 0; k < 7; ++k)
            s.digest = digest_more(s.digest, numbers[k]);
    }
    return s;
}
