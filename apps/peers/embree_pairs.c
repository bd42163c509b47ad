// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Embree 3: boxes as a user geometry, rtcCollide of the scene with itself. It reports what lies in leaves that meet, so
// the boxes are tested here, on its threads; each thread has a list of its own.
#include <embree3/rtcore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/peers/peers.h"
#include "tact/pairs.h"

typedef struct pair_list {
    struct pair_list* next;
    tact_pair* pairs;
    size_t count, capacity;
} pair_list;

typedef struct embree {
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    const tact_aabb* boxes;
    size_t count;
    enum RTCBuildQuality quality;
    uint64_t number;  ///< of the instance, so that a thread knows whose its list is
    _Atomic(pair_list*) lists;
    atomic_bool out_of_memory;
} embree;

static _Thread_local struct {
    uint64_t number;
    pair_list* list;
} mine;

static void* open_with(size_t count, int threads, enum RTCBuildQuality quality)
{
    static uint64_t number;
    embree* e = calloc(1, sizeof *e);
    if (!e) return NULL;
    char config[32];
    snprintf(config, sizeof config, "threads=%d", threads);
    e->device = rtcNewDevice(config);
    e->count = count;
    e->quality = quality;
    e->number = ++number;
    if (e->device) return e;
    free(e);
    return NULL;
}

static void* open_low(size_t count, int threads)
{
    return open_with(count, threads, RTC_BUILD_QUALITY_LOW);
}

static void* open_medium(size_t count, int threads)
{
    return open_with(count, threads, RTC_BUILD_QUALITY_MEDIUM);
}

static void give_bounds(const struct RTCBoundsFunctionArguments* arguments)
{
    const embree* e = arguments->geometryUserPtr;
    const tact_aabb* box = &e->boxes[arguments->primID];
    struct RTCBounds* bounds = arguments->bounds_o;
    bounds->lower_x = box->lower.x, bounds->lower_y = box->lower.y, bounds->lower_z = box->lower.z;
    bounds->upper_x = box->upper.x, bounds->upper_y = box->upper.y, bounds->upper_z = box->upper.z;
}

static void no_intersection(const struct RTCIntersectFunctionNArguments* arguments)
{
    (void)arguments;
}

static bool build(void* own, const tact_aabb* boxes, double width)
{
    (void)width;
    embree* e = own;
    e->boxes = boxes;
    e->scene = rtcNewScene(e->device);
    rtcSetSceneBuildQuality(e->scene, e->quality);
    rtcSetSceneFlags(e->scene, RTC_SCENE_FLAG_DYNAMIC);
    e->geometry = rtcNewGeometry(e->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryBuildQuality(e->geometry, e->quality);
    rtcSetGeometryUserPrimitiveCount(e->geometry, (unsigned)e->count);
    rtcSetGeometryUserData(e->geometry, e);
    rtcSetGeometryBoundsFunction(e->geometry, give_bounds, NULL);
    rtcSetGeometryIntersectFunction(e->geometry, no_intersection);
    rtcCommitGeometry(e->geometry);
    rtcAttachGeometry(e->scene, e->geometry);
    rtcCommitScene(e->scene);
    return rtcGetDeviceError(e->device) == RTC_ERROR_NONE;
}

static void move(void* own, const tact_aabb* boxes)
{
    embree* e = own;
    e->boxes = boxes;
    rtcUpdateGeometryBuffer(e->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(e->geometry);
    rtcCommitScene(e->scene);
}

static pair_list* my_list(embree* e)
{
    if (mine.number == e->number) return mine.list;
    pair_list* list = calloc(1, sizeof *list);
    if (!list) return NULL;
    list->next = atomic_load(&e->lists);
    while (!atomic_compare_exchange_weak(&e->lists, &list->next, list))
        ;
    mine.number = e->number;
    mine.list = list;
    return list;
}

static bool overlap(const tact_aabb* a, const tact_aabb* b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static void receive(void* user, struct RTCCollision* collisions, unsigned count)
{
    embree* e = user;
    pair_list* list = my_list(e);
    for (unsigned i = 0; list && i < count; ++i) {
        const uint32_t a = collisions[i].primID0, b = collisions[i].primID1;
        // Every pair comes both ways round.
        if (a >= b || !overlap(&e->boxes[a], &e->boxes[b])) continue;
        if (list->count == list->capacity) {
            const size_t capacity = list->capacity ? 2 * list->capacity : 4096;
            tact_pair* pairs = realloc(list->pairs, capacity * sizeof *pairs);
            if (!pairs) {
                atomic_store(&e->out_of_memory, true);
                return;
            }
            list->pairs = pairs;
            list->capacity = capacity;
        }
        list->pairs[list->count++] = (tact_pair){a, b};
    }
    if (!list) atomic_store(&e->out_of_memory, true);
}

static uint64_t find(void* own)
{
    embree* e = own;
    for (pair_list* list = atomic_load(&e->lists); list; list = list->next)
        list->count = 0;
    rtcCollide(e->scene, e->scene, receive, e);
    uint64_t count = 0;
    for (pair_list* list = atomic_load(&e->lists); list; list = list->next)
        count += list->count;
    return atomic_load(&e->out_of_memory) ? 0 : count;
}

static void clear(void* own)
{
    embree* e = own;
    if (e->geometry) rtcReleaseGeometry(e->geometry);
    if (e->scene) rtcReleaseScene(e->scene);
    e->geometry = NULL;
    e->scene = NULL;
}

static void close_it(void* own)
{
    embree* e = own;
    clear(e);
    rtcReleaseDevice(e->device);
    for (pair_list* list = atomic_load(&e->lists); list;) {
        pair_list* next = list->next;
        free(list->pairs);
        free(list);
        list = next;
    }
    free(e);
}

const tact_pair_peer tact_pair_peer_embree_low = {"Embree 3 low", true, open_low, build, move, find, clear, close_it};
const tact_pair_peer tact_pair_peer_embree_medium = {"Embree 3 medium", true, open_medium, build, move, find, clear,
                                                     close_it};
