// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FINE = 2,       ///< samples along each side of a pixel
    SHADOW = 2048,  ///< samples along each side of the shadow map
    BATCH = 64,     ///< rows of rays cast at a time
    TAPS = 16,      ///< looks about each pixel for what keeps the sky from it
};

#define NOTHING 0xffffffffu
#define ON_MESH 0xfffffffeu
#define ON_FLOOR 0xfffffffdu

/// What is seen of the meshes and the floor: depths, and the meshes' normals, which are zero on the floor.
typedef struct backdrop {
    float* depth;
    float (*normal)[3];
    uint32_t* instance;  ///< NULL: the meshes have one colour
} backdrop;

struct tact_particle_stage {
    tact_particle_stage_desc desc;
    tact_sphere_view eye, sun;
    backdrop seen, lit;  ///< from the eye; from the sun, depths only
    float *depth, *shadow;
    uint32_t* sphere;
    float* open;  ///< of each pixel, how much of the sky it sees
};

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalize(float v[3])
{
    const float length = sqrtf(dot(v, v));
    if (!(length > 0.0f)) return;
    for (int i = 0; i < 3; ++i)
        v[i] /= length;
}

static void cross(const float a[3], const float b[3], float c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/// Directions of a view that looks along -back.
static void look_along(tact_sphere_view* v, float azimuth, float elevation)
{
    const float turn = 0.017453293f;
    const float a = azimuth * turn, e = elevation * turn;
    const float back[3] = {sinf(a) * cosf(e), sinf(e), cosf(a) * cosf(e)};
    const float right[3] = {cosf(a), 0.0f, -sinf(a)};
    memcpy(v->back, back, sizeof back);
    memcpy(v->right, right, sizeof right);
    cross(v->back, v->right, v->up);
}

static void corner_of(tact_aabb b, int k, float corner[3])
{
    corner[0] = k & 1 ? b.upper.x : b.lower.x;
    corner[1] = k & 2 ? b.upper.y : b.lower.y;
    corner[2] = k & 4 ? b.upper.z : b.lower.z;
}

static void middle_of(tact_aabb b, float middle[3])
{
    middle[0] = 0.5f * b.lower.x + 0.5f * b.upper.x;
    middle[1] = 0.5f * b.lower.y + 0.5f * b.upper.y;
    middle[2] = 0.5f * b.lower.z + 0.5f * b.upper.z;
}

void tact_particle_camera(tact_aabb bounds, float azimuth, float elevation, uint32_t width, uint32_t height,
                          tact_sphere_view* v)
{
    *v = (tact_sphere_view){.width = width, .height = height, .tangent_y = 0.3249197f};  // of 18 degrees
    v->tangent_x = v->tangent_y * (float)width / (float)height;
    look_along(v, azimuth, elevation);
    float middle[3], distance = 0.0f;
    middle_of(bounds, middle);
    for (int k = 0; k < 8; ++k) {
        float c[3];
        corner_of(bounds, k, c);
        for (int i = 0; i < 3; ++i)
            c[i] -= middle[i];
        const float nearer = dot(c, v->back);
        const float for_x = nearer + 1.04f * fabsf(dot(c, v->right)) / v->tangent_x;
        const float for_y = nearer + 1.04f * fabsf(dot(c, v->up)) / v->tangent_y;
        distance = fmaxf(distance, fmaxf(for_x, for_y));
    }
    if (!(distance > 0.0f)) distance = 1.0f;
    for (int i = 0; i < 3; ++i)
        v->eye[i] = middle[i] + distance * v->back[i];
}

static void sun_over(tact_aabb bounds, float azimuth, tact_sphere_view* v)
{
    *v = (tact_sphere_view){.width = SHADOW, .height = SHADOW, .parallel = true};
    look_along(v, azimuth - 52.0f, 52.0f);
    float middle[3], reach = 0.0f;
    middle_of(bounds, middle);
    for (int k = 0; k < 8; ++k) {
        float c[3];
        corner_of(bounds, k, c);
        for (int i = 0; i < 3; ++i)
            c[i] -= middle[i];
        v->tangent_x = fmaxf(v->tangent_x, 1.02f * fabsf(dot(c, v->right)));
        v->tangent_y = fmaxf(v->tangent_y, 1.02f * fabsf(dot(c, v->up)));
        reach = fmaxf(reach, 1.5f * sqrtf(dot(c, c)));
    }
    for (int i = 0; i < 3; ++i)
        v->eye[i] = middle[i] + reach * v->back[i];
}

/// The direction, not of unit length, in which a sample looks: its depth times this from the eye is what is seen.
static void look_through(const tact_sphere_view* v, uint32_t column, uint32_t row, float direction[3])
{
    const float x = v->tangent_x * (2.0f * ((float)column + 0.5f) / (float)v->width - 1.0f);
    const float y = v->tangent_y * (1.0f - 2.0f * ((float)row + 0.5f) / (float)v->height);
    for (int i = 0; i < 3; ++i)
        direction[i] = v->right[i] * x + v->up[i] * y - v->back[i];
}

static tact_ray ray_of(const tact_sphere_view* v, uint32_t column, uint32_t row)
{
    float d[3], o[3] = {v->eye[0], v->eye[1], v->eye[2]};
    look_through(v, column, row, d);
    if (v->parallel) {
        for (int i = 0; i < 3; ++i) {
            o[i] += d[i] + v->back[i];
            d[i] = -v->back[i];
        }
    }
    return (tact_ray){o[0], o[1], o[2], 0.0f, d[0], d[1], d[2], INFINITY};
}

static void normal_of(const tact_model* model, const tact_ray* ray, const tact_hit* hit, float normal[3])
{
    double p[3][3];
    float a[3], b[3];
    tact_model_corners(model, hit->instance, hit->primitive, p);
    for (int i = 0; i < 3; ++i) {
        a[i] = (float)(p[1][i] - p[0][i]);
        b[i] = (float)(p[2][i] - p[0][i]);
    }
    // Small triangles' products may vanish.
    normalize(a);
    normalize(b);
    cross(a, b, normal);
    normalize(normal);
    const float d[3] = {ray->dx, ray->dy, ray->dz};
    if (dot(normal, d) <= 0.0f) return;
    for (int i = 0; i < 3; ++i)
        normal[i] = -normal[i];
}

/// What a view sees at its samples.
typedef struct picture {
    float* depth;
    float (*normal)[3];  ///< of meshes; NULL: not wanted
    uint32_t* sphere;    ///< NULL: not wanted
    uint32_t* instance;  ///< likewise
} picture;

/// Casts the rays of a view, some rows at a time, and notes what is no farther than what was seen before.
static bool cast_view(const tact_particle_stage* s, tact_scene* scene, const tact_sphere_view* v, picture to,
                      tact_problem* problem)
{
    tact_ray* rays = malloc((size_t)BATCH * v->width * sizeof *rays);
    tact_hit* hits = malloc((size_t)BATCH * v->width * sizeof *hits);
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    tact_result result = rays && hits ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t row = 0; row < v->height && result == TACT_OK; row += BATCH) {
        const uint32_t rows = v->height - row < BATCH ? v->height - row : BATCH;
        const size_t count = (size_t)rows * v->width, from = (size_t)row * v->width;
        for (size_t i = 0; i < count; ++i)
            rays[i] = ray_of(v, (uint32_t)(i % v->width), row + (uint32_t)(i / v->width));
        result = tact_raycast(scene, TACT_RAY_CLOSEST, rays, count, hits, &options, NULL);
        for (size_t i = 0; i < count && result == TACT_OK; ++i) {
            if (hits[i].instance == TACT_NONE || hits[i].t > to.depth[from + i]) continue;
            to.depth[from + i] = hits[i].t;
            if (to.normal) normal_of(s->desc.model, &rays[i], &hits[i], to.normal[from + i]);
            if (to.sphere) to.sphere[from + i] = hits[i].primitive;
            if (to.instance) to.instance[from + i] = hits[i].instance;
        }
    }
    free(rays);
    free(hits);
    return result == TACT_OK || tact_problem_from_result(problem, result, s->desc.context, "drawing a picture");
}

static bool see_meshes(tact_particle_stage* s, tact_problem* problem)
{
    if (!s->desc.model || s->desc.model->instance_count == 0) return true;
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_model_build(s->desc.model, s->desc.context, &scene, &stats, problem)) return false;
    const bool good =
        cast_view(s, scene, &s->eye, (picture){s->seen.depth, s->seen.normal, NULL, s->seen.instance}, problem) &&
        cast_view(s, scene, &s->sun, (picture){.depth = s->lit.depth}, problem);
    tact_scene_destroy(scene);
    return good;
}

/// A scene of the particles. One that the eye is in, or nearly, would hide all others: it gets a radius that is none.
static tact_result make_scene(const tact_particle_stage* s, const float* rows, size_t count, tact_scene** scene)
{
    uint32_t mesh, instance;
    tact_sphere* spheres = malloc((count + 1) * sizeof *spheres);
    for (size_t i = 0; spheres && i < count; ++i) {
        const float* r = rows + 7 * i;
        const float off[3] = {r[0] - s->eye.eye[0], r[1] - s->eye.eye[1], r[2] - s->eye.eye[2]};
        const bool apart = dot(off, off) > 1.0201f * r[3] * r[3];
        spheres[i] = (tact_sphere){{r[0], r[1], r[2]}, apart ? r[3] : -1.0f};
    }
    tact_result result = spheres ? tact_scene_create(s->desc.context, scene) : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = tact_scene_add_spheres(*scene, spheres, count, &mesh);
    if (result == TACT_OK) result = tact_scene_add_instance(*scene, mesh, NULL, &instance);
    if (result == TACT_OK) result = tact_scene_commit(*scene);
    free(spheres);
    return result;
}

static bool see_spheres(tact_particle_stage* s, const float* rows, size_t count, tact_problem* problem)
{
    tact_scene* scene = NULL;
    const tact_result result = make_scene(s, rows, count, &scene);
    bool good =
        result == TACT_OK || tact_problem_from_result(problem, result, s->desc.context, "drawing the particles");
    good = good && cast_view(s, scene, &s->eye, (picture){s->depth, NULL, s->sphere, NULL}, problem) &&
           cast_view(s, scene, &s->sun, (picture){.depth = s->shadow}, problem);
    tact_scene_destroy(scene);
    return good;
}

/// The floor where nothing of the meshes is nearer.
static void see_floor(tact_particle_stage* s)
{
    const tact_sphere_view* v = &s->eye;
    for (size_t i = 0; i < (size_t)v->width * v->height; ++i) {
        float d[3];
        look_through(v, (uint32_t)(i % v->width), (uint32_t)(i / v->width), d);
        const float t = (s->desc.bounds.lower.y - v->eye[1]) / d[1];
        if (!(t > 0.0f && t < s->seen.depth[i])) continue;
        s->seen.depth[i] = t;
        memset(s->seen.normal[i], 0, sizeof s->seen.normal[i]);
    }
}

static float* nothing_yet(size_t samples)
{
    float* depth = malloc(samples * sizeof *depth);
    for (size_t i = 0; depth && i < samples; ++i)
        depth[i] = INFINITY;
    return depth;
}

bool tact_particle_stage_create(const tact_particle_stage_desc* desc, tact_particle_stage** stage,
                                tact_problem* problem)
{
    tact_particle_stage* s = calloc(1, sizeof *s);
    *stage = s;
    if (!s) return tact_problem_out_of_memory(problem, "pictures");
    s->desc = *desc;
    tact_particle_camera(desc->bounds, desc->azimuth, desc->elevation, FINE * desc->width, FINE * desc->height,
                         &s->eye);
    sun_over(desc->bounds, desc->azimuth, &s->sun);
    const size_t samples = (size_t)s->eye.width * s->eye.height, shadow = (size_t)SHADOW * SHADOW;
    s->seen.depth = nothing_yet(samples);
    s->lit.depth = nothing_yet(shadow);
    s->seen.normal = calloc(samples, sizeof *s->seen.normal);
    s->seen.instance = desc->tints ? calloc(samples, sizeof *s->seen.instance) : NULL;
    s->depth = malloc(samples * sizeof *s->depth);
    s->sphere = malloc(samples * sizeof *s->sphere);
    s->shadow = malloc(shadow * sizeof *s->shadow);
    s->open = malloc((size_t)desc->width * desc->height * sizeof *s->open);
    bool good = s->seen.depth && s->lit.depth && s->seen.normal && (s->seen.instance || !desc->tints) && s->depth &&
                s->sphere && s->shadow && s->open;
    if (!good) tact_problem_out_of_memory(problem, "pictures");
    good = good && see_meshes(s, problem);
    if (good && desc->floor) see_floor(s);
    s->desc.model = NULL;
    if (good) return true;
    tact_particle_stage_destroy(s);
    *stage = NULL;
    return false;
}

void tact_particle_stage_destroy(tact_particle_stage* s)
{
    if (!s) return;
    free(s->seen.depth);
    free(s->seen.normal);
    free(s->seen.instance);
    free(s->lit.depth);
    free(s->depth);
    free(s->sphere);
    free(s->shadow);
    free(s->open);
    free(s);
}

static void start_over(tact_particle_stage* s)
{
    const size_t samples = (size_t)s->eye.width * s->eye.height, shadow = (size_t)SHADOW * SHADOW;
    memcpy(s->depth, s->seen.depth, samples * sizeof *s->depth);
    memcpy(s->shadow, s->lit.depth, shadow * sizeof *s->shadow);
    for (size_t i = 0; i < samples; ++i) {
        const float* n = s->seen.normal[i];
        const bool level = n[0] == 0.0f && n[1] == 0.0f && n[2] == 0.0f;
        s->sphere[i] = isinf(s->depth[i]) ? NOTHING : level ? ON_FLOOR : ON_MESH;
    }
}

/// Where a sample's surface is, and which way it faces. False for the background.
static bool surface_at(const tact_particle_stage* s, const float* rows, uint32_t column, uint32_t row, float at[3],
                       float normal[3])
{
    const size_t i = (size_t)row * s->eye.width + column;
    if (s->sphere[i] == NOTHING) return false;
    float d[3];
    look_through(&s->eye, column, row, d);
    for (int k = 0; k < 3; ++k)
        at[k] = s->eye.eye[k] + s->depth[i] * d[k];
    if (s->sphere[i] < ON_FLOOR) {
        const float* sphere = rows + 7 * (size_t)s->sphere[i];
        for (int k = 0; k < 3; ++k)
            normal[k] = at[k] - sphere[k];
        normalize(normal);
    } else if (s->sphere[i] == ON_MESH) {
        memcpy(normal, s->seen.normal[i], 3 * sizeof *normal);
    } else {
        normal[0] = normal[2] = 0.0f;
        normal[1] = 1.0f;
    }
    return true;
}

/// Whole numbers mixed, from 0 to 1.
static float noise(uint32_t x, uint32_t y)
{
    uint32_t h = x * 0x9e3779b1u ^ (y + 0x7f4a7c15u) * 0x85ebca6bu;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return (float)(h >> 8) / 16777216.0f;
}

/// A vector in the eye's axes; its third part is depth.
static void into_view(const tact_sphere_view* v, const float a[3], float b[3])
{
    b[0] = dot(a, v->right);
    b[1] = dot(a, v->up);
    b[2] = -dot(a, v->back);
}

/// How much of the sky a point of the picture sees, judged by what is near it in the picture.
static float openness(const tact_particle_stage* s, const float* rows, uint32_t x, uint32_t y, float reach)
{
    const tact_sphere_view* v = &s->eye;
    const uint32_t column = FINE * x, row = FINE * y;
    float place[3], facing[3], at[3], normal[3];
    if (!surface_at(s, rows, column, row, place, facing)) return 1.0f;
    for (int i = 0; i < 3; ++i)
        place[i] -= v->eye[i];
    into_view(v, place, at);
    into_view(v, facing, normal);
    float radius = 0.5f * reach / (at[2] * v->tangent_y) * (float)v->height;
    radius = radius > 96.0f ? 96.0f : radius;
    const float step_x = 2.0f * v->tangent_x / (float)v->width, step_y = 2.0f * v->tangent_y / (float)v->height;
    const float turn = 6.2831853f * noise(x, y);
    // A spiral by the golden angle, each step a turn of the one before.
    const float golden[2] = {-0.73736888f, 0.67549029f};
    float way[2] = {cosf(turn), sinf(turn)}, hidden = 0.0f;
    for (int k = 0; k < TAPS; ++k) {
        const float part = radius * ((float)k + 0.5f) / (float)TAPS;
        const float u = (float)column + part * way[0] + 0.5f, w = (float)row + part * way[1] + 0.5f;
        const float turned = way[0] * golden[0] - way[1] * golden[1];
        way[1] = way[0] * golden[1] + way[1] * golden[0];
        way[0] = turned;
        if (!(u >= 0.0f && w >= 0.0f && u < (float)v->width && w < (float)v->height)) continue;
        const uint32_t c = (uint32_t)u, r = (uint32_t)w;
        const float z = s->depth[(size_t)r * v->width + c];
        if (!(z < INFINITY)) continue;
        const float to[3] = {(((float)c + 0.5f) * step_x - v->tangent_x) * z - at[0],
                             (v->tangent_y - ((float)r + 0.5f) * step_y) * z - at[1], z - at[2]};
        const float squared = dot(to, to) + 1e-12f * reach * reach;
        const float rise = dot(to, normal) / sqrtf(squared) - 0.08f;
        if (rise > 0.0f) hidden += rise / (1.0f + squared / (reach * reach));
    }
    const float open = 1.0f - 1.9f * hidden / (float)TAPS;
    return open < 0.0f ? 0.0f : open;
}

/// How much of the sun's disc a point sees.
static float sunlight(const tact_particle_stage* s, const float at[3], const float normal[3], float turn)
{
    const tact_sphere_view* v = &s->sun;
    const float texel = 2.0f * fmaxf(v->tangent_x, v->tangent_y) / (float)SHADOW;
    float p[3];
    for (int i = 0; i < 3; ++i)
        p[i] = at[i] + 2.5f * texel * normal[i] - v->eye[i];
    const float x = (dot(p, v->right) / v->tangent_x + 1.0f) * 0.5f * (float)SHADOW;
    const float y = (1.0f - dot(p, v->up) / v->tangent_y) * 0.5f * (float)SHADOW;
    const float z = -dot(p, v->back);
    // Four looks about the place, two near and two farther, turned at random.
    const float c = cosf(6.2831853f * turn), q = sinf(6.2831853f * turn);
    const float ways[4][2] = {
        {0.6f * c, 0.6f * q}, {-1.7f * q, 1.7f * c}, {-0.6f * c, -0.6f * q}, {1.7f * q, -1.7f * c}};
    float lit = 0.0f;
    for (int k = 0; k < 4; ++k) {
        const float u = x + ways[k][0], w = y + ways[k][1];
        const bool within = u >= 0.0f && w >= 0.0f && u < (float)SHADOW && w < (float)SHADOW;
        if (!within || s->shadow[(size_t)(uint32_t)w * SHADOW + (uint32_t)u] >= z) lit += 0.25f;
    }
    return lit;
}

static tact_light_color background(float up)
{
    const tact_light_color low = {0.46f, 0.47f, 0.48f}, high = {0.20f, 0.25f, 0.33f};
    return tact_light_mix(low, high, up < 0.0f ? 0.0f : up > 1.0f ? 1.0f : up);
}

typedef struct shading {
    const tact_particle_stage* stage;
    const float* rows;
    tact_particle_palette palette;
    float middle[3], extent;
} shading;

/// The colour of what a sample shows.
static tact_light_color surface_color(const shading* g, size_t sample)
{
    const tact_particle_stage* s = g->stage;
    const uint32_t sphere = s->sphere[sample];
    if (sphere == ON_MESH && s->seen.instance) return s->desc.tints[s->seen.instance[sample]];
    if (sphere == ON_FLOOR) return (tact_light_color){0.34f, 0.335f, 0.33f};
    if (sphere == ON_MESH) return (tact_light_color){0.42f, 0.395f, 0.36f};
    return tact_particle_tint(&g->palette, g->rows + 7 * (size_t)sphere, sphere);
}

static tact_light_color shade(const shading* g, uint32_t column, uint32_t row, float open)
{
    const tact_particle_stage* s = g->stage;
    const tact_light_color sky = background(1.0f - (float)row / (float)s->eye.height);
    float at[3], n[3], d[3];
    if (!surface_at(s, g->rows, column, row, at, n)) return sky;
    const size_t sample = (size_t)row * s->eye.width + column;
    const uint32_t sphere = s->sphere[sample];
    const float* sun = s->sun.back;
    look_through(&s->eye, column, row, d);
    normalize(d);
    const float facing = dot(n, sun);
    const float lit = facing > 0.0f ? sunlight(s, at, n, noise(column, row)) : 0.0f;
    const float direct = facing > 0.0f ? 1.55f * facing * lit : 0.0f;
    const float above = (0.42f + 0.22f * n[1]) * open, bounced = (0.12f - 0.10f * n[1]) * open;
    const tact_light_color c = surface_color(g, sample);
    tact_light_color light = {c.r * (direct + 0.88f * above + 1.05f * bounced),
                              c.g * (0.95f * direct + 0.96f * above + bounced),
                              c.b * (0.86f * direct + 1.12f * above + 0.92f * bounced)};
    if (sphere < ON_FLOOR && direct > 0.0f) {
        float half[3] = {sun[0] - d[0], sun[1] - d[1], sun[2] - d[2]};
        normalize(half);
        float gloss = dot(half, n) > 0.0f ? dot(half, n) : 0.0f;
        for (int i = 0; i < 5; ++i)
            gloss *= gloss;
        light = (tact_light_color){light.r + 0.22f * lit * gloss, light.g + 0.22f * lit * gloss,
                                   light.b + 0.21f * lit * gloss};
    }
    if (sphere != ON_FLOOR) return light;
    // The floor goes over into the background far away.
    const float away[3] = {at[0] - g->middle[0], 0.0f, at[2] - g->middle[2]};
    const float far = sqrtf(dot(away, away)) / g->extent - 0.8f;
    return tact_light_mix(light, sky, far < 0.0f ? 0.0f : far > 2.5f ? 1.0f : far / 2.5f);
}

static void shade_row(const shading* g, uint32_t y, unsigned char* rgb)
{
    const tact_particle_stage* s = g->stage;
    const uint32_t width = s->desc.width, height = s->desc.height;
    for (uint32_t x = 0; x < width; ++x) {
        // The openness is noisy: that of a few pixels about this one.
        float open = 0.0f, weight = 0.0f;
        for (uint32_t r = y > 0 ? y - 1 : 0; r <= y + 1 && r < height; ++r) {
            for (uint32_t c = x > 0 ? x - 1 : 0; c <= x + 1 && c < width; ++c) {
                open += s->open[(size_t)r * width + c];
                weight += 1.0f;
            }
        }
        tact_light_color sum = {0};
        for (uint32_t k = 0; k < FINE * FINE; ++k) {
            const tact_light_color c = shade(g, FINE * x + k % FINE, FINE * y + k / FINE, open / weight);
            // What is brighter than white would outweigh the other samples of an edge.
            sum.r += fminf(c.r, 1.2f);
            sum.g += fminf(c.g, 1.2f);
            sum.b += fminf(c.b, 1.2f);
        }
        tact_light_encode(tact_light_scale(sum, 1.0f / (float)(FINE * FINE)), rgb + 3 * x);
    }
}

/// The mean of the radii, of some of the particles.
static float usual_radius(const float* rows, size_t count)
{
    double sum = 0.0, number = 0.0;
    for (size_t i = 0; i < count; i += 1 + count / 4096) {
        sum += (double)rows[7 * i + 3];
        number += 1.0;
    }
    return number > 0.0 ? (float)(sum / number) : 1.0f;
}

bool tact_particle_stage_draw(tact_particle_stage* s, const float* rows, size_t count, unsigned char* rgb,
                              tact_problem* problem)
{
    start_over(s);
    if (count > 0 && !see_spheres(s, rows, count, problem)) return false;
    const tact_particle_stage_desc* d = &s->desc;
    shading g = {s, rows, {d->color, d->fastest, d->smallest, d->largest, count}, {0}, 0.0f};
    middle_of(d->bounds, g.middle);
    const float size[3] = {d->bounds.upper.x - d->bounds.lower.x, d->bounds.upper.y - d->bounds.lower.y,
                           d->bounds.upper.z - d->bounds.lower.z};
    g.extent = 0.5f * sqrtf(dot(size, size));
    const float reach = d->tints ? d->smallest + d->largest : 4.0f * usual_radius(rows, count);
    const ptrdiff_t height = (ptrdiff_t)d->height;
#if defined(_OPENMP)
#pragma omp parallel for schedule(dynamic, 4)
#endif
    for (ptrdiff_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < d->width; ++x)
            s->open[(size_t)y * d->width + x] = openness(s, rows, x, (uint32_t)y, reach);
    }
#if defined(_OPENMP)
#pragma omp parallel for schedule(dynamic, 4)
#endif
    for (ptrdiff_t y = 0; y < height; ++y)
        shade_row(&g, (uint32_t)y, rgb + 3 * (size_t)y * d->width);
    return true;
}
