// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/overlap/surfaces.h"

static void release_mesh(void* mesh)
{
    tact_mesh_destroy(mesh);
}

tact_result tact_request_meshes(tact_request* r)
{
    for (int i = 0; i < 2; ++i) {
        tact_mesh* mesh = NULL;
        if (r->objects[i] || !r->given[i].data) continue;
        if (i > 0 && r->given[i].data == r->given[0].data) {
            r->objects[i] = r->objects[0];
            continue;
        }
        const tact_result made = tact_mesh_create(r->context, r->given[i].data, &mesh);
        if (made != TACT_OK) return tact_request_fail(r, made);
        tact_request_own(r, mesh, release_mesh);
        r->objects[i] = mesh;
    }
    return TACT_OK;
}

const float (*tact_request_poses(const tact_request* r))[12]
{
    // C has no conversion from const void* to a pointer to an array of constants.
    return (const float(*)[12])(uintptr_t)r->given[2].data;
}
