// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <embree3/rtcore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/peers/rays.h"
#include "apps/system.h"
#include "tact/raycast.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define HAVE_SSE2
#endif

/// Rays of one stream call: 20 KiB, which the nearest cache holds.
enum { STREAM = 256 };

struct tact_embree {
    RTCDevice device;
    RTCScene scene;
    RTCScene* parts;  ///< a scene for each mesh, where there are instances
    size_t part_count;
    int threads;
    tact_embree_facts facts;
    atomic_llong held, peak;  ///< bytes, by Embree's count
};

bool tact_embree_have(void)
{
    return true;
}

const tact_embree_form* tact_embree_forms(size_t* count)
{
    static const tact_embree_form forms[] = {
        {"single", 1, false, false},
        {"packets of 4", 4, false, false},
        {"packets of 8", 8, false, false},
        {"packets of 16", 16, false, false},
        {"stream", 1, true, false},
        {"stream of packets", 16, true, false},
        {"stream field by field", STREAM, true, false},
        {"packets of 4, coherent", 4, false, true},
        {"packets of 8, coherent", 8, false, true},
        {"packets of 16, coherent", 16, false, true},
        {"stream, coherent", 1, true, true},
        {"stream of packets, coherent", 16, true, true},
        {"stream field by field, coherent", STREAM, true, true},
    };
    *count = sizeof forms / sizeof forms[0];
    return forms;
}

static bool count_memory(void* user, ssize_t bytes, bool after)
{
    (void)after;
    tact_embree* e = user;
    const long long held = atomic_fetch_add(&e->held, (long long)bytes) + (long long)bytes;
    long long peak = atomic_load(&e->peak);
    while (held > peak && !atomic_compare_exchange_weak(&e->peak, &peak, held)) {
    }
    return true;
}

static const enum RTCBuildQuality qualities[] = {RTC_BUILD_QUALITY_LOW, RTC_BUILD_QUALITY_MEDIUM,
                                                 RTC_BUILD_QUALITY_HIGH};

static RTCScene new_scene(const tact_embree* e, const tact_embree_desc* desc)
{
    RTCScene scene = rtcNewScene(e->device);
    if (desc->robust) rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneBuildQuality(scene, qualities[desc->quality]);
    return scene;
}

static bool attach_mesh(const tact_embree* e, RTCScene scene, const tact_model_mesh* mesh, enum RTCBuildQuality quality,
                        RTCGeometry* geometry)
{
    *geometry = rtcNewGeometry(e->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!*geometry) return false;
    rtcSetGeometryBuildQuality(*geometry, quality);
    void* vertices =
        rtcSetNewGeometryBuffer(*geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh->vertex_count);
    void* indices =
        rtcSetNewGeometryBuffer(*geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh->triangle_count);
    const bool good = vertices && indices;
    if (good) {
        memcpy(vertices, mesh->positions, 12 * mesh->vertex_count);
        memcpy(indices, mesh->indices, 12 * mesh->triangle_count);
        rtcAttachGeometry(scene, *geometry);
    }
    return good;
}

/// Instances of the meshes' own scenes, which are committed here.
static bool attach_instances(const tact_embree* e, const tact_model* model)
{
    bool good = true;
    for (size_t i = 0; i < e->part_count; ++i)
        rtcCommitScene(e->parts[i]);
    for (size_t i = 0; good && i < model->instance_count; ++i) {
        static const float same[12] = {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
        const tact_model_instance* instance = &model->instances[i];
        RTCGeometry geometry = rtcNewGeometry(e->device, RTC_GEOMETRY_TYPE_INSTANCE);
        good = geometry != NULL;
        if (!good) break;
        rtcSetGeometryInstancedScene(geometry, e->parts[instance->mesh]);
        rtcSetGeometryTransform(geometry, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR,
                                instance->moved ? instance->transform : same);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(e->scene, geometry);
        rtcReleaseGeometry(geometry);
    }
    return good;
}

static bool build(tact_embree* e, const tact_model* model, const tact_embree_desc* desc)
{
    // Meshes that each lie once, as they are, need no second level.
    bool flat = model->instance_count == model->mesh_count;
    for (size_t i = 0; flat && i < model->instance_count; ++i)
        flat = model->instances[i].mesh == i && !model->instances[i].moved;
    RTCGeometry* geometries = calloc(model->mesh_count + 1, sizeof(RTCGeometry));
    e->parts = flat ? NULL : calloc(model->mesh_count + 1, sizeof(RTCScene));
    bool good = geometries != NULL && (flat || e->parts);
    e->scene = new_scene(e, desc);
    for (; e->parts && e->part_count < model->mesh_count; ++e->part_count)
        e->parts[e->part_count] = new_scene(e, desc);
    const long long before = atomic_load(&e->held);
    const double start = tact_system_milliseconds();
    for (size_t i = 0; good && i < model->mesh_count; ++i)
        good =
            attach_mesh(e, flat ? e->scene : e->parts[i], &model->meshes[i], qualities[desc->quality], &geometries[i]);
    const long long meshes = atomic_load(&e->held);
    const double filled = tact_system_milliseconds();
    for (size_t i = 0; good && i < model->mesh_count; ++i)
        rtcCommitGeometry(geometries[i]);
    if (good && !flat) good = attach_instances(e, model);
    if (good) rtcCommitScene(e->scene);
    const double end = tact_system_milliseconds();
    for (size_t i = 0; geometries && i < model->mesh_count; ++i) {
        if (geometries[i]) rtcReleaseGeometry(geometries[i]);
    }
    free(geometries);
    e->facts = (tact_embree_facts){
        .whole_ms = end - start,
        .commit_ms = end - filled,
        .mesh_bytes = (uint64_t)(meshes - before),
        .tree_bytes = (uint64_t)(atomic_load(&e->held) - meshes),
        .peak_bytes = (uint64_t)(atomic_load(&e->peak) - before),
    };
    return good && rtcGetDeviceError(e->device) == RTC_ERROR_NONE;
}

bool tact_embree_open(const tact_model* model, const tact_embree_desc* desc, tact_embree** embree,
                      tact_problem* problem)
{
    tact_embree* e = calloc(1, sizeof *e);
    *embree = e;
    if (!e) return tact_problem_out_of_memory(problem, "Embree's scene");
    char config[256];
    snprintf(config, sizeof config, "threads=%d%s%s", desc->threads, desc->config ? "," : "",
             desc->config ? desc->config : "");
    e->threads = desc->threads;
#ifndef _OPENMP
    e->threads = 1;
#endif
    e->device = rtcNewDevice(config);
    if (e->device) {
        rtcSetDeviceMemoryMonitorFunction(e->device, count_memory, e);
        if (build(e, model, desc)) return true;
    }
    tact_embree_close(e);
    *embree = NULL;
    return tact_problem_set(problem, "Embree could not build the scene");
}

void tact_embree_close(tact_embree* embree)
{
    if (!embree) return;
    if (embree->scene) rtcReleaseScene(embree->scene);
    for (size_t i = 0; i < embree->part_count; ++i)
        rtcReleaseScene(embree->parts[i]);
    free(embree->parts);
    if (embree->device) rtcReleaseDevice(embree->device);
    free(embree);
}

tact_embree_facts tact_embree_get_facts(const tact_embree* embree)
{
    return embree->facts;
}

int tact_embree_threads(const tact_embree* embree)
{
    return embree->threads;
}

/// Embree's rays and hits of every width: fields of `width` words each, in the order of RTCRayHit.
typedef union word {
    float f;
    uint32_t u;
} word;

enum {
    FIELD_ORIGIN = 0,
    FIELD_TNEAR = 3,
    FIELD_DIRECTION = 4,
    FIELD_TFAR = 8,
    FIELD_MASK = 9,
    FIELD_U = 15,
    FIELD_V = 16,
    FIELD_PRIMITIVE = 17,
    FIELD_GEOMETRY = 18,
    FIELD_INSTANCE = 19,
    FIELDS = 20,
    PIECE = 4096  ///< rays that a thread takes at once
};
_Static_assert(sizeof(struct RTCRayHit) == FIELDS * sizeof(word), "one ray is a packet of one");
_Static_assert(sizeof(struct RTCRayHit4) == 4 * FIELDS * sizeof(word), "fields of four");
_Static_assert(sizeof(struct RTCRayHit8) == 8 * FIELDS * sizeof(word), "fields of eight");
_Static_assert(sizeof(struct RTCRayHit16) == 16 * FIELDS * sizeof(word), "fields of sixteen");
_Static_assert(sizeof(tact_ray) == 8 * sizeof(float), "rays are read as eight floats");

typedef struct group {
    _Alignas(64) word words[STREAM * FIELDS];
    _Alignas(64) int valid[16];
} group;

/// The fields that no cast changes.
static void prepare(group* g, size_t width)
{
    memset(g, 0, sizeof *g);
    for (word* at = g->words; at + width * FIELDS <= g->words + STREAM * FIELDS; at += width * FIELDS) {
        for (size_t i = 0; i < width; ++i) {
            at[FIELD_MASK * width + i].u = UINT32_MAX;
            at[FIELD_INSTANCE * width + i].u = RTC_INVALID_GEOMETRY_ID;
        }
    }
    memset(g->valid, 0xff, sizeof g->valid);
}

static void fill_one(word* at, size_t width, const tact_ray* r)
{
    at[0].f = r->ox;
    at[width].f = r->oy;
    at[2 * width].f = r->oz;
    at[FIELD_TNEAR * width].f = r->tmin;
    at[FIELD_DIRECTION * width].f = r->dx;
    at[(FIELD_DIRECTION + 1) * width].f = r->dy;
    at[(FIELD_DIRECTION + 2) * width].f = r->dz;
    at[FIELD_TFAR * width].f = r->tmax;
}

#ifdef HAVE_SSE2
static void fill_four(word* at, size_t width, const tact_ray* rays)
{
    const float* from = (const float*)(const void*)rays;
    __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + 8), c = _mm_loadu_ps(from + 16), d = _mm_loadu_ps(from + 24);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(&at[0].f, a);
    _mm_storeu_ps(&at[width].f, b);
    _mm_storeu_ps(&at[2 * width].f, c);
    _mm_storeu_ps(&at[FIELD_TNEAR * width].f, d);
    a = _mm_loadu_ps(from + 4), b = _mm_loadu_ps(from + 12), c = _mm_loadu_ps(from + 20), d = _mm_loadu_ps(from + 28);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(&at[FIELD_DIRECTION * width].f, a);
    _mm_storeu_ps(&at[(FIELD_DIRECTION + 1) * width].f, b);
    _mm_storeu_ps(&at[(FIELD_DIRECTION + 2) * width].f, c);
    _mm_storeu_ps(&at[FIELD_TFAR * width].f, d);
}
#endif

/// One group of `width` rays, of which `count` are there; the others are empty.
static void fill_group(word* at, size_t width, const tact_ray* rays, size_t count)
{
    static const tact_ray empty = {.dx = 1.0f, .tmin = 1.0f, .tmax = -1.0f};
    size_t i = 0;
#ifdef HAVE_SSE2
    if (width > 1) {
        for (; i + 4 <= count; i += 4)
            fill_four(at + i, width, rays + i);
    }
#endif
    for (; i < count; ++i)
        fill_one(at + i, width, &rays[i]);
    for (; i < width; ++i)
        fill_one(at + i, width, &empty);
    for (i = 0; i < width; ++i)
        at[FIELD_GEOMETRY * width + i].u = RTC_INVALID_GEOMETRY_ID;
}

static void take_group(const word* at, size_t width, size_t count, tact_hit* hits)
{
    for (size_t i = 0; i < count; ++i) {
        const word* w = at + i;
        hits[i] = (tact_hit){w[FIELD_GEOMETRY * width].u, w[FIELD_PRIMITIVE * width].u, w[FIELD_TFAR * width].f,
                             w[FIELD_U * width].f, w[FIELD_V * width].f};
    }
}

/// Embree says that a ray is occluded by a far end of minus infinity.
static void take_group_any(const word* at, size_t width, size_t count, uint8_t* hits)
{
    for (size_t i = 0; i < count; ++i)
        hits[i] = at[FIELD_TFAR * width + i].u == 0xff800000u;
}

typedef struct cast {
    RTCScene scene;
    const tact_embree_form* form;
    const tact_ray* rays;
    tact_hit* hits;     ///< NULL: any hit
    uint8_t* any_hits;  ///< NULL: closest
} cast;

static void call_packet(const cast* c, struct RTCIntersectContext* context, group* g)
{
    void* at = g->words;
    const bool any = c->any_hits != NULL;
    switch (c->form->width) {
        case 1:
            any ? rtcOccluded1(c->scene, context, at) : rtcIntersect1(c->scene, context, at);
            break;
        case 4:
            any ? rtcOccluded4(g->valid, c->scene, context, at) : rtcIntersect4(g->valid, c->scene, context, at);
            break;
        case 8:
            any ? rtcOccluded8(g->valid, c->scene, context, at) : rtcIntersect8(g->valid, c->scene, context, at);
            break;
        default:
            any ? rtcOccluded16(g->valid, c->scene, context, at) : rtcIntersect16(g->valid, c->scene, context, at);
            break;
    }
}

static void call_stream(const cast* c, struct RTCIntersectContext* context, group* g, size_t groups)
{
    void* at = g->words;
    const unsigned width = (unsigned)c->form->width, many = (unsigned)groups;
    const size_t stride = width * FIELDS * sizeof(word);
    if (width == 1 && c->any_hits) {
        rtcOccluded1M(c->scene, context, at, many, stride);
    } else if (width == 1) {
        rtcIntersect1M(c->scene, context, at, many, stride);
    } else if (c->any_hits) {
        rtcOccludedNM(c->scene, context, at, width, many, stride);
    } else {
        rtcIntersectNM(c->scene, context, at, width, many, stride);
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/// Casts the rays from `at` on, at most as many as one call takes, and tells how many.
static size_t cast_call(const cast* c, struct RTCIntersectContext* context, group* g, size_t at, size_t end)
{
    const size_t width = (size_t)c->form->width;
    const size_t count = smaller(end - at, c->form->stream ? STREAM : width);
    const size_t groups = (count + width - 1) / width;
    for (size_t k = 0; k < groups; ++k)
        fill_group(g->words + k * width * FIELDS, width, c->rays + at + k * width, smaller(width, count - k * width));
    if (c->form->stream) {
        call_stream(c, context, g, groups);
    } else {
        for (size_t i = count; i < width; ++i)
            g->valid[i] = 0;  // the piece's last packet alone is not full
        call_packet(c, context, g);
    }
    for (size_t k = 0; k < groups; ++k) {
        const word* from = g->words + k * width * FIELDS;
        const size_t here = smaller(width, count - k * width), first = at + k * width;
        if (c->any_hits) {
            take_group_any(from, width, here, c->any_hits + first);
        } else {
            take_group(from, width, here, c->hits + first);
        }
    }
    return count;
}

static void cast_piece(const cast* c, size_t begin, size_t end)
{
    group g;
    prepare(&g, (size_t)c->form->width);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = c->form->coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
#ifdef HAVE_SSE2
    // As its manual advises: subnormal numbers are zero.
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040u);
#endif
    while (begin < end)
        begin += cast_call(c, &context, &g, begin, end);
#ifdef HAVE_SSE2
    _mm_setcsr(control);
#endif
}

static void cast_all(const cast* c, size_t count, int threads)
{
    const long long pieces = (long long)((count + PIECE - 1) / PIECE);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads)
#else
    (void)threads;
#endif
    for (long long piece = 0; piece < pieces; ++piece) {
        const size_t begin = (size_t)piece * PIECE;
        cast_piece(c, begin, begin + smaller(PIECE, count - begin));
    }
}

void tact_embree_closest(const tact_embree* embree, const tact_embree_form* form, const tact_ray* rays, size_t count,
                         tact_hit* hits)
{
    const cast c = {embree->scene, form, rays, hits, NULL};
    cast_all(&c, count, embree->threads);
}

void tact_embree_any(const tact_embree* embree, const tact_embree_form* form, const tact_ray* rays, size_t count,
                     uint8_t* hits)
{
    const cast c = {embree->scene, form, rays, NULL, hits};
    cast_all(&c, count, embree->threads);
}

void tact_embree_each(const tact_embree* embree, const tact_ray* rays, size_t count, tact_hit* hits)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (size_t i = 0; i < count; ++i) {
        const tact_ray* r = &rays[i];
        struct RTCRayHit q = {.hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
        q.ray = (struct RTCRay){.org_x = r->ox,
                                .org_y = r->oy,
                                .org_z = r->oz,
                                .tnear = r->tmin,
                                .dir_x = r->dx,
                                .dir_y = r->dy,
                                .dir_z = r->dz,
                                .tfar = r->tmax,
                                .mask = UINT32_MAX};
        rtcIntersect1(embree->scene, &context, &q);
        hits[i] = (tact_hit){q.hit.geomID, q.hit.primID, q.ray.tfar, q.hit.u, q.hit.v};
    }
}
