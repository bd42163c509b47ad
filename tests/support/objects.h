// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Objects of the library and parts of scenes, made or the test fails. Include after run.h.

#include "tact/tact.h"

static inline tact_context* new_context(const tact_context_desc* desc)
{
    tact_context* object = NULL;
    assert_int_equal(tact_context_create(desc, &object), TACT_OK);
    return object;
}

/// new_NAME(context)
#define NEW_OBJECT(name, type, create)                  \
    static inline type* name(tact_context* on)          \
    {                                                   \
        type* object = NULL;                            \
        assert_int_equal(create(on, &object), TACT_OK); \
        return object;                                  \
    }

/// new_NAME(context, desc)
#define NEW_DESCRIBED(name, type, create)                               \
    static inline type* name(tact_context* on, const type##_desc* desc) \
    {                                                                   \
        type* object = NULL;                                            \
        assert_int_equal(create(on, desc, &object), TACT_OK);           \
        return object;                                                  \
    }

NEW_OBJECT(new_scene, tact_scene, tact_scene_create)
NEW_OBJECT(new_culler, tact_culler, tact_culler_create)
NEW_OBJECT(new_image_tester, tact_image_tester, tact_image_tester_create)
NEW_OBJECT(new_picker, tact_picker, tact_picker_create)
NEW_OBJECT(new_filter, tact_filter, tact_filter_create)
NEW_DESCRIBED(new_volumes, tact_volumes, tact_volumes_create)
NEW_DESCRIBED(new_particles, tact_particles, tact_particles_create)
NEW_DESCRIBED(new_pick_target, tact_pick_target, tact_pick_target_create)
NEW_DESCRIBED(new_mesh, tact_mesh, tact_mesh_create)

/// The index of what is added.
#define PUT_SHAPES(name, type, add)                                               \
    static inline uint32_t name(tact_scene* to, const type* shapes, size_t count) \
    {                                                                             \
        uint32_t mesh = 0;                                                        \
        assert_int_equal(add(to, shapes, count, &mesh), TACT_OK);                 \
        return mesh;                                                              \
    }

PUT_SHAPES(put_spheres, tact_sphere, tact_scene_add_spheres)
PUT_SHAPES(put_boxes, tact_aabb, tact_scene_add_boxes)
PUT_SHAPES(put_capsules, tact_capsule, tact_scene_add_capsules)

static inline uint32_t put_mesh(tact_scene* to, const tact_mesh_desc* desc)
{
    uint32_t mesh = 0;
    assert_int_equal(tact_scene_add_mesh(to, desc, &mesh), TACT_OK);
    return mesh;
}

static inline uint32_t put_instance(tact_scene* to, uint32_t mesh, const float pose[12])
{
    uint32_t instance = 0;
    assert_int_equal(tact_scene_add_instance(to, mesh, pose, &instance), TACT_OK);
    return instance;
}

/// Destroys an object when the test ends, the last one first. KEEP(new_scene(context)) is the object.
#define KEPT(type)                              \
    static inline void end_##type(void* object) \
    {                                           \
        type##_destroy(object);                 \
    }                                           \
    static inline type* keep_##type(type* kept) \
    {                                           \
        at_end(end_##type, kept);               \
        return kept;                            \
    }

KEPT(tact_context)
KEPT(tact_scene)
KEPT(tact_culler)
KEPT(tact_image_tester)
KEPT(tact_picker)
KEPT(tact_pick_target)
KEPT(tact_filter)
KEPT(tact_volumes)
KEPT(tact_particles)
KEPT(tact_mesh)
KEPT(tact_recording)
KEPT(tact_pair_tracker)
KEPT(tact_mesh_front)
KEPT(tact_bodies)

#define KEEP(object)                                     \
    _Generic((object), tact_context *                    \
             : keep_tact_context, tact_scene *           \
             : keep_tact_scene, tact_culler *            \
             : keep_tact_culler, tact_image_tester *     \
             : keep_tact_image_tester, tact_picker *     \
             : keep_tact_picker, tact_pick_target *      \
             : keep_tact_pick_target, tact_filter *      \
             : keep_tact_filter, tact_volumes *          \
             : keep_tact_volumes, tact_particles *       \
             : keep_tact_particles, tact_mesh *          \
             : keep_tact_mesh, tact_recording *          \
             : keep_tact_recording, tact_pair_tracker *  \
             : keep_tact_pair_tracker, tact_mesh_front * \
             : keep_tact_mesh_front, tact_bodies *       \
             : keep_tact_bodies)(object)
