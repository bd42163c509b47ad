// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the parts of `tact overlap` share: the command in overlap.c, the exact method in overlap_exact.c, those that
/// draw in overlap_images.c.

#include "apps/inputs/model.h"
#include "apps/query_command.h"
#include "tact/image_space.h"
#include "tact/mesh_overlap.h"

typedef enum tact_overlap_method {
    TACT_OVERLAP_EXACT = 0,
    TACT_OVERLAP_CONVEX = 1,
    TACT_OVERLAP_CONCAVE = 2
} tact_overlap_method;

enum { TACT_OVERLAP_UNSET = -1 };

typedef struct tact_overlap_options {
    tact_text_list files;
    const char *pose, *contacts, *image;
    uint64_t random, resolution;  ///< 0: not given
    int method, measure;          ///< measure: a tact_image_method, or TACT_OVERLAP_UNSET
    int making;                   ///< a tact_image_making
    bool unchecked;
} tact_overlap_options;

/// Of images: the measure, or the default.
static inline tact_image_method tact_overlap_measure(const tact_overlap_options* o)
{
    return o->measure == TACT_OVERLAP_UNSET ? TACT_IMAGE_QUERY : (tact_image_method)o->measure;
}

typedef struct tact_overlap_run {
    tact_query_run query;
    tact_overlap_options options;
    tact_model_mesh models[2];
    float (*poses)[12];
    size_t pose_count;
    const char* source;  ///< of the poses
    char generated[64];

    // Exact.
    tact_mesh* meshes[2];
    tact_mesh_info infos[2];
    tact_mesh_pair* pairs;
    size_t pair_count, pair_room;
    uint64_t* counts;    ///< pairs of each pose
    uint8_t* relations;  ///< of each pose
    float (*rest)[12];   ///< poses in which no triangles overlap
    uint8_t* rest_relations;

    // Drawn.
    tact_image_tester* tester;
    tact_image_result* images;  ///< of each pose
    uint8_t* overlaps;          ///< of each pose, 0 or 1

    size_t overlapping;  ///< poses
} tact_overlap_run;

/// Each method: what must hold of the options and meshes, what is made before the first run, one run (which fills the
/// report), what it says of a pose, and what it leaves.
bool tact_overlap_exact_prepare(tact_overlap_run* run, tact_problem* problem);
bool tact_overlap_exact_run(tact_overlap_run* run, const tact_query_options* options, tact_problem* problem);
void tact_overlap_exact_pose(const tact_overlap_run* run, size_t pose, cJSON* entry);
void tact_overlap_exact_line(const tact_overlap_run* run, size_t pose);
void tact_overlap_exact_free(tact_overlap_run* run);

bool tact_overlap_images_check(const tact_overlap_run* run, tact_problem* problem);
bool tact_overlap_images_prepare(tact_overlap_run* run, tact_problem* problem);
bool tact_overlap_images_run(tact_overlap_run* run, const tact_query_options* query, tact_problem* problem);
void tact_overlap_images_pose(const tact_overlap_run* run, size_t pose, cJSON* entry);
void tact_overlap_images_line(const tact_overlap_run* run, size_t pose);
/// What the test of the first pose saw.
bool tact_overlap_images_picture(const tact_overlap_run* run, const char* path, const tact_query_options* query,
                                 tact_problem* problem);
void tact_overlap_images_free(tact_overlap_run* run);
