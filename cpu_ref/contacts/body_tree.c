// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/contacts/body_tree.h"

#include <string.h>

enum { TREE_LEAF = 4 };

tact_result tact_body_tree_make(tact_env* env, int threads, const tact_aabb* boxes, size_t count, tact_body_tree* tree)
{
    tact_body_tree_release(env, tree);
    tact_bvh_box* ended = tact_allocate(env, count, sizeof *ended);
    uint32_t* ids = tact_allocate(env, count, sizeof *ids);
    tree->endless = tact_allocate(env, count, sizeof *tree->endless);
    tact_result result = ended && ids && tree->endless ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    size_t ended_count = 0;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const tact_aabb* b = &boxes[i];
        if (!tact_box_is_there(b)) continue;
        if (tact_box_is_endless(b)) {
            tree->endless[tree->endless_count++] = (uint32_t)i;
            continue;
        }
        ids[ended_count] = (uint32_t)i;
        ended[ended_count++] =
            (tact_bvh_box){{b->lower.x, b->lower.y, b->lower.z}, {b->upper.x, b->upper.y, b->upper.z}};
    }
    if (result == TACT_OK)
        result = tact_bvh_build(env, threads, ended, ids, ended_count, TREE_LEAF, TACT_BVH_MAX_DEPTH, &tree->tree);
    tact_release(env, ids);
    tact_release(env, ended);
    if (result != TACT_OK) tact_body_tree_release(env, tree);
    return result;
}

void tact_body_tree_release(tact_env* env, tact_body_tree* tree)
{
    tact_bvh_free(env, &tree->tree);
    tact_release(env, tree->endless);
    memset(tree, 0, sizeof *tree);
}
