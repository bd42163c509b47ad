// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/overlap/device.h"

#ifdef TACT_HAVE_GPU

#include <string.h>

#include "base/platform.h"
#include "gpu/overlap/overlap.h"

static tact_result run(uint32_t device, tact_mesh* a, tact_mesh* b, tact_gpu_overlap_job* job,
                       tact_query_report* report)
{
    tact_gpu_mesh *of_a = a->kept[device].data, *of_b = b->kept[device].data;
    job->resident_a = &of_a;
    job->resident_b = a == b ? &of_a : &of_b;
    job->version_a = a->version;
    job->version_b = b->version;
    const tact_result result = tact_gpu_overlap(a->context->devices[device], job, report);
    tact_resident_keep(&a->kept[device], of_a, tact_gpu_mesh_release);
    if (a != b) tact_resident_keep(&b->kept[device], of_b, tact_gpu_mesh_release);
    return result;
}

static double missing_of(uint32_t device, const tact_mesh* mesh)
{
    if (tact_gpu_mesh_holds(mesh->kept[device].data, mesh->version)) return 0.0;
    return (double)tact_overlap_mesh_bytes(&mesh->shape);
}

double tact_overlap_device_missing(uint32_t device, const tact_mesh* a, const tact_mesh* b)
{
    return missing_of(device, a) + (a == b ? 0.0 : missing_of(device, b));
}

/// What is inside what, where nothing overlaps: of those poses only, so that the CPU is not asked about the rest again.
static tact_result relate_rest(tact_env* env, const tact_overlap_job* job, uint8_t* relations)
{
    size_t rest = 0;
    for (size_t i = 0; i < job->pose_count; ++i)
        rest += relations[i] == TACT_MESHES_APART;
    if (rest == 0 || (!job->a->closed && !job->b->closed)) return TACT_OK;
    float(*poses)[12] = tact_allocate(env, rest, sizeof *poses);
    uint8_t* found = tact_allocate(env, rest, 1);
    tact_result result = poses && found ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        size_t n = 0;
        for (size_t i = 0; i < job->pose_count; ++i) {
            if (relations[i] == TACT_MESHES_APART) memcpy(poses[n++], job->poses[i], sizeof *poses);
        }
        tact_overlap_job some = *job;
        some.poses = (const float(*)[12])poses;
        some.pose_count = rest;
        result = tact_overlap_relations_cpu(env, &some, true, found);
    }
    size_t n = 0;
    for (size_t i = 0; i < job->pose_count && result == TACT_OK; ++i) {
        if (relations[i] == TACT_MESHES_APART) relations[i] = found[n++];
    }
    tact_release(env, poses);
    tact_release(env, found);
    return result;
}

tact_result tact_overlap_relations_device(uint32_t device, tact_mesh* a, tact_mesh* b, const tact_overlap_job* job,
                                          bool solid, uint8_t* relations, tact_query_report* report)
{
    _Static_assert(TACT_MESHES_APART == 0 && TACT_MESHES_INTERSECT == 1, "a device answers 0 and 1");
    tact_gpu_overlap_job on_device = {.query = job, .overlaps = relations};
    tact_result result = run(device, a, b, &on_device, report);
    if (result != TACT_OK || !solid) return result;
    const double start = tact_platform_milliseconds();
    result = relate_rest(&a->context->env, job, relations);
    report->query_ms += tact_platform_milliseconds() - start;
    return result;
}

tact_result tact_overlap_pairs_device(uint32_t device, tact_mesh* a, tact_mesh* b, const tact_overlap_job* job,
                                      tact_overlap_list* list, tact_query_report* report)
{
    tact_gpu_overlap_job on_device = {.query = job, .list = list};
    return run(device, a, b, &on_device, report);
}

#endif
