// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/mesh_report.h"

#include <string.h>

#include "cpu_ref/blocks.h"
#include "cpu_ref/geometry/mesh_internal.h"
#include "cpu_ref/geometry/predicates_internal.h"
#include "cpu_ref/geometry/vec.h"

#define NONE 0xffffffffu

// ---- Equal triples ----

static size_t hash_of(const uint32_t* w)
{
    uint64_t h = ((uint64_t)w[1] << 32 | w[0]) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32 ^ w[2]) * 0xd6e8feb86659fd93u;
    return (size_t)(h ^ h >> 32);
}

/// For each of `count` triples of words the lowest number of an equal one.
static tact_result find_equal(tact_env* env, const uint32_t* words, size_t count, uint32_t* first)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    uint32_t* table = tact_allocate(env, size, sizeof *table);
    if (!table) return TACT_ERROR_OUT_OF_MEMORY;
    memset(table, 0xff, size * sizeof *table);
    for (size_t i = 0; i < count; ++i) {
        size_t slot = hash_of(words + 3 * i) & (size - 1);
        while (table[slot] != NONE && memcmp(words + 3 * (size_t)table[slot], words + 3 * i, 12) != 0)
            slot = (slot + 1) & (size - 1);
        if (table[slot] == NONE) table[slot] = (uint32_t)i;
        first[i] = table[slot];
    }
    tact_release(env, table);
    return TACT_OK;
}

static void exchange_if_greater(uint32_t* a, uint32_t* b)
{
    if (*a <= *b) return;
    const uint32_t other = *a;
    *a = *b;
    *b = other;
}

tact_result tact_mesh_find_repeated(tact_env* env, const uint32_t* corners, size_t count, uint32_t* first)
{
    uint32_t* sorted = tact_allocate(env, count, 3 * sizeof *sorted);
    if (!sorted) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        uint32_t* s = sorted + 3 * i;
        memcpy(s, corners + 3 * i, 12);
        exchange_if_greater(&s[0], &s[1]);
        exchange_if_greater(&s[1], &s[2]);
        exchange_if_greater(&s[0], &s[1]);
    }
    const tact_result result = find_equal(env, sorted, count, first);
    tact_release(env, sorted);
    return result;
}

static tact_result weld(tact_env* env, const tact_vec3* positions, size_t count, uint32_t* first)
{
    uint32_t* words = tact_allocate(env, count, 3 * sizeof *words);
    tact_result result = words ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (words) {
        for (size_t i = 0; i < count; ++i) {
            const tact_vec3 p = positions[i];
            const float sum[3] = {p.x + 0.0f, p.y + 0.0f, p.z + 0.0f};  // -0 becomes 0
            memcpy(words + 3 * i, sum, sizeof sum);
        }
        result = find_equal(env, words, count, first);
    }
    for (size_t i = 0; result >= 0 && i < count; ++i) {
        if (!v_finite(positions[i])) first[i] = (uint32_t)i;
    }
    tact_release(env, words);
    return result;
}

tact_result tact_mesh_weld(const tact_vec3* positions, size_t vertex_count, const tact_allocator* allocator,
                           uint32_t* first, size_t* distinct)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    if (vertex_count > (size_t)1 << 30) {
        return tact_fail(&env, TACT_ERROR_LIMIT, "a mesh of %zu vertices; at most 2^30", vertex_count);
    }
    const tact_result result = weld(&env, positions, vertex_count, first);
    size_t places = 0;
    for (size_t i = 0; result >= 0 && i < vertex_count; ++i)
        places += first[i] == i && v_finite(positions[i]);
    if (distinct) *distinct = places;
    return result;
}

// ---- Sides ----

tact_result tact_mesh_sides_begin(tact_mesh_sides* sides, tact_env* env, const uint32_t* corners, size_t triangle_count,
                                  size_t vertex_count)
{
    sides->count = 3 * triangle_count;
    sides->keys = tact_allocate(env, sides->count, sizeof *sides->keys);
    sides->sides = tact_allocate(env, sides->count, sizeof *sides->sides);
    uint32_t* words = tact_allocate(env, sides->count, 2 * sizeof *words);
    tact_result result = sides->keys && sides->sides && words ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    uint32_t bits = 0;
    while (((uint64_t)vertex_count * vertex_count) >> bits)
        ++bits;
    for (uint32_t i = 0; result >= 0 && i < sides->count; ++i) {
        const uint32_t a = corners[i], b = corners[tact_mesh_next_side(i)];
        const uint64_t key = (uint64_t)(a < b ? a : b) * vertex_count + (a < b ? b : a);
        words[2 * (size_t)i] = (uint32_t)key;
        words[2 * (size_t)i + 1] = (uint32_t)(key >> 32);
    }
    if (result >= 0) {
        const tact_sort_cpu_job job = {.keys_in = words,
                                       .keys_out = words,
                                       .values_out = sides->sides,
                                       .count = sides->count,
                                       .key_words = 2,
                                       .key_bits = bits};
        result = tact_sort_cpu(env, 1, &job);
    }
    for (size_t i = 0; result >= 0 && i < sides->count; ++i)
        sides->keys[i] = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    tact_release(env, words);
    return result;
}

void tact_mesh_sides_end(tact_mesh_sides* sides, tact_env* env)
{
    tact_release(env, sides->keys);
    tact_release(env, sides->sides);
}

/// The end of the edge that starts at `from`.
static size_t edge_end(const tact_mesh_sides* sides, size_t from)
{
    size_t end = from + 1;
    while (end < sides->count && sides->keys[end] == sides->keys[from])
        ++end;
    return end;
}

void tact_mesh_link(const tact_mesh_sides* sides, uint32_t* across)
{
    for (size_t from = 0; from < sides->count;) {
        const size_t end = edge_end(sides, from);
        const uint32_t* s = sides->sides + from;
        if (end - from == 2) {
            across[s[0]] = s[1];
            across[s[1]] = s[0];
        }
        for (size_t i = 0; end - from != 2 && i < end - from; ++i)
            across[s[i]] = end - from == 1 ? TACT_MESH_BOUNDARY : TACT_MESH_MANY;
        from = end;
    }
}

tact_result tact_mesh_fail_size(tact_env* env, const tact_mesh_view* mesh)
{
    return tact_fail(env, TACT_ERROR_LIMIT, "a mesh of %zu triangles and %zu vertices is too large",
                     mesh->triangle_count, mesh->vertex_count);
}

tact_result tact_mesh_check_indices(tact_env* env, const uint32_t* indices, size_t triangle_count, size_t vertex_count)
{
    for (size_t i = 0; i < 3 * triangle_count; ++i) {
        if (indices[i] < vertex_count) continue;
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "triangle %zu refers to vertex %u, but there are %zu", i / 3,
                         (unsigned)indices[i], vertex_count);
    }
    return TACT_OK;
}

tact_result tact_mesh_adjacency(const uint32_t* indices, size_t triangle_count, size_t vertex_count,
                                const tact_allocator* allocator, uint32_t* across)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    const tact_mesh_view mesh = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    tact_error_begin(NULL);
    if (!tact_mesh_fits(&mesh)) return tact_mesh_fail_size(&env, &mesh);
    tact_result result = tact_mesh_check_indices(&env, indices, triangle_count, vertex_count);
    if (result < 0) return result;
    tact_mesh_sides sides;
    result = tact_mesh_sides_begin(&sides, &env, indices, triangle_count, vertex_count);
    if (result >= 0) tact_mesh_link(&sides, across);
    for (uint32_t i = 0; result >= 0 && i < 3 * triangle_count; ++i) {
        if (indices[i] == indices[tact_mesh_next_side(i)]) across[i] = TACT_MESH_BOUNDARY;
    }
    tact_mesh_sides_end(&sides, &env);
    return result;
}

// ---- The triangles that take part ----

static bool is_bad(const tact_mesh_view* mesh, const uint32_t* t)
{
    for (int k = 0; k < 3; ++k) {
        if (t[k] >= mesh->vertex_count || !v_finite(mesh->positions[t[k]])) return true;
    }
    return false;
}

/// Adds a triangle, unless two of its corners are one.
static bool add_triangle(tact_mesh_parts* parts, const uint32_t* t)
{
    uint32_t* c = parts->corners + 3 * parts->count;
    for (int k = 0; k < 3; ++k)
        c[k] = parts->first[t[k]];
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) return false;
    ++parts->count;
    return true;
}

tact_result tact_mesh_parts_begin(tact_mesh_parts* parts, tact_env* env, const tact_mesh_view* mesh,
                                  tact_mesh_report* report)
{
    memset(parts, 0, sizeof *parts);
    parts->env = env;
    parts->mesh = mesh;
    if (!tact_mesh_fits(mesh)) return tact_mesh_fail_size(env, mesh);
    parts->first = tact_allocate(env, mesh->vertex_count, sizeof *parts->first);
    parts->corners = tact_allocate(env, mesh->triangle_count, 3 * sizeof *parts->corners);
    if (!parts->first || !parts->corners) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = weld(env, mesh->positions, mesh->vertex_count, parts->first);
    for (size_t i = 0; result >= 0 && i < mesh->triangle_count; ++i) {
        const uint32_t* t = mesh->indices + 3 * i;
        if (is_bad(mesh, t)) {
            ++report->bad_triangles;
        } else if (!add_triangle(parts, t)) {
            ++report->collapsed;
        }
    }
    return result;
}

void tact_mesh_parts_end(tact_mesh_parts* parts)
{
    tact_release(parts->env, parts->first);
    tact_release(parts->env, parts->corners);
}

double tact_mesh_wedge(const tact_mesh_parts* parts, const uint32_t corner[3], uint32_t from)
{
    const tact_vec3* p = parts->mesh->positions;
    const dvec o = d_from(p[from]);
    const dvec a = d_sub(d_from(p[corner[0]]), o), b = d_sub(d_from(p[corner[1]]), o);
    const dvec c = d_sub(d_from(p[corner[2]]), o);
    return d_dot(a, d_cross(b, c));
}

// ---- Counting ----

static tact_result count_vertices(const tact_mesh_parts* parts, tact_mesh_report* report)
{
    const tact_mesh_view* mesh = parts->mesh;
    uint8_t* used = tact_allocate_zeroed(parts->env, mesh->vertex_count, 1);
    if (!used) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        if (mesh->indices[i] < mesh->vertex_count) used[mesh->indices[i]] = 1;
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const bool finite = v_finite(mesh->positions[i]);
        report->non_finite_vertices += !finite;
        report->welded_vertices += finite && parts->first[i] == i;
        report->unused_vertices += !used[i];
    }
    tact_release(parts->env, used);
    return TACT_OK;
}

static void measure(const tact_mesh_parts* parts, tact_mesh_report* report)
{
    const tact_vec3* p = parts->mesh->positions;
    for (size_t i = 0; i < parts->count; ++i) {
        const uint32_t* c = parts->corners + 3 * i;
        const dvec a = d_from(p[c[0]]);
        const dvec normal = d_cross(d_sub(d_from(p[c[1]]), a), d_sub(d_from(p[c[2]]), a));
        report->area += 0.5 * d_length(normal);
        report->volume += tact_mesh_wedge(parts, c, parts->corners[0]) / 6.0;
        report->degenerate += tact_collinear(p[c[0]], p[c[1]], p[c[2]]);
    }
    report->degenerate += report->collapsed;
}

static tact_result count_duplicates(const tact_mesh_parts* parts, tact_mesh_report* report)
{
    uint32_t* first = tact_allocate(parts->env, parts->count, sizeof *first);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (first) result = tact_mesh_find_repeated(parts->env, parts->corners, parts->count, first);
    for (size_t i = 0; result >= 0 && i < parts->count; ++i)
        report->duplicate += first[i] != i;
    tact_release(parts->env, first);
    return result;
}

static void count_edges(const tact_mesh_parts* parts, const tact_mesh_sides* sides, tact_mesh_report* report)
{
    for (size_t from = 0; from < sides->count;) {
        const size_t end = edge_end(sides, from);
        const size_t count = end - from;
        int64_t ahead = 0;
        for (size_t i = from; i < end; ++i) {
            const uint32_t side = sides->sides[i];
            ahead += parts->corners[side] < parts->corners[tact_mesh_next_side(side)] ? 1 : -1;
        }
        ++report->edges;
        report->boundary_edges += count == 1;
        report->non_manifold_edges += count > 2;
        report->misoriented_edges += ahead > 1 || ahead < -1;
        report->odd_edges += count % 2;
        from = end;
    }
}

static void identity(uint32_t* parent, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        parent[i] = (uint32_t)i;
}

/// Joins the corners of triangles that meet at an edge; what then is apart at a place is another fan.
static void join_fans(const tact_mesh_parts* parts, const tact_mesh_sides* sides, uint32_t* parent)
{
    identity(parent, sides->count);
    for (size_t i = 1; i < sides->count; ++i) {
        if (sides->keys[i] != sides->keys[i - 1]) continue;
        const uint32_t s = sides->sides[i - 1], t = sides->sides[i];
        const uint32_t s_end = tact_mesh_next_side(s), t_end = tact_mesh_next_side(t);
        const bool same_way = parts->corners[s] == parts->corners[t];
        tact_set_join(parent, s, same_way ? t : t_end);
        tact_set_join(parent, s_end, same_way ? t_end : t);
    }
}

/// Fans, components and places. `fans` and `parent` have a number for each corner and each vertex.
static void count_sets(const tact_mesh_parts* parts, const tact_mesh_sides* sides, uint32_t* corner_parent,
                       uint32_t* fans, uint32_t* parent, tact_mesh_report* report)
{
    const size_t vertices = parts->mesh->vertex_count;
    join_fans(parts, sides, corner_parent);
    memset(fans, 0, vertices * sizeof *fans);
    identity(parent, vertices);
    for (uint32_t i = 0; i < sides->count; ++i) {
        fans[parts->corners[i]] += corner_parent[i] == i;
        tact_set_join(parent, parts->corners[i], parts->corners[tact_mesh_next_side(i)]);
    }
    uint64_t places = 0;
    for (size_t i = 0; i < vertices; ++i) {
        places += fans[i] > 0;
        report->non_manifold_vertices += fans[i] > 1;
        report->components += fans[i] > 0 && parent[i] == i;
    }
    report->euler = (int64_t)places - (int64_t)report->edges + (int64_t)parts->count;
}

static tact_result judge(const tact_mesh_parts* parts, const tact_mesh_sides* sides, tact_mesh_report* report)
{
    tact_env* env = parts->env;
    uint32_t* corner = tact_allocate(env, sides->count, sizeof *corner);
    uint32_t* fans = tact_allocate(env, parts->mesh->vertex_count, sizeof *fans);
    uint32_t* parent = tact_allocate(env, parts->mesh->vertex_count, sizeof *parent);
    tact_result result = corner && fans && parent ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) {
        const bool some = parts->count > 0;
        count_edges(parts, sides, report);
        count_sets(parts, sides, corner, fans, parent, report);
        report->closed = some && report->odd_edges == 0 && report->bad_triangles == 0;
        report->manifold = some && report->non_manifold_edges == 0 && report->non_manifold_vertices == 0;
        report->oriented = some && report->misoriented_edges == 0;
    }
    tact_release(env, fans);
    tact_release(env, parent);
    if (result >= 0 && report->closed && report->oriented) {
        tact_mesh_link(sides, corner);
        result = tact_mesh_is_convex(parts, corner, &report->convex);
    }
    tact_release(env, corner);
    return result;
}

static tact_result make_report(tact_mesh_parts* parts, tact_mesh_report* report)
{
    tact_result result = count_vertices(parts, report);
    if (result >= 0) result = count_duplicates(parts, report);
    if (result < 0) return result;
    measure(parts, report);
    tact_mesh_sides sides;
    result = tact_mesh_sides_begin(&sides, parts->env, parts->corners, parts->count, parts->mesh->vertex_count);
    if (result >= 0) result = judge(parts, &sides, report);
    tact_mesh_sides_end(&sides, parts->env);
    return result;
}

tact_result tact_mesh_check_closed(tact_env* env, const char* name, uint64_t bad, uint64_t odd, uint64_t turned)
{
    const tact_result wrong = TACT_ERROR_INVALID_ARGUMENT;
    if (bad) {
        return tact_fail(env, wrong, "%llu triangles of mesh %s have a vertex that is not finite or not there",
                         (unsigned long long)bad, name);
    }
    if (odd) {
        return tact_fail(env, wrong, "mesh %s is open: %llu of its edges have an odd number of triangles", name,
                         (unsigned long long)odd);
    }
    if (!turned) return TACT_OK;
    return tact_fail(env, wrong, "mesh %s is not oriented: %llu edges are passed more often one way than the other",
                     name, (unsigned long long)turned);
}

tact_result tact_mesh_report_make(const tact_mesh_view* mesh, const tact_allocator* allocator, tact_mesh_report* report)
{
    tact_error_begin(NULL);
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    memset(report, 0, sizeof *report);
    report->vertices = mesh->vertex_count;
    report->triangles = mesh->triangle_count;
    tact_mesh_parts parts;
    tact_result result = tact_mesh_parts_begin(&parts, &env, mesh, report);
    if (result >= 0) result = make_report(&parts, report);
    tact_mesh_parts_end(&parts);
    if (result < 0) memset(report, 0, sizeof *report);
    return result;
}
