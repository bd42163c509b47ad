// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Embree 3's point query: it walks its tree, and a function of the caller's measures each triangle that it comes to.
// This one is that of Embree's own tutorial (closest_point), after Ericson, "Real-Time Collision Detection", 2005,
// 5.1.5.
#include <embree3/rtcore.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/peers/peers.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define HAVE_SSE2
#endif

enum { PIECE = 4096 };  // points that a thread takes at once

typedef struct own_scene {
    RTCDevice device;
    RTCScene scene;
    int threads;
    const float* positions;  // Embree's copies
    const uint32_t* indices;
} own_scene;

static void release(void* own)
{
    own_scene* s = own;
    if (!s) return;
    if (s->scene) rtcReleaseScene(s->scene);
    if (s->device) rtcReleaseDevice(s->device);
    free(s);
}

static bool build(own_scene* s, const tact_overlap_peer_mesh* mesh)
{
    s->device = rtcNewDevice(NULL);
    if (!s->device) return false;
    s->scene = rtcNewScene(s->device);
    RTCGeometry geometry = rtcNewGeometry(s->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float* vertices =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh->vertex_count);
    uint32_t* indices =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh->triangle_count);
    if (vertices && indices) {
        memcpy(vertices, mesh->positions, 12 * mesh->vertex_count);
        memcpy(indices, mesh->indices, 12 * mesh->triangle_count);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(s->scene, geometry);
        rtcCommitScene(s->scene);
    }
    s->positions = vertices;
    s->indices = indices;
    rtcReleaseGeometry(geometry);
    return vertices && indices && rtcGetDeviceError(s->device) == RTC_ERROR_NONE;
}

static void* make(const tact_overlap_peer_mesh* mesh, int threads)
{
    own_scene* s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->threads = threads;
    if (build(s, mesh)) return s;
    release(s);
    return NULL;
}

typedef struct vec {
    float x, y, z;
} vec;

static vec from_to(vec a, vec b)
{
    return (vec){b.x - a.x, b.y - a.y, b.z - a.z};
}

static vec along(vec a, vec e, float t)
{
    return (vec){a.x + t * e.x, a.y + t * e.y, a.z + t * e.z};
}

static float dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec closest_on(vec p, vec a, vec b, vec c)
{
    const vec ab = from_to(a, b), ac = from_to(a, c), ap = from_to(a, p);
    const float d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0.0f && d2 <= 0.0f) return a;
    const vec bp = from_to(b, p);
    const float d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0.0f && d4 <= d3) return b;
    const vec cp = from_to(c, p);
    const float d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0.0f && d5 <= d6) return c;
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) return along(a, ab, d1 / (d1 - d3));
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) return along(a, ac, d2 / (d2 - d6));
    const float va = d3 * d6 - d5 * d4;
    if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f) {
        return along(b, from_to(b, c), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    const float share = 1.0f / (va + vb + vc);
    return along(along(a, ab, vb * share), ac, vc * share);
}

typedef struct nearest {
    const own_scene* scene;
    uint32_t primitive;
    vec at;
} nearest;

static vec corner(const own_scene* s, uint32_t triangle, int k)
{
    const float* p = s->positions + 3 * (size_t)s->indices[3 * (size_t)triangle + (size_t)k];
    return (vec){p[0], p[1], p[2]};
}

static bool measure(struct RTCPointQueryFunctionArguments* args)
{
    nearest* n = args->userPtr;
    const vec p = {args->query->x, args->query->y, args->query->z};
    const vec at = closest_on(p, corner(n->scene, args->primID, 0), corner(n->scene, args->primID, 1),
                              corner(n->scene, args->primID, 2));
    const vec way = from_to(at, p);
    const float distance = sqrtf(dot(way, way));
    if (!(distance < args->query->radius)) return false;
    args->query->radius = distance;
    n->primitive = args->primID;
    n->at = at;
    return true;
}

static void find_piece(const own_scene* s, const tact_closest_query* queries, size_t count, float* distances)
{
#ifdef HAVE_SSE2
    // As its manual advises: subnormal numbers are zero.
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040u);
#endif
    for (size_t i = 0; i < count; ++i) {
        struct RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        const tact_closest_query* q = &queries[i];
        struct RTCPointQuery query = {q->x, q->y, q->z, 0.0f, q->max_distance};
        nearest n = {.scene = s, .primitive = RTC_INVALID_GEOMETRY_ID};
        rtcPointQuery(s->scene, &query, &context, measure, &n);
        distances[i] = n.primitive == RTC_INVALID_GEOMETRY_ID ? INFINITY : query.radius;
    }
#ifdef HAVE_SSE2
    _mm_setcsr(control);
#endif
}

static bool find(void* own, const tact_closest_query* queries, size_t count, float* distances)
{
    const own_scene* s = own;
    const long long pieces = (long long)((count + PIECE - 1) / PIECE);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
#endif
    for (long long piece = 0; piece < pieces; ++piece) {
        const size_t begin = (size_t)piece * PIECE;
        find_piece(s, queries + begin, count - begin < PIECE ? count - begin : PIECE, distances + begin);
    }
    return true;
}

const tact_near_peer tact_near_peer_embree = {"Embree 3", make, find, NULL, release};
