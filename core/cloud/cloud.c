// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/cloud/cloud.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/query/sample.h"
#ifdef TACT_HAVE_GPU
#include "gpu/cloud/cloud.h"
#endif

_Static_assert((int)TACT_CLOUD_MAX_POINTS == (int)TACT_CLOUD_MOST_POINTS, "a tree takes what a cloud has");
_Static_assert(TACT_CLOUD_MAX_NEAREST == TACT_CLOUD_NEAREST, "kernels have as many");

/// The first point that no cloud takes; `count`: there is none.
static size_t first_bad(const tact_vec3* points, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3* p = &points[i];
        // False for a NaN.
        const bool good = fabsf(p->x) <= TACT_MAX_COORDINATE && fabsf(p->y) <= TACT_MAX_COORDINATE &&
                          fabsf(p->z) <= TACT_MAX_COORDINATE;
        if (!good) return i;
    }
    return count;
}

static tact_result check_points(tact_env* env, const tact_vec3* points, size_t count)
{
    if (count > 0 && !points) return tact_null(env, "points");
    if (count > TACT_CLOUD_MAX_POINTS)
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu points: a cloud has at most 2^28", count);
    const size_t bad = first_bad(points, count);
    if (bad == count) return TACT_OK;
    const tact_vec3* p = &points[bad];
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "point %zu is at %g %g %g: a coordinate is not within 2^60", bad,
                     (double)p->x, (double)p->y, (double)p->z);
}

static tact_result set_points(tact_point_cloud* cloud, const tact_vec3* points, size_t count)
{
    tact_env* env = &cloud->context->env;
    tact_vec3* own = tact_allocate(env, count, sizeof *own);
    if (!own) return TACT_ERROR_OUT_OF_MEMORY;
    if (count > 0) memcpy(own, points, count * sizeof *own);
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    const tact_result result = tact_cloud_tree_build(env, cloud->context->threads, own, count, &cloud->tree);
    tact_float_env_leave(&float_env);
    if (result != TACT_OK) {
        tact_release(env, own);
        return result;
    }
    tact_release(env, cloud->points);
    tact_release(env, cloud->field.cells);
    cloud->points = own;
    cloud->field = (tact_cloud_field){0};
    cloud->asked = 0;
    ++cloud->version;
    return TACT_OK;
}

tact_result tact_point_cloud_create(tact_context* context, const tact_vec3* points, size_t count,
                                    tact_point_cloud** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &context->env;
    if (!out) return tact_null(env, "cloud");
    *out = NULL;
    tact_result result = check_points(env, points, count);
    if (result != TACT_OK) return result;
    tact_point_cloud* cloud = tact_allocate_zeroed(env, 1, sizeof *cloud);
    if (!cloud) return TACT_ERROR_OUT_OF_MEMORY;
    cloud->context = context;
    tact_guard_init(&cloud->guard);
    ++context->objects;
    result = set_points(cloud, points, count);
    if (result != TACT_OK) {
        tact_point_cloud_destroy(cloud);
        return result;
    }
    *out = cloud;
    return TACT_OK;
}

tact_result tact_point_cloud_replace(tact_point_cloud* cloud, const tact_vec3* points, size_t count)
{
    if (!tact_enter(cloud ? cloud->context : NULL, "cloud")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result result = check_points(&cloud->context->env, points, count);
    if (result != TACT_OK) return result;
    tact_guard_check(&cloud->guard);
    tact_guard_change(&cloud->guard);
    const tact_result set = set_points(cloud, points, count);
    tact_guard_changed(&cloud->guard);
    return set;
}

size_t tact_point_cloud_count(const tact_point_cloud* cloud)
{
    return cloud ? cloud->tree.point_count : 0;
}

void tact_point_cloud_destroy(tact_point_cloud* cloud)
{
    if (!cloud) return;
    tact_env* env = &cloud->context->env;
    TACT_ASSERT(cloud->context->objects > 0);
    tact_residents_release(cloud->kept, TACT_MAX_DEVICES);
    tact_cloud_tree_release(env, &cloud->tree);
    tact_release(env, cloud->points);
    tact_release(env, cloud->field.cells);
    tact_guard_destroy(&cloud->guard);
    --cloud->context->objects;
    tact_release(env, cloud);
}

// ---- What queries share ----

tact_cloud_job tact_cloud_job_of(const tact_point_cloud* cloud, const tact_closest_query* queries, size_t count,
                                 const tact_query_options* options)
{
    return (tact_cloud_job){.tree = &cloud->tree,
                            .points = cloud->points,
                            .queries = queries,
                            .batch = {count, options->threads, options->progress, options->progress_user}};
}

uint64_t tact_cloud_bytes(const tact_point_cloud* cloud)
{
    return tact_cloud_tree_bytes(&cloud->tree) + (uint64_t)cloud->tree.point_count * sizeof *cloud->points;
}

tact_result tact_cloud_field_of(tact_point_cloud* cloud, size_t count, int threads, const tact_cloud_field** field)
{
    tact_result result = TACT_OK;
    *field = NULL;
    tact_guard_enter_both(&cloud->guard, NULL);
    if (!cloud->field.cells) {
        cloud->asked += count;
        if (tact_cloud_field_pays(&cloud->tree, cloud->asked))
            result = tact_cloud_field_make(&cloud->context->env, threads, &cloud->tree, cloud->points, &cloud->field);
    }
    if (cloud->field.cells) *field = &cloud->field;
    tact_guard_leave_both(&cloud->guard, NULL);
    return result;
}

double tact_cloud_work(const tact_point_cloud* cloud, size_t count, double found)
{
    return (double)count * (40.0 + 8.0 * log2((double)cloud->tree.point_count + 1.0) + 15.0 * found) * 1e-6;
}

#ifdef TACT_HAVE_GPU

tact_cost tact_cloud_cost_device(const tact_device_info* device, uint32_t index, tact_point_cloud* cloud, size_t count,
                                 double work, double down)
{
    tact_resident* kept = &cloud->kept[index];
    const double missing = (double)tact_gpu_cloud_missing(kept->data, &cloud->tree, cloud->version);
    const double up = (double)count * (double)sizeof(tact_closest_query) + missing;
    tact_cost cost = device->software ? tact_cost_of(NULL, 2.0, work * 8.0, up, down)
                                      : tact_cost_of(NULL, 0.15, work * 0.02, up, down);
    tact_cost_stays(&cost, missing, kept, cloud->version);
    return cost;
}

#endif

tact_result tact_cloud_ask(tact_point_cloud* cloud, const tact_call* call, const tact_query_options* options,
                           tact_query_report* report)
{
    tact_guard_ask(&cloud->guard);
    const tact_result result = tact_ask(call, options, report);
    tact_guard_answered(&cloud->guard);
    return result;
}

static void release_cloud(void* cloud)
{
    tact_point_cloud_destroy(cloud);
}

tact_result tact_cloud_of_request(tact_request* r, tact_point_cloud** out)
{
    *out = r->objects[0];
    if (*out) return TACT_OK;
    const tact_result made = tact_point_cloud_create(r->context, r->given[0].data, r->given[0].count, out);
    if (made != TACT_OK) return made;
    r->objects[0] = *out;
    tact_request_own(r, *out, release_cloud);
    return TACT_OK;
}

const char* tact_cloud_check_request(const tact_request* r)
{
    const tact_given* points = &r->given[0];
    if (points->count > TACT_CLOUD_MAX_POINTS) return "too many points";
    return first_bad(points->data, points->count) < points->count ? "a point that is not finite" : NULL;
}

tact_result tact_cloud_sample(tact_sample* s, float radius)
{
    tact_request* r = &s->request;
    const float half = 0.4f * tact_sample_cube_root((float)s->size);
    tact_vec3* points = tact_sample_rows(s, 0, sizeof *points);
    tact_closest_query* queries = tact_sample_rows(s, 1, sizeof *queries);
    if (!points || !queries) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < r->given[0].count; ++i)
        points[i] = i % 8 == 7 ? points[i / 2] : tact_sample_place(s, half);
    for (size_t i = 0; i < r->given[1].count; ++i) {
        const tact_vec3 at = tact_sample_place(s, 1.2f * half);
        queries[i] = (tact_closest_query){at.x, at.y, at.z, i % 32 == 31 ? -1.0f : radius};
    }
    return TACT_OK;
}
