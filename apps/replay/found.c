// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What of a recorded query is shaded, and what of it was found.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/replay/sketch.h"

static const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};

/// What is to be seen, unless it is known: all of the scene.
static tact_result see_scene(tact_sketch* s)
{
    tact_scene_stats stats;
    const tact_result result = tact_scene_get_stats(s->scene, &stats);
    if (result == TACT_OK) s->bounds = tact_ray_bounds(&stats);
    return result;
}

// ---- Pairs ----

tact_result tact_sketch_set(const tact_sketch* s, uint32_t which, tact_volume_set** set, tact_recorded_array* volumes)
{
    // A set's arrays follow its volumes.
    tact_recorded_array a, filters = {0}, used = {0};
    uint32_t seen = 0;
    *set = NULL;
    for (size_t k = 0; tact_recording_array(s->recording, s->index, k, &a); ++k) {
        const bool first = strcmp(a.name, "volumes") == 0;
        seen += first;
        if (seen != which + 1) continue;
        if (first) *volumes = a;
        if (strcmp(a.name, "filters") == 0) filters = a;
        if (strcmp(a.name, "used") == 0) used = a;
    }
    if (seen <= which) return TACT_OK;
    const bool spheres = volumes->columns == 4;
    const tact_volume_set_desc desc = {.kind = spheres ? TACT_VOLUME_SPHERE : TACT_VOLUME_AABB};
    tact_result result = tact_volume_set_create(s->context, &desc, set);
    if (result != TACT_OK) return result;
    result = spheres ? tact_volume_set_add_spheres(*set, volumes->data, volumes->rows, filters.data, NULL, NULL)
                     : tact_volume_set_add_aabbs(*set, volumes->data, volumes->rows, filters.data, NULL, NULL);
    const uint8_t* in_use = used.data;
    for (uint32_t i = 0; in_use && i < used.rows && result == TACT_OK; ++i)
        if (!in_use[i]) result = tact_volume_set_remove(*set, &i, 1);
    return result;
}

/// Volumes as primitives of one instance.
static tact_result add_volumes(tact_sketch* s, const tact_recorded_array* a, const void* data, size_t rows)
{
    uint32_t mesh = 0, id = 0;
    const tact_result result = a->columns == 6 ? tact_scene_add_boxes(s->scene, data, rows, &mesh)
                                               : tact_scene_add_spheres(s->scene, data, rows, &mesh);
    return result == TACT_OK ? tact_sketch_instance(s, mesh, NULL, rows, &id) : result;
}

static tact_result make_pairs(tact_sketch* s)
{
    tact_volume_set* sets[2] = {NULL, NULL};
    tact_recorded_array volumes[2] = {{0}, {0}};
    size_t count = 0;
    tact_result result = TACT_OK;
    for (uint32_t i = 0; i < 2 && result == TACT_OK; ++i) {
        result = tact_sketch_set(s, i, &sets[i], &volumes[i]);
        if (result == TACT_OK && sets[i]) result = add_volumes(s, &volumes[i], volumes[i].data, volumes[i].rows);
    }
    if (result == TACT_OK && sets[0]) {
        result = tact_pairs_find(sets[0], sets[1], TACT_PAIRS_AUTO, NULL, 0, &count, &on_cpu, NULL);
        const tact_pair* pairs = tact_pairs_last(sets[0], &count);
        for (size_t i = 0; i < count && result >= TACT_OK; ++i) {
            tact_sketch_mark(s, 0, pairs[i].a);
            tact_sketch_mark(s, sets[1] ? 1 : 0, pairs[i].b);
        }
    }
    tact_volume_set_destroy(sets[1]);
    tact_volume_set_destroy(sets[0]);
    return result < TACT_OK ? result : TACT_OK;
}

// ---- Culling ----

static tact_result cull_volumes(const tact_sketch* s, const tact_recorded_array* volumes, uint32_t* ids, size_t* count)
{
    tact_recorded_array planes = {0}, boxes = {0};
    const bool by_boxes = tact_sketch_array(s, "boxes", &boxes);
    tact_sketch_array(s, "planes", &planes);
    const tact_cull_work work = {.kind = (tact_cull_kind)s->query->parameters[0],
                                 .volumes = volumes->data,
                                 .count = volumes->rows,
                                 .planes = planes.data,
                                 .plane_count = (uint32_t)planes.rows,
                                 .boxes = by_boxes ? boxes.data : NULL,
                                 .box_count = by_boxes ? boxes.rows : 0};
    tact_culler* culler = NULL;
    tact_result result = tact_culler_create(s->context, &culler);
    if (result == TACT_OK) result = tact_cull(culler, &work, ids, volumes->rows, count, NULL, &on_cpu, NULL);
    tact_culler_destroy(culler);
    return result;
}

tact_result tact_sketch_culled(const tact_sketch* s, uint8_t** kept, size_t* count)
{
    const bool of_scene = s->query->kind == TACT_RECORDED_SCENE_CULL;
    tact_recorded_array all = {0}, planes = {0};
    tact_sketch_array(s, of_scene ? "instances" : "volumes", &all);
    tact_sketch_array(s, "planes", &planes);
    *count = all.rows;
    *kept = calloc(all.rows + 1, 1);
    uint32_t* ids = malloc((all.rows + 1) * sizeof *ids);
    size_t found = 0;
    tact_result result = *kept && ids ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK && of_scene) {
        const tact_scene_cull_work work = {
            .planes = planes.data, .plane_count = (uint32_t)planes.rows, .first = s->query->parameters[0]};
        result = tact_scene_cull(s->scene, &work, ids, all.rows, &found, NULL, &on_cpu, NULL);
    } else if (result == TACT_OK) {
        result = cull_volumes(s, &all, ids, &found);
    }
    for (size_t i = 0; i < found && result == TACT_OK; ++i)
        (*kept)[ids[i]] = 1;
    free(ids);
    return result;
}

static void extend(tact_bounds* bounds, const float* lower, const float* upper)
{
    for (int k = 0; k < 3; ++k) {
        const double low = (double)lower[k], high = (double)upper[k];
        if (!(low <= high) || !isfinite(low) || !isfinite(high)) return;
    }
    for (int k = 0; k < 3; ++k) {
        bounds->lower[k] = fmin(bounds->lower[k], (double)lower[k]);
        bounds->upper[k] = fmax(bounds->upper[k], (double)upper[k]);
    }
}

/// The box of all volumes, kept or not.
static void see_volumes(tact_sketch* s, const tact_recorded_array* a)
{
    s->bounds = (tact_bounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (size_t i = 0; i < a->rows; ++i) {
        const float* v = (const float*)a->data + i * a->columns;
        float lower[3], upper[3];
        for (int k = 0; k < 3; ++k) {
            const tact_obb* box = (const tact_obb*)(const void*)v;
            const tact_kdop* kdop = (const tact_kdop*)(const void*)v;
            float half = 0.0f;
            switch (s->query->parameters[0]) {
                case TACT_CULL_AABBS:
                    lower[k] = v[k];
                    upper[k] = v[3 + k];
                    break;
                case TACT_CULL_KDOPS:
                    // The axes of x, y and z come first.
                    lower[k] = kdop->lower[k];
                    upper[k] = kdop->upper[k];
                    break;
                case TACT_CULL_OBBS:
                    half = fabsf((&box->axis[0].x)[k]) * box->half.x + fabsf((&box->axis[1].x)[k]) * box->half.y +
                           fabsf((&box->axis[2].x)[k]) * box->half.z;
                    lower[k] = v[k] - half;
                    upper[k] = v[k] + half;
                    break;
                default:
                    lower[k] = v[k] - v[3];
                    upper[k] = v[k] + v[3];
                    break;
            }
        }
        extend(&s->bounds, lower, upper);
    }
    for (int k = 0; k < 3; ++k)
        if (!(s->bounds.lower[k] <= s->bounds.upper[k])) s->bounds = (tact_bounds){{0, 0, 0}, {1, 1, 1}};
}

/// The kept ones are shaded, where they are boxes or spheres; the rest is outlined.
static tact_result make_cull(tact_sketch* s)
{
    tact_recorded_array volumes = {0};
    uint8_t* kept = NULL;
    size_t count = 0, found = 0;
    if (!tact_sketch_array(s, "volumes", &volumes)) return TACT_OK;
    see_volumes(s, &volumes);
    if (s->query->parameters[0] > TACT_CULL_SPHERES) return TACT_OK;
    tact_result result = tact_sketch_culled(s, &kept, &count);
    const size_t size = volumes.columns * 4;
    char* rows = malloc(volumes.rows * size + 1);
    if (result == TACT_OK && !rows) result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        if (kept[i]) memcpy(rows + found++ * size, (const char*)volumes.data + i * size, size);
    if (result == TACT_OK) result = add_volumes(s, &volumes, rows, found);
    if (result == TACT_OK) tact_sketch_mark(s, 0, TACT_NONE);
    free(rows);
    free(kept);
    return result;
}

/// Those out of view are taken out of the scene.
static tact_result make_scene_cull(tact_sketch* s)
{
    uint8_t* kept = NULL;
    size_t count = 0;
    tact_recorded_array instances;
    tact_result result = see_scene(s);
    if (result == TACT_OK) result = tact_sketch_culled(s, &kept, &count);
    tact_sketch_array(s, "instances", &instances);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const uint32_t mesh = ((const uint32_t*)instances.data)[i * instances.columns];
        if (mesh != TACT_NONE && !kept[i]) result = tact_scene_remove_instance(s->scene, (uint32_t)i);
    }
    free(kept);
    return result == TACT_OK ? tact_scene_commit(s->scene) : result;
}

// ---- Meshes in poses ----

static tact_mesh_desc describe(const tact_recorded_mesh* m)
{
    return (tact_mesh_desc){.positions = m->positions,
                            .vertex_count = m->vertex_count,
                            .indices = m->indices,
                            .triangle_count = m->triangle_count};
}

tact_result tact_sketch_meshes(const tact_sketch* s, tact_mesh* meshes[2])
{
    tact_result result = TACT_OK;
    tact_recorded_mesh m;
    meshes[0] = meshes[1] = NULL;
    for (size_t k = 0; k < 2 && result == TACT_OK && tact_recording_mesh(s->recording, s->index, k, &m); ++k) {
        const tact_mesh_desc desc = describe(&m);
        result = tact_mesh_create(s->context, &desc, &meshes[k]);
    }
    return result;
}

/// Which instance shows each mesh in each pose: those of A, then those of B.
typedef struct posed {
    uint32_t ids[2][TACT_SKETCH_MOST];
    size_t count[2];  ///< poses; 1 where there is just one of it
} posed;

static uint32_t posed_id(const posed* p, int which, size_t pose)
{
    const size_t i = p->count[which] == 1 ? 0 : pose;
    return i < TACT_SKETCH_MOST ? p->ids[which][i] : TACT_NONE;
}

/// Images have poses of both objects, of which those of A come first; other queries have A where it is.
static tact_result add_posed(tact_sketch* s, posed* p)
{
    tact_recorded_array poses = {0};
    tact_recorded_mesh m;
    tact_sketch_array(s, "poses", &poses);
    const bool image = s->query->kind == TACT_RECORDED_IMAGE;
    const size_t of_a = image && s->query->parameters[4] <= poses.rows ? s->query->parameters[4] : 0;
    tact_result result = TACT_OK;
    for (int k = 0; k < 2 && result == TACT_OK && tact_recording_mesh(s->recording, s->index, (size_t)k, &m); ++k) {
        const tact_mesh_desc desc = describe(&m);
        const float(*rows)[12] = (const float(*)[12])poses.data + (k ? of_a : 0);
        const size_t count = k ? poses.rows - of_a : of_a;
        uint32_t mesh = 0;
        result = tact_scene_add_mesh(s->scene, &desc, &mesh);
        p->count[k] = count > 0 ? count : 1;
        for (size_t i = 0; i < p->count[k] && i < TACT_SKETCH_MOST && result == TACT_OK; ++i) {
            const float* matrix = count > 0 ? rows[i] : NULL;
            result = tact_sketch_instance(s, mesh, matrix, m.triangle_count, &p->ids[k][i]);
        }
    }
    return result;
}

static tact_result mark_overlap(tact_sketch* s, const posed* p, tact_mesh* const meshes[2])
{
    tact_recorded_array poses = {0};
    tact_sketch_array(s, "poses", &poses);
    const float(*rows)[12] = (const float(*)[12])poses.data;
    size_t count = 0;
    tact_result result;
    if (meshes[1] && s->query->parameters[0] == 1) {
        uint8_t* relations = malloc(poses.rows + 1);
        if (!relations) return TACT_ERROR_OUT_OF_MEMORY;
        result = tact_mesh_overlap(meshes[0], meshes[1], rows, poses.rows, true, relations, &on_cpu, NULL);
        for (size_t i = 0; i < poses.rows && result == TACT_OK; ++i)
            if (relations[i] != TACT_MESHES_APART) tact_sketch_mark(s, posed_id(p, 1, i), TACT_NONE);
        free(relations);
        return result;
    }
    // Once to count them, and once more.
    tact_mesh_pair* pairs = NULL;
    for (int round = 0; round < 2; ++round) {
        const size_t room = count;
        pairs = room > 0 ? malloc(room * sizeof *pairs) : NULL;
        if (room > 0 && !pairs) return TACT_ERROR_OUT_OF_MEMORY;
        result = meshes[1] ? tact_mesh_overlap_pairs(meshes[0], meshes[1], rows, poses.rows, pairs, room, &count,
                                                     &on_cpu, NULL)
                           : tact_mesh_self_overlap_pairs(meshes[0], pairs, room, &count, &on_cpu, NULL);
        if (result != TACT_INCOMPLETE) break;
    }
    for (size_t i = 0; pairs && i < count && result == TACT_OK; ++i) {
        tact_sketch_mark(s, posed_id(p, 0, pairs[i].pose), pairs[i].a);
        tact_sketch_mark(s, posed_id(p, meshes[1] ? 1 : 0, pairs[i].pose), pairs[i].b);
    }
    free(pairs);
    return result;
}

/// Those of the listed triangles that have something in common.
static tact_result mark_segments(tact_sketch* s, const posed* p, tact_mesh* const meshes[2])
{
    tact_recorded_array poses = {0}, listed = {0};
    tact_sketch_array(s, "poses", &poses);
    tact_sketch_array(s, "pairs", &listed);
    const tact_mesh_pair* pairs = listed.data;
    const int other = meshes[1] ? 1 : 0;
    tact_triangle_contact* contacts = malloc((listed.rows + 1) * sizeof *contacts);
    if (!contacts) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = tact_mesh_overlap_segments(meshes[0], meshes[other], (const float(*)[12])poses.data,
                                                          poses.rows, pairs, listed.rows, contacts, &on_cpu);
    for (size_t i = 0; i < listed.rows && result == TACT_OK; ++i) {
        if (contacts[i].meeting == TACT_TRIANGLES_APART) continue;
        tact_sketch_mark(s, posed_id(p, 0, pairs[i].pose), pairs[i].a);
        tact_sketch_mark(s, posed_id(p, other, pairs[i].pose), pairs[i].b);
    }
    free(contacts);
    return result;
}

/// The objects that overlap; nothing where OpenGL is not here.
static tact_result mark_images(tact_sketch* s, const posed* p)
{
    tact_recorded_array poses = {0};
    tact_recorded_mesh m[2];
    tact_image_body body[2];
    tact_image_tester* tester = NULL;
    tact_sketch_array(s, "poses", &poses);
    const uint32_t* given = s->query->parameters;
    const size_t of_a = given[4] <= poses.rows ? given[4] : 0,
                 most = p->count[0] > p->count[1] ? p->count[0] : p->count[1];
    for (size_t k = 0; k < 2; ++k) {
        if (!tact_recording_mesh(s->recording, s->index, k, &m[k])) return TACT_OK;
        body[k] = (tact_image_body){.positions = m[k].positions,
                                    .vertex_count = m[k].vertex_count,
                                    .indices = m[k].indices,
                                    .triangle_count = m[k].triangle_count,
                                    .poses = (const float(*)[12])poses.data + (k ? of_a : 0),
                                    .pose_count = k ? poses.rows - of_a : of_a,
                                    .closed = (given[3] >> k & 1) != 0,
                                    .convex = (given[3] >> (4 + k) & 1) != 0};
    }
    tact_result result = tact_image_tester_create(s->context, &tester);
    if (result == TACT_ERROR_NO_DEVICE) return TACT_OK;
    tact_image_result* results = calloc(most + 1, sizeof *results);
    if (result == TACT_OK && !results) result = TACT_ERROR_OUT_OF_MEMORY;
    const tact_image_options options = {(tact_image_method)given[1], given[2]};
    if (result == TACT_OK) {
        result = given[0] ? tact_image_concave(tester, &body[0], &body[1], &options, results, most)
                          : tact_image_convex(tester, &body[0], &body[1], &options, results, most);
    }
    for (size_t i = 0; i < most && result == TACT_OK; ++i) {
        if (!results[i].overlap) continue;
        if (p->count[0] > 1) tact_sketch_mark(s, posed_id(p, 0, i), TACT_NONE);
        tact_sketch_mark(s, posed_id(p, 1, i), TACT_NONE);
    }
    free(results);
    tact_image_tester_destroy(tester);
    return result;
}

static tact_result make_posed(tact_sketch* s)
{
    posed* p = calloc(1, sizeof *p);
    if (!p) return TACT_ERROR_OUT_OF_MEMORY;
    tact_mesh* meshes[2] = {NULL, NULL};
    tact_result result = add_posed(s, p);
    if (result == TACT_OK && s->query->kind == TACT_RECORDED_IMAGE) {
        result = mark_images(s, p);
    } else if (result == TACT_OK && s->query->kind != TACT_RECORDED_SEPARATION) {
        const bool segments = s->query->kind == TACT_RECORDED_SEGMENTS;
        result = tact_sketch_meshes(s, meshes);
        if (result == TACT_OK && meshes[0]) {
            result = segments ? mark_segments(s, p, meshes) : mark_overlap(s, p, meshes);
        }
    }
    tact_mesh_destroy(meshes[1]);
    tact_mesh_destroy(meshes[0]);
    free(p);
    return result;
}

// ---- The filter ----

static tact_result mark_filtered(tact_sketch* s, const tact_recorded_array* objects, const uint32_t* ids)
{
    tact_recorded_mesh m;
    size_t shape_count = 0, count = 0;
    while (tact_recording_mesh(s->recording, s->index, shape_count, &m))
        ++shape_count;
    tact_filter_shape* shapes = calloc(shape_count + 1, sizeof *shapes);
    tact_filter* filter = NULL;
    tact_filter_pair* pairs = NULL;
    tact_result result = shapes ? tact_filter_create(s->context, &filter) : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < shape_count && result == TACT_OK; ++i) {
        tact_recording_mesh(s->recording, s->index, i, &m);
        shapes[i] = (tact_filter_shape){.positions = m.positions,
                                        .vertex_count = m.vertex_count,
                                        .indices = m.indices,
                                        .triangle_count = m.triangle_count};
    }
    for (int round = 0; round < 2 && result == TACT_OK; ++round) {
        const size_t room = count;
        pairs = malloc((room + 1) * sizeof *pairs);
        if (!pairs) result = TACT_ERROR_OUT_OF_MEMORY;
        if (pairs) {
            result = tact_filter_run(filter, shapes, shape_count, objects->data, objects->rows, NULL, pairs, room,
                                     &count, NULL, &on_cpu, NULL);
        }
        if (result != TACT_INCOMPLETE) break;
        free(pairs);
        pairs = NULL;
        result = TACT_OK;
    }
    for (size_t i = 0; pairs && i < count && result == TACT_OK; ++i) {
        tact_sketch_mark(s, ids[pairs[i].object_a], pairs[i].triangle_a);
        tact_sketch_mark(s, ids[pairs[i].object_b], pairs[i].triangle_b);
    }
    free(pairs);
    tact_filter_destroy(filter);
    free(shapes);
    return result;
}

static tact_result make_filter(tact_sketch* s)
{
    tact_recorded_array objects;
    tact_recorded_mesh m;
    tact_result result = TACT_OK;
    if (!tact_sketch_array(s, "objects", &objects)) return TACT_OK;
    for (size_t k = 0; result == TACT_OK && tact_recording_mesh(s->recording, s->index, k, &m); ++k) {
        const tact_mesh_desc desc = describe(&m);
        uint32_t mesh;
        result = tact_scene_add_mesh(s->scene, &desc, &mesh);
    }
    uint32_t* ids = malloc((objects.rows + 1) * sizeof *ids);
    if (!ids) return TACT_ERROR_OUT_OF_MEMORY;
    const uint32_t* row = objects.data;
    for (size_t i = 0; i < objects.rows && result == TACT_OK; ++i, row += objects.columns) {
        float pose[12];
        memcpy(pose, row + 1, sizeof pose);
        ids[i] = TACT_NONE;
        if (!tact_recording_mesh(s->recording, s->index, row[0], &m)) continue;
        result = tact_sketch_instance(s, row[0], pose, m.triangle_count, &ids[i]);
    }
    if (result == TACT_OK) result = mark_filtered(s, &objects, ids);
    free(ids);
    return result;
}

// ---- Particles ----

void tact_sketch_let_go(tact_sketch_particles* p)
{
    tact_particles_destroy(p->system);
    free(p->ids);
    free(p->positions);
    free(p->radii);
    *p = (tact_sketch_particles){0};
}

tact_result tact_sketch_restore(const tact_sketch* s, bool after, tact_sketch_particles* p)
{
    tact_recorded_array state = {0};
    *p = (tact_sketch_particles){0};
    tact_sketch_array(s, "state", &state);
    tact_result result = tact_particles_restore(s->context, state.data, state.rows, TACT_BACKEND_CPU, &p->system);
    if (result == TACT_OK && after && s->query->kind == TACT_RECORDED_PARTICLES) {
        float dt;
        memcpy(&dt, &s->query->parameters[0], sizeof dt);
        result = tact_particles_step(p->system, dt, s->query->parameters[1], s->query->parameters[2], &on_cpu, NULL);
    }
    if (result != TACT_OK) return result;
    p->count = tact_particles_count(p->system);
    p->ids = malloc((p->count + 1) * sizeof *p->ids);
    p->positions = malloc((p->count + 1) * 3 * sizeof *p->positions);
    p->radii = malloc((p->count + 1) * sizeof *p->radii);
    if (!p->ids || !p->positions || !p->radii) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_particle_output output = {.ids = p->ids, .positions = p->positions, .radii = p->radii};
    return tact_particles_read(p->system, &output);
}

/// As they are after the steps; those that touch something are marked.
static tact_result make_particles(tact_sketch* s)
{
    tact_sketch_particles p;
    tact_result result = tact_sketch_restore(s, true, &p);
    const size_t room = p.count * 16;
    tact_sphere* spheres = malloc((p.count + 1) * sizeof *spheres);
    tact_particle_contact* contacts = malloc((room + 1) * sizeof *contacts);
    size_t count = 0;
    uint32_t id = 0, mesh = 0;
    if (!spheres || !contacts) result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < p.count && result == TACT_OK; ++i) {
        const float* x = p.positions + 3 * i;
        // Small where lines from one to the other are to be seen.
        const float radius = s->query->kind == TACT_RECORDED_NEIGHBOURS ? 0.3f * p.radii[i] : p.radii[i];
        spheres[i] = (tact_sphere){{x[0], x[1], x[2]}, radius};
    }
    if (result == TACT_OK) result = tact_scene_add_spheres(s->scene, spheres, p.count, &mesh);
    if (result == TACT_OK) result = tact_sketch_instance(s, mesh, NULL, p.count, &id);
    if (result == TACT_OK && s->query->kind != TACT_RECORDED_NEIGHBOURS) {
        result = tact_particles_contacts(p.system, contacts, room, &count, &on_cpu, NULL);
        // Ids ascend, as contacts do.
        for (size_t i = 0, at = 0; i < count && i < room && result >= TACT_OK; ++i) {
            while (at < p.count && p.ids[at] < contacts[i].a)
                ++at;
            tact_sketch_mark(s, id, (uint32_t)at);
            if (contacts[i].with != TACT_CONTACT_PARTICLE) continue;
            for (size_t other = at; other < p.count; ++other) {
                if (p.ids[other] == contacts[i].b) tact_sketch_mark(s, id, (uint32_t)other);
                if (p.ids[other] >= contacts[i].b) break;
            }
        }
    }
    free(contacts);
    free(spheres);
    tact_sketch_let_go(&p);
    return result < TACT_OK ? result : TACT_OK;
}

// ---- Picks ----

tact_result tact_sketch_picks(const tact_sketch* s, tact_pick** picks, size_t* count)
{
    const uint32_t* given = s->query->parameters;
    const bool target = s->query->kind == TACT_RECORDED_TARGET;
    tact_recorded_array rows, lasso = {0};
    *picks = NULL;
    *count = 0;
    if (!tact_sketch_array(s, "region", &rows) || rows.rows != 1) return TACT_OK;
    tact_sketch_array(s, "lasso", &lasso);
    const uint32_t* w = rows.data;
    const tact_pick_region region = {
        .shape = (tact_pick_shape)w[0],
        .x = (int32_t)w[1],
        .y = (int32_t)w[2],
        .radius = w[3],
        .rectangle = {(int32_t)w[4], (int32_t)w[5], (int32_t)w[6], (int32_t)w[7]},
        .lasso = (const float(*)[2])lasso.data,
        .lasso_count = lasso.rows,
    };
    tact_pick_options options = {.group = (tact_pick_group)given[target ? 0 : 1]};
    if (!target) options.extent = (tact_pick_extent)given[0];
    if (!target) options.max_layers = given[3];
    tact_picker* picker = NULL;
    tact_result result = tact_picker_create(s->context, &picker);
    if (result == TACT_OK) {
        result = tact_pick_scene(picker, s->scene, &s->view, &region, &options, NULL, 0, count, &on_cpu, NULL);
    }
    const tact_pick* all = result >= TACT_OK ? tact_pick_last(picker, count) : NULL;
    *picks = all ? malloc(*count * sizeof *all) : NULL;
    if (*picks) memcpy(*picks, all, *count * sizeof *all);
    tact_picker_destroy(picker);
    if (result < TACT_OK) return result;
    return all && !*picks ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK;
}

/// The scene as it was; what was picked is marked: an object in all its instances.
static tact_result make_picks(tact_sketch* s)
{
    const uint32_t group = s->query->parameters[s->query->kind == TACT_RECORDED_TARGET ? 0 : 1];
    tact_recorded_array instances;
    tact_recorded_mesh m;
    tact_pick* picks = NULL;
    size_t count = 0;
    if (!tact_sketch_array(s, "instances", &instances)) return TACT_OK;
    tact_result result = see_scene(s);
    const uint32_t* rows = instances.data;
    for (size_t i = 0; i < instances.rows && result == TACT_OK; ++i) {
        const uint32_t mesh = rows[i * instances.columns];
        const bool there = mesh != TACT_NONE && tact_recording_mesh(s->recording, s->index, mesh, &m);
        result = tact_sketch_count(s, there ? m.triangle_count : 0);
    }
    if (result == TACT_OK) result = tact_sketch_picks(s, &picks, &count);
    for (size_t k = 0; k < count && result == TACT_OK; ++k) {
        if (group == TACT_PICK_BY_PRIMITIVE) tact_sketch_mark(s, picks[k].instance, picks[k].primitive);
        if (group == TACT_PICK_BY_INSTANCE) tact_sketch_mark(s, picks[k].instance, TACT_NONE);
        for (uint32_t i = 0; i < instances.rows && group == TACT_PICK_BY_OBJECT; ++i)
            if (rows[i * instances.columns] == picks[k].object) tact_sketch_mark(s, i, TACT_NONE);
    }
    free(picks);
    return result;
}

// ---- All of them ----

/// What has no scene of its own.
static tact_result fill(tact_sketch* s)
{
    switch (s->query->kind) {
        case TACT_RECORDED_PAIRS:
            return make_pairs(s);
        case TACT_RECORDED_CULL:
            return make_cull(s);
        case TACT_RECORDED_FILTER:
            return make_filter(s);
        case TACT_RECORDED_PARTICLES:
        case TACT_RECORDED_CONTACTS:
        case TACT_RECORDED_NEIGHBOURS:
            return make_particles(s);
        default:
            return make_posed(s);
    }
}

tact_result tact_sketch_make(tact_sketch* s)
{
    tact_result result = tact_recording_make_scene(s->recording, s->index, &s->scene);
    if (result != TACT_OK) return result;
    if (s->scene && s->own_view) return make_picks(s);
    if (s->scene && s->query->kind == TACT_RECORDED_SCENE_CULL) return make_scene_cull(s);
    if (s->scene) return see_scene(s);
    result = tact_scene_create(s->context, &s->scene);
    if (result == TACT_OK) result = fill(s);
    if (result == TACT_OK) result = tact_scene_commit(s->scene);
    if (result != TACT_OK || s->query->kind == TACT_RECORDED_CULL) return result;
    return see_scene(s);
}
