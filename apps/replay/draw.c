// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is drawn of each kind of recorded query.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/replay/replay.h"

static const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};

static tact_debug_color color_of(const tact_debug_draw* draw, tact_debug_kind kind)
{
    return draw->colors ? draw->colors[kind] : tact_debug_default_color(kind);
}

tact_result tact_sketch_point(tact_debug_draw* draw, tact_debug_kind kind, const float at[3])
{
    const tact_debug_vertex v = {{at[0], at[1], at[2]}, color_of(draw, kind)};
    return draw->points(&v, 1, draw->user);
}

tact_result tact_sketch_line(tact_debug_draw* draw, tact_debug_kind kind, const float a[3], const float b[3])
{
    const tact_debug_color c = color_of(draw, kind);
    const tact_debug_vertex v[2] = {{{a[0], a[1], a[2]}, c}, {{b[0], b[1], b[2]}, c}};
    return draw->lines(v, 2, draw->user);
}

// ---- What the query found ----

tact_result tact_sketch_ask(tact_sketch* s)
{
    tact_replayed replayed;
    tact_answer_bytes answer = {0};
    const tact_result result =
        tact_recording_answer(s->recording, s->index, &on_cpu, tact_answer_take, &answer, &replayed);
    free(s->answer);
    s->answer = answer.bytes;
    s->answer_bytes = answer.size;
    if (result != TACT_OK) return result;
    if (answer.failed) return TACT_ERROR_OUT_OF_MEMORY;
    const bool nowhere = replayed.result == TACT_ERROR_NO_DEVICE || replayed.result == TACT_ERROR_UNSUPPORTED;
    if (nowhere || !replayed.answered) s->answer_bytes = 0;
    return nowhere || replayed.result > TACT_OK ? TACT_OK : replayed.result;
}

// ---- What is to be seen ----

static void extend(tact_bounds* b, const tact_debug_vertex* v, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            b->lower[k] = fmin(b->lower[k], (double)v[i].position[k]);
            b->upper[k] = fmax(b->upper[k], (double)v[i].position[k]);
        }
    }
}

tact_result tact_sketch_see(tact_sketch* s)
{
    tact_scene_stats stats;
    tact_result result = tact_scene_commit(s->scene);
    if (result == TACT_OK) result = tact_scene_get_stats(s->scene, &stats);
    if (result != TACT_OK) return result;
    size_t count;
    const tact_debug_vertex* lines = tact_debug_list_lines(s->list, &count);
    s->bounds = tact_ray_bounds(&stats);
    if (stats.instances == 0 && count > 0) {
        s->bounds = (tact_bounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
        extend(&s->bounds, lines, count);
    }
    for (int k = 0; k < 3; ++k)
        s->reach = fmaxf(s->reach, (float)(s->bounds.upper[k] - s->bounds.lower[k]));
    return TACT_OK;
}

// ---- Rays, points, spheres ----

size_t tact_sketch_row(const tact_recorded_array* a, size_t i)
{
    if (a->rows <= TACT_SKETCH_MOST) return i;
    const double share = fmod((double)i * 0.6180339887498949, 1.0);  // the golden ratio's multiples spread evenly
    return (size_t)(((double)i + share) * (double)a->rows / TACT_SKETCH_MOST);
}

/// To the closest hit, whatever the cast was for.
static tact_result draw_ray(tact_sketch* s, const tact_ray* ray)
{
    tact_hit hit;
    const tact_result result = tact_raycast(s->scene, TACT_RAY_CLOSEST, ray, 1, &hit, &on_cpu, NULL);
    return result == TACT_OK ? tact_debug_ray(&s->draw, ray, &hit, NULL, 2.0f * s->reach) : result;
}

static tact_result draw_closest(tact_sketch* s, const tact_closest_query* p, const tact_closest_hit* hit)
{
    if (hit->instance == TACT_NONE) return TACT_OK;
    const tact_ray way = {p->x, p->y, p->z, 0, hit->x - p->x, hit->y - p->y, hit->z - p->z, 1};
    const tact_hit end = {hit->instance, hit->primitive, 1, 0, 0};
    return tact_debug_ray(&s->draw, &way, &end, NULL, 2.0f * s->reach);
}

static tact_result draw_sphere(tact_sketch* s, const tact_sphere_cast* cast, const tact_sphere_hit* hit)
{
    const tact_ray* r = &cast->ray;
    const float t = hit->t;
    const tact_hit end = {hit->instance, hit->primitive, t, 0, 0};
    const tact_result result = tact_debug_ray(&s->draw, r, &end, NULL, 2.0f * s->reach);
    if (result < TACT_OK || hit->instance == TACT_NONE) return result;
    const tact_sphere there = {{r->ox + t * r->dx, r->oy + t * r->dy, r->oz + t * r->dz}, cast->radius};
    return tact_debug_sphere(&s->draw, TACT_DEBUG_VOLUME, there);
}

static tact_result draw_cast(tact_sketch* s)
{
    tact_recorded_array rays, points, casts;
    tact_result result = tact_sketch_see(s);
    const bool of_rays = tact_sketch_array(s, "rays", &rays), of_points = tact_sketch_array(s, "points", &points);
    tact_sketch_array(s, "casts", &casts);
    const tact_recorded_array* a = of_rays ? &rays : of_points ? &points : &casts;
    if (result == TACT_OK && !of_rays) result = tact_sketch_ask(s);
    if (!of_rays && s->answer_bytes == 0) return result;
    const tact_closest_hit* closest = s->answer;
    const tact_sphere_hit* spheres = s->answer;
    for (size_t i = 0; i < a->rows && i < TACT_SKETCH_MOST && result >= TACT_OK; ++i) {
        const size_t row = tact_sketch_row(a, i);
        if (of_rays) {
            result = draw_ray(s, (const tact_ray*)a->data + row);
        } else if (of_points) {
            result = draw_closest(s, (const tact_closest_query*)a->data + row, &closest[row]);
        } else {
            result = draw_sphere(s, (const tact_sphere_cast*)a->data + row, &spheres[row]);
        }
    }
    return result;
}

// ---- Volumes ----

tact_result tact_sketch_volume(tact_debug_draw* draw, tact_cull_kind kind, const void* volume)
{
    const tact_kdop* kdop = volume;
    switch (kind) {
        case TACT_CULL_AABBS:
            return tact_debug_aabb(draw, TACT_DEBUG_VOLUME, *(const tact_aabb*)volume);
        case TACT_CULL_SPHERES:
            return tact_debug_sphere(draw, TACT_DEBUG_VOLUME, *(const tact_sphere*)volume);
        case TACT_CULL_OBBS:
            return tact_debug_obb(draw, TACT_DEBUG_VOLUME, volume);
        default: {
            // The axes of x, y and z come first.
            const tact_aabb box = {{kdop->lower[0], kdop->lower[1], kdop->lower[2]},
                                   {kdop->upper[0], kdop->upper[1], kdop->upper[2]}};
            return tact_debug_aabb(draw, TACT_DEBUG_VOLUME, box);
        }
    }
}

/// Six planes as a frustum, if they are one; else squares in the planes.
static tact_result draw_planes(tact_sketch* s)
{
    tact_recorded_array planes;
    tact_frustum frustum;
    tact_sketch_array(s, "planes", &planes);
    const tact_plane* p = planes.data;
    if (planes.rows == TACT_FRUSTUM_PLANES && tact_frustum_from_planes(p, &frustum)) {
        return tact_debug_frustum(&s->draw, &frustum, s->reach);
    }
    const tact_vec3 middle = {(float)(0.5 * s->bounds.lower[0] + 0.5 * s->bounds.upper[0]),
                              (float)(0.5 * s->bounds.lower[1] + 0.5 * s->bounds.upper[1]),
                              (float)(0.5 * s->bounds.lower[2] + 0.5 * s->bounds.upper[2])};
    tact_result result = TACT_OK;
    for (size_t i = 0; i < planes.rows && i < TACT_CULL_PLANES_MAX && result >= TACT_OK; ++i)
        result = tact_debug_plane(&s->draw, p[i], middle, 0.5f * s->reach);
    return result;
}

/// How many of the first ids are below `end`: classes may follow the ids, a byte of each of `classified`.
static size_t count_of_ids(const tact_sketch* s, size_t classified)
{
    if (!s->query->parameters[1] || s->answer_bytes < classified) return s->answer_bytes / sizeof(uint32_t);
    return classified ? (s->answer_bytes - classified) / sizeof(uint32_t) : s->answer_bytes / (sizeof(uint32_t) + 1);
}

/// What is kept in the found colour, the rest faintly.
static tact_result draw_culled(tact_sketch* s)
{
    tact_recorded_array volumes, boxes;
    tact_sketch_array(s, "volumes", &volumes);
    tact_sketch_array(s, "boxes", &boxes);
    tact_result result = tact_sketch_ask(s);
    const uint32_t* kept = s->answer;
    const size_t count = count_of_ids(s, volumes.rows);
    for (size_t i = 0, next = 0; i < volumes.rows && result >= TACT_OK; ++i) {
        const bool is_kept = next < count && kept[next] == i;
        next += is_kept;
        result = tact_sketch_volume(is_kept ? &s->found : &s->faint, (tact_cull_kind)s->query->parameters[0],
                                    (const uint32_t*)volumes.data + i * volumes.columns);
    }
    for (size_t i = 0; i < boxes.rows && i < TACT_SKETCH_MOST && result >= TACT_OK; ++i)
        result = tact_debug_aabb(&s->draw, TACT_DEBUG_FRUSTUM, ((const tact_aabb*)boxes.data)[i]);
    if (result >= TACT_OK) result = tact_sketch_see(s);
    return result >= TACT_OK ? draw_planes(s) : result;
}

/// Bounds of instances; those out of view are taken out of the scene.
static tact_result draw_cull_scene(tact_sketch* s)
{
    tact_recorded_array instances;
    tact_sketch_array(s, "instances", &instances);
    tact_result result = tact_sketch_see(s);
    if (result == TACT_OK) result = tact_sketch_ask(s);
    const uint32_t* ids = s->answer;
    const size_t count = count_of_ids(s, 0);
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0, next = 0; i < instances.rows && result >= TACT_OK; ++i) {
            const bool kept = next < count && ids[next] == i;
            next += kept;
            if (((const uint32_t*)instances.data)[i * instances.columns] == TACT_NONE) continue;
            if (round == 0) result = tact_debug_instance_bounds(kept ? &s->found : &s->faint, s->scene, (uint32_t)i);
            if (round == 1 && !kept) result = tact_scene_remove_instance(s->scene, (uint32_t)i);
        }
    }
    if (result >= TACT_OK) result = tact_scene_commit(s->scene);
    return result >= TACT_OK ? draw_planes(s) : result;
}

/// The volumes of a set, shaded; `which` 1: the second one. False: there is none.
static bool add_set(tact_sketch* s, uint32_t which, tact_recorded_array* volumes, tact_result* result)
{
    uint32_t seen = 0;
    for (size_t k = 0; tact_recording_array(s->recording, s->index, k, volumes); ++k) {
        if (strcmp(volumes->name, "volumes") != 0 || seen++ != which) continue;
        *result = volumes->columns == 4 ? tact_sketch_add_spheres(s, volumes->data, volumes->rows)
                                        : tact_sketch_add_boxes(s, volumes->data, volumes->rows);
        return true;
    }
    return false;
}

/// The volumes of each pair, each once.
static tact_result draw_pairs(tact_sketch* s)
{
    tact_recorded_array volumes[2];
    tact_result result = TACT_OK;
    if (!add_set(s, 0, &volumes[0], &result)) return TACT_OK;
    const bool two = result == TACT_OK && add_set(s, 1, &volumes[1], &result);
    if (result == TACT_OK) result = tact_sketch_see(s);
    if (result == TACT_OK) result = tact_sketch_ask(s);
    const tact_pair* pairs = s->answer;
    uint8_t* drawn[2] = {calloc(volumes[0].rows + 1, 1), calloc(volumes[two].rows + 1, 1)};
    if (!drawn[0] || !drawn[1]) result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->answer_bytes / sizeof *pairs && result >= TACT_OK; ++i) {
        const uint32_t rows[2] = {pairs[i].a, pairs[i].b};
        for (int k = 0; k < 2 && result >= TACT_OK; ++k) {
            const tact_recorded_array* a = &volumes[k && two];
            uint8_t* once = &drawn[k && two][rows[k]];
            const float* row = (const float*)a->data + a->columns * rows[k];
            if (!*once)
                result = tact_sketch_volume(&s->found, a->columns == 4 ? TACT_CULL_SPHERES : TACT_CULL_AABBS, row);
            *once = 1;
        }
    }
    free(drawn[1]);
    free(drawn[0]);
    return result;
}

// ---- Meshes in poses ----

/// A triangle, or with TACT_NONE the whole instance, in the found colour. Nothing for an instance that is TACT_NONE.
static tact_result show(tact_sketch* s, uint32_t instance, uint32_t triangle)
{
    if (instance == TACT_NONE) return TACT_OK;
    if (triangle == TACT_NONE) return tact_debug_instance_edges(&s->found, s->scene, instance);
    const tact_result result = tact_debug_instance_triangle(&s->found, s->scene, instance, triangle);
    // A shape that is no triangle.
    return result == TACT_ERROR_INVALID_ARGUMENT
               ? tact_debug_instance_box(&s->found, TACT_DEBUG_FACE, s->scene, instance)
               : result;
}

/// Which instance shows each mesh in each pose: those of A, then those of B.
typedef struct posed {
    size_t count[2];  ///< poses; 1 where there is just one of it, 0 without the mesh
    uint32_t ids[2][TACT_SKETCH_MOST];
} posed;

static uint32_t posed_id(const posed* p, int which, size_t pose)
{
    const size_t i = p->count[which] == 1 ? 0 : pose;
    return i < TACT_SKETCH_MOST && i < p->count[which] ? p->ids[which][i] : TACT_NONE;
}

/// An instance; TACT_NONE for a matrix that none can have (it flattens, say).
static tact_result add_instance(tact_sketch* s, uint32_t mesh, const float* matrix, uint32_t* id)
{
    const tact_result result = tact_scene_add_instance(s->scene, mesh, matrix, id);
    if (result == TACT_ERROR_INVALID_ARGUMENT) *id = TACT_NONE;
    return result == TACT_ERROR_INVALID_ARGUMENT ? TACT_OK : result;
}

static tact_result add_mesh(tact_sketch* s, const tact_recorded_mesh* m)
{
    uint32_t mesh;
    const tact_mesh_desc desc = {.positions = m->positions,
                                 .vertex_count = m->vertex_count,
                                 .indices = m->indices,
                                 .triangle_count = m->triangle_count};
    return tact_scene_add_mesh(s->scene, &desc, &mesh);
}

/// Images have poses of both objects, of which those of A come first; other queries have A where it is.
static tact_result add_posed(tact_sketch* s, posed* p)
{
    tact_recorded_array poses;
    tact_recorded_mesh m;
    tact_sketch_array(s, "poses", &poses);
    const bool image = s->query->kind == TACT_RECORDED_IMAGE;
    const size_t of_a = image && s->query->parameters[4] <= poses.rows ? s->query->parameters[4] : 0;
    const size_t counts[2] = {of_a, poses.rows - of_a};
    const float(*pose)[12] = (const float(*)[12])poses.data;
    for (uint32_t k = 0; k < 2 && tact_recording_mesh(s->recording, s->index, k, &m); ++k) {
        tact_result result = add_mesh(s, &m);
        p->count[k] = counts[k] > 0 ? counts[k] : 1;
        for (size_t i = 0; i < p->count[k] && i < TACT_SKETCH_MOST && result == TACT_OK; ++i)
            result = add_instance(s, k, counts[k] > 0 ? pose[(k ? of_a : 0) + i] : NULL, &p->ids[k][i]);
        if (result != TACT_OK) return result;
    }
    return tact_sketch_see(s);
}

/// Triangles of A and of B, or, without a second mesh, of A both.
static tact_result show_pair(tact_sketch* s, const posed* p, const tact_mesh_pair* pair)
{
    const tact_result result = show(s, posed_id(p, 0, pair->pose), pair->a);
    return result >= TACT_OK ? show(s, posed_id(p, p->count[1] > 0, pair->pose), pair->b) : result;
}

static tact_result draw_overlap(tact_sketch* s, const posed* p)
{
    const tact_mesh_pair* pairs = s->answer;
    const uint8_t* relations = s->answer;
    const bool related = s->query->parameters[0] != 2;
    const size_t count = related ? s->answer_bytes : s->answer_bytes / sizeof *pairs;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result >= TACT_OK; ++i) {
        if (!related) result = show_pair(s, p, &pairs[i]);
        if (related && relations[i] != TACT_MESHES_APART) result = show(s, posed_id(p, 1, i), TACT_NONE);
    }
    return result;
}

/// Those of the listed triangles that have something in common, and what that is.
static tact_result draw_segments(tact_sketch* s, const posed* p)
{
    tact_recorded_array pairs;
    tact_sketch_array(s, "pairs", &pairs);
    const tact_triangle_contact* contacts = s->answer;
    const size_t count = s->answer_bytes / sizeof *contacts;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && i < pairs.rows && result >= TACT_OK; ++i) {
        if (contacts[i].meeting == TACT_TRIANGLES_APART) continue;
        result = show_pair(s, p, (const tact_mesh_pair*)pairs.data + i);
    }
    return result >= TACT_OK && count > 0 ? tact_debug_triangle_contacts(&s->draw, contacts, count, NULL) : result;
}

/// The shortest way from one mesh to the other.
static tact_result draw_separation(tact_sketch* s)
{
    const tact_mesh_distance* found = s->answer;
    if (s->answer_bytes < sizeof *found || found->triangle_a == TACT_NONE) return TACT_OK;
    const float a[3] = {found->point_a.x, found->point_a.y, found->point_a.z},
                b[3] = {found->point_b.x, found->point_b.y, found->point_b.z};
    return tact_sketch_line(&s->draw, TACT_DEBUG_CONTACT, a, b);
}

/// The objects that overlap, which the first word of each result says.
static tact_result draw_images(tact_sketch* s, const posed* p)
{
    const size_t count = p->count[0] > p->count[1] ? p->count[0] : p->count[1];
    const size_t words = count > 0 ? s->answer_bytes / sizeof(uint32_t) / count : 0;
    tact_result result = TACT_OK;
    for (size_t i = 0; words > 0 && i < count && result >= TACT_OK; ++i) {
        if (!((const uint32_t*)s->answer)[i * words]) continue;
        if (p->count[0] > 1) result = show(s, posed_id(p, 0, i), TACT_NONE);
        if (result >= TACT_OK) result = show(s, posed_id(p, 1, i), TACT_NONE);
    }
    return result;
}

static tact_result draw_posed(tact_sketch* s)
{
    posed p = {.count = {0}};
    tact_result result = add_posed(s, &p);
    if (result == TACT_OK) result = tact_sketch_ask(s);
    if (result != TACT_OK) return result;
    switch (s->query->kind) {
        case TACT_RECORDED_IMAGE:
            return draw_images(s, &p);
        case TACT_RECORDED_SEGMENTS:
            return draw_segments(s, &p);
        case TACT_RECORDED_SEPARATION:
            return draw_separation(s);
        default:
            return draw_overlap(s, &p);
    }
}

// ---- The filter ----

static tact_result draw_filter(tact_sketch* s)
{
    tact_recorded_array objects;
    tact_recorded_mesh m;
    tact_sketch_array(s, "objects", &objects);
    const tact_filter_object* object = objects.data;
    uint32_t* ids = malloc((objects.rows + 1) * sizeof *ids);
    tact_result result = ids ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; result == TACT_OK && tact_recording_mesh(s->recording, s->index, k, &m); ++k)
        result = add_mesh(s, &m);
    for (size_t i = 0; i < objects.rows && result == TACT_OK; ++i)
        result = add_instance(s, object[i].shape, object[i].pose, &ids[i]);
    if (result == TACT_OK) result = tact_sketch_see(s);
    if (result == TACT_OK) result = tact_sketch_ask(s);
    const tact_filter_pair* pairs = s->answer;
    for (size_t i = 0; i < s->answer_bytes / sizeof *pairs && result >= TACT_OK; ++i) {
        result = show(s, ids[pairs[i].object_a], pairs[i].triangle_a);
        if (result >= TACT_OK) result = show(s, ids[pairs[i].object_b], pairs[i].triangle_b);
    }
    free(ids);
    return result;
}

// ---- Particles ----

typedef struct particles {
    tact_particles* system;
    size_t count;
    uint32_t* ids;
    float *positions, *radii;
} particles;

static void let_go(particles* p)
{
    tact_particles_destroy(p->system);
    free(p->ids);
    free(p->positions);
    free(p->radii);
}

/// A system of its saved bytes. Also after a failure let_go() is due.
static tact_result restore(const tact_sketch* s, const void* state, size_t size, particles* p)
{
    const tact_result result = tact_particles_restore(s->context, state, size, TACT_BACKEND_CPU, &p->system);
    if (result != TACT_OK) return result;
    p->count = tact_particles_count(p->system);
    p->ids = malloc((p->count + 1) * sizeof *p->ids);
    p->positions = malloc((p->count + 1) * 3 * sizeof *p->positions);
    p->radii = malloc((p->count + 1) * sizeof *p->radii);
    if (!p->ids || !p->positions || !p->radii) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_particle_output output = {.ids = p->ids, .positions = p->positions, .radii = p->radii};
    return tact_particles_read(p->system, &output);
}

/// The ways that particles have gone: those that are there before and after.
static tact_result draw_ways(tact_sketch* s, const particles* before, const particles* after)
{
    tact_result result = TACT_OK;
    for (size_t i = 0, k = 0; i < before->count && result >= TACT_OK; ++i) {
        while (k < after->count && after->ids[k] < before->ids[i])
            ++k;
        if (k == after->count) break;
        if (after->ids[k] != before->ids[i]) continue;
        result = tact_sketch_line(&s->draw, TACT_DEBUG_RAY, before->positions + 3 * i, after->positions + 3 * k);
    }
    return result;
}

static tact_result draw_contacts(tact_sketch* s, const particles* p)
{
    tact_particle_contact* contacts = malloc(TACT_SKETCH_MOST * sizeof *contacts);
    size_t count = 0;
    if (!contacts) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = tact_particles_contacts(p->system, contacts, TACT_SKETCH_MOST, &count, &on_cpu, NULL);
    for (size_t i = 0; i < count && i < TACT_SKETCH_MOST && result >= TACT_OK; ++i) {
        const float *x = contacts[i].point, *n = contacts[i].normal;
        result = tact_debug_contact(&s->found, (tact_vec3){x[0], x[1], x[2]}, (tact_vec3){n[0], n[1], n[2]},
                                    0.05f * s->reach);
    }
    free(contacts);
    return result;
}

/// Where a particle is; ids ascend.
static const float* position_of(const particles* p, uint32_t id)
{
    size_t low = 0, high = p->count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        *(p->ids[middle] <= id ? &low : &high) = middle;
    }
    return p->positions + 3 * low;
}

/// Lines between those that are near each other, which the answer has as pairs of ids.
static tact_result draw_neighbours(tact_sketch* s, const particles* p)
{
    float radius;
    memcpy(&radius, &s->query->parameters[0], sizeof radius);
    const uint64_t* keys = s->answer;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < s->answer_bytes / sizeof *keys && result >= TACT_OK; ++i) {
        const float *x = position_of(p, (uint32_t)(keys[i] >> 32)), *y = position_of(p, (uint32_t)keys[i]);
        // Across a face of a domain that repeats there is no line.
        const float dx = x[0] - y[0], dy = x[1] - y[1], dz = x[2] - y[2];
        if (dx * dx + dy * dy + dz * dz > 1.01f * radius * radius) continue;
        result = tact_sketch_line(&s->draw, TACT_DEBUG_CONTACT, x, y);
    }
    return result;
}

/// As they are after the steps, which the answer is.
static tact_result draw_particles(tact_sketch* s)
{
    const bool near = s->query->kind == TACT_RECORDED_NEIGHBOURS, stepped = s->query->kind == TACT_RECORDED_PARTICLES;
    tact_recorded_array state;
    particles before = {0}, after = {0}, *shown = stepped ? &after : &before;
    tact_sketch_array(s, "state", &state);
    tact_result result = restore(s, state.data, state.rows, &before);
    if (result == TACT_OK) result = tact_sketch_ask(s);
    if (result == TACT_OK && stepped) result = restore(s, s->answer, s->answer_bytes, &after);
    tact_sphere* spheres = malloc((shown->count + 1) * sizeof *spheres);
    if (!spheres) result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < shown->count && result == TACT_OK; ++i) {
        const float* x = shown->positions + 3 * i;
        // Small where lines from one to the other are to be seen.
        spheres[i] = (tact_sphere){{x[0], x[1], x[2]}, (near ? 0.3f : 1.0f) * shown->radii[i]};
    }
    if (result == TACT_OK) result = tact_sketch_add_spheres(s, spheres, shown->count);
    if (result == TACT_OK) result = tact_sketch_see(s);
    if (result == TACT_OK && stepped) result = draw_ways(s, &before, &after);
    if (result == TACT_OK) result = near ? draw_neighbours(s, shown) : draw_contacts(s, shown);
    free(spheres);
    let_go(&before);
    let_go(&after);
    return result;
}

// ---- Picks ----

/// A line of the view, in pixels, as points just behind the near plane.
static tact_result draw_on_view(tact_sketch* s, double x0, double y0, double x1, double y1)
{
    const float depth = s->view->reversed ? 0.999f : 0.001f;
    float a[3], b[3];
    if (!tact_pick_unproject(s->view, x0, y0, depth, a) || !tact_pick_unproject(s->view, x1, y1, depth, b)) {
        return TACT_OK;
    }
    return tact_sketch_line(&s->draw, TACT_DEBUG_FRUSTUM, a, b);
}

static tact_result draw_region(tact_sketch* s, const tact_pick_region* r)
{
    const double x = r->x + 0.5, y = r->y + 0.5, radius = r->radius + 0.5;
    tact_result result = TACT_OK;
    for (int i = 0; i < 4 && r->shape == TACT_PICK_RECTANGLE && result >= TACT_OK; ++i) {
        static const int at[4][4] = {{0, 1, 2, 1}, {2, 1, 2, 3}, {2, 3, 0, 3}, {0, 3, 0, 1}};
        const int32_t* w = r->rectangle;
        result = draw_on_view(s, w[at[i][0]], w[at[i][1]], w[at[i][2]], w[at[i][3]]);
    }
    for (int i = 0; i < 64 && r->shape == TACT_PICK_POINT && result >= TACT_OK; ++i) {
        const double part = 6.283185307179586 / 64, u = i * part, v = (i + 1) * part;
        result = draw_on_view(s, x + radius * cos(u), y + radius * sin(u), x + radius * cos(v), y + radius * sin(v));
    }
    for (size_t i = 0; i < r->lasso_count && result >= TACT_OK; ++i) {
        const float *a = r->lasso[i], *b = r->lasso[i + 1 < r->lasso_count ? i + 1 : 0];
        result = draw_on_view(s, (double)a[0], (double)a[1], (double)b[0], (double)b[1]);
    }
    return result;
}

/// What was picked: an object in all its instances; and a point at each pick, unless they are so many that they hide
/// what they show.
static tact_result draw_pick(tact_sketch* s, tact_pick_group group, const tact_pick* pick, bool point)
{
    tact_recorded_array instances;
    tact_result result = TACT_OK;
    tact_sketch_array(s, "instances", &instances);
    if (group == TACT_PICK_BY_PRIMITIVE) result = show(s, pick->instance, pick->primitive);
    if (group == TACT_PICK_BY_INSTANCE) result = show(s, pick->instance, TACT_NONE);
    for (uint32_t i = 0; i < instances.rows && group == TACT_PICK_BY_OBJECT && result >= TACT_OK; ++i) {
        const uint32_t mesh = ((const uint32_t*)instances.data)[i * instances.columns];
        if (mesh == pick->object) result = show(s, i, TACT_NONE);
    }
    return point && result >= TACT_OK ? tact_sketch_point(&s->draw, TACT_DEBUG_HIT, pick->position) : result;
}

static tact_result draw_picks(tact_sketch* s)
{
    enum { MOST_POINTS = 40 };
    tact_recorded_array rows, lasso;
    tact_result result = tact_sketch_see(s);
    if (!tact_sketch_array(s, "region", &rows) || rows.rows != 1) return result;
    tact_sketch_array(s, "lasso", &lasso);
    const int32_t* w = rows.data;
    const tact_pick_region region = {.shape = (tact_pick_shape)w[0],
                                     .x = w[1],
                                     .y = w[2],
                                     .radius = (uint32_t)w[3],
                                     .rectangle = {w[4], w[5], w[6], w[7]},
                                     .lasso = (const float(*)[2])lasso.data,
                                     .lasso_count = lasso.rows};
    if (result == TACT_OK) result = draw_region(s, &region);
    if (result >= TACT_OK) result = tact_sketch_ask(s);
    const tact_pick* picks = s->answer;
    const size_t count = s->answer_bytes / sizeof *picks;
    const uint32_t group = s->query->parameters[s->query->kind == TACT_RECORDED_TARGET ? 0 : 1];
    for (size_t i = 0; i < count && result >= TACT_OK; ++i)
        result = draw_pick(s, (tact_pick_group)group, &picks[i], count <= MOST_POINTS);
    return result;
}

// ---- All of them ----

tact_result tact_sketch_make(tact_sketch* s)
{
    tact_result result = s->scene ? TACT_OK : tact_recording_make_scene(s->recording, s->index, &s->scene);
    if (result == TACT_OK && !s->scene) result = tact_scene_create(s->context, &s->scene);
    if (result != TACT_OK) return result;
    switch (s->query->kind) {
        case TACT_RECORDED_CULL_SCENE:
            return draw_cull_scene(s);
        case TACT_RECORDED_CULL:
            return draw_culled(s);
        case TACT_RECORDED_PAIRS:
            return draw_pairs(s);
        case TACT_RECORDED_OVERLAP:
        case TACT_RECORDED_SEGMENTS:
        case TACT_RECORDED_SEPARATION:
        case TACT_RECORDED_IMAGE:
            return draw_posed(s);
        case TACT_RECORDED_FILTER:
            return draw_filter(s);
        case TACT_RECORDED_PARTICLES:
        case TACT_RECORDED_CONTACTS:
        case TACT_RECORDED_NEIGHBOURS:
            return draw_particles(s);
        case TACT_RECORDED_PICK:
        case TACT_RECORDED_TARGET:
            return draw_picks(s);
        case TACT_RECORDED_BODIES:
        case TACT_RECORDED_BODY_CASTS:
        case TACT_RECORDED_BODY_DISTANCES:
        case TACT_RECORDED_BODY_NEAREST:
            return tact_sketch_bodies(s);
        case TACT_RECORDED_CLOUD_NEAREST:
        case TACT_RECORDED_CLOUD_WITHIN:
            return tact_sketch_cloud(s);
        default:
            return draw_cast(s);
    }
}
