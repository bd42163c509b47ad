// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What `tact pick` and `tact view` look at: the parts of files as objects of a scene, and the camera of
/// `raycast --rays camera:WxH` as a view.

#include "apps/inputs/filter_input.h"
#include "apps/inputs/model.h"
#include "apps/inputs/rays.h"
#include "apps/options.h"

/// Object i is mesh i of the model and of the scene, and has one instance, number i.
typedef struct tact_pick_input {
    const tact_text_list* files;
    tact_filter_input parts;  ///< the parts of all files, in order
    tact_model model;         ///< of them; the meshes are those of `parts`
    uint64_t dropped_faces;
} tact_pick_input;

/// Each part of the files is an object where the file has it. A file given twice gives its objects twice. The list
/// must outlive the input.
bool tact_pick_input_load(const tact_text_list* files, tact_pick_input* input, tact_problem* problem);
void tact_pick_input_free(tact_pick_input* input);

/// What the file calls an object, or the loader library in its place; may be empty.
const char* tact_pick_input_name(const tact_pick_input* input, uint32_t object);
/// The file that an object is from, as a place in the list.
size_t tact_pick_input_file(const tact_pick_input* input, uint32_t object);

/// The camera of tact_rays_camera(), after it has gone `turn` degrees about +y round the box's centre, to its +x side
/// first. It keeps so far away that the box, turned the other way round, would fit as there. Near and far planes are a
/// tenth of the way before the box and a tenth behind it. Computed with + - * / and sqrt in double precision.
tact_pick_view tact_pick_camera(const tact_bounds* bounds, uint32_t width, uint32_t height, int turn);
