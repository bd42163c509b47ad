// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The leaves of the BSP tree of a solid in a plane: convex parts of its inside and of what is around it. Of a goblet
// that is made here or of a mesh that `tact mesh FILE --repair MESH.obj` has written. With a second name it draws them:
// slice_solid MESH.obj slice.svg; `-` in place of a mesh is the goblet.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/geometry.h>

enum { AROUND = 36, CORNERS = 64, LINE = 256, SIDE = 480 };

typedef struct mesh {
    tact_vec3* positions;
    uint32_t* indices;
    size_t vertex_count, triangle_count;
} mesh;

/// A goblet: its outline turned about the y axis, from the middle of its foot to the bottom of its bowl.
static void make_goblet(mesh* m)
{
    static const float outline[][2] = {
        {0.00f, 0.00f}, {0.95f, 0.00f}, {1.00f, 0.05f}, {0.80f, 0.12f}, {0.40f, 0.21f}, {0.18f, 0.36f}, {0.12f, 0.60f},
        {0.12f, 1.00f}, {0.22f, 1.12f}, {0.22f, 1.24f}, {0.13f, 1.34f}, {0.20f, 1.48f}, {0.50f, 1.64f}, {0.80f, 1.90f},
        {0.95f, 2.25f}, {0.98f, 2.60f}, {0.94f, 3.00f}, {0.88f, 3.30f}, {0.84f, 3.32f}, {0.81f, 3.30f}, {0.86f, 3.00f},
        {0.90f, 2.60f}, {0.86f, 2.28f}, {0.72f, 1.98f}, {0.46f, 1.76f}, {0.00f, 1.64f}};
    enum { RINGS = sizeof outline / sizeof *outline - 2 };
    static tact_vec3 positions[RINGS * AROUND + 2];
    static uint32_t indices[6 * RINGS * AROUND];
    const uint32_t foot = RINGS * AROUND, bowl = foot + 1;
    size_t k = 0;
    positions[foot].y = outline[0][1];
    positions[bowl].y = outline[RINGS + 1][1];
    for (uint32_t i = 0; i < RINGS; ++i) {
        const float *p = outline[i + 1], up = p[1];
        for (uint32_t j = 0; j < AROUND; ++j) {
            // The plane of the picture goes between two corners.
            const double a = 6.283185307179586 * (j + 0.5) / AROUND;
            const uint32_t here = i * AROUND + j, beside = i * AROUND + (j + 1) % AROUND;
            const bool last = i + 1 == RINGS;
            const uint32_t above = last ? bowl : here + AROUND;
            positions[here] = (tact_vec3){(float)((double)p[0] * cos(a)), up, (float)((double)p[0] * sin(a))};
            const uint32_t first[3] = {here, above, beside}, second[3] = {beside, above, beside + AROUND};
            const uint32_t below[3] = {foot, here, beside};
            if (i == 0) memcpy(indices + 3 * k++, below, sizeof below);
            memcpy(indices + 3 * k++, first, sizeof first);
            if (!last) memcpy(indices + 3 * k++, second, sizeof second);
        }
    }
    *m = (mesh){positions, indices, RINGS * AROUND + 2, k};
}

/// A file of `v X Y Z` and `f A B C`. The arrays last as long as the program.
static bool read_mesh(const char* name, mesh* m)
{
    char line[LINE];
    FILE* file = fopen(name, "r");
    if (!file) return false;
    for (int pass = 0; pass < 2; ++pass) {
        m->vertex_count = m->triangle_count = 0;
        rewind(file);
        while (fgets(line, sizeof line, file)) {
            tact_vec3 v;
            unsigned t[3];
            if (sscanf(line, "v %f %f %f", &v.x, &v.y, &v.z) == 3) {
                if (pass) m->positions[m->vertex_count] = v;
                ++m->vertex_count;
            } else if (sscanf(line, "f %u %u %u", &t[0], &t[1], &t[2]) == 3) {
                for (int k = 0; pass && k < 3; ++k)
                    m->indices[3 * m->triangle_count + k] = t[k] - 1;
                ++m->triangle_count;
            }
        }
        if (pass) break;
        m->positions = malloc((m->vertex_count + 1) * sizeof *m->positions);
        m->indices = malloc((m->triangle_count + 1) * 3 * sizeof *m->indices);
        if (!m->positions || !m->indices) break;
    }
    fclose(file);
    return m->positions && m->indices;
}

/// A convex part of the plane, in the two axes that it has.
typedef struct part {
    double at[CORNERS][2];
    int count;
} part;

typedef struct slice {
    const tact_bsp* tree;
    int axes[3];  ///< two of the plane, and the one across it
    double low[2], height, width;
    size_t leaves[2];  ///< empty, solid
    double areas[2];   ///< of them
    size_t wrong;
    FILE* file;  ///< NULL: nothing is drawn
} slice;

static const double* place(const slice* s, const double at[2], double p[3])
{
    p[s->axes[0]] = at[0];
    p[s->axes[1]] = at[1];
    p[s->axes[2]] = s->height;
    return p;
}

/// What of a part is in front of the plane of a node or in it, or is behind.
static part cut(const slice* s, const part* whole, const tact_bsp_node* n, bool front)
{
    part kept = {.count = 0};
    double height[CORNERS], p[3];
    for (int i = 0; i < whole->count; ++i) {
        place(s, whole->at[i], p);
        height[i] = n->normal[0] * (p[0] - (double)n->point.x) + n->normal[1] * (p[1] - (double)n->point.y) +
                    n->normal[2] * (p[2] - (double)n->point.z);
    }
    for (int i = 0; i < whole->count && kept.count + 2 <= CORNERS; ++i) {
        const int k = (i + 1) % whole->count;
        const double *a = whole->at[i], *b = whole->at[k];
        if ((height[i] >= 0.0) == front) memcpy(kept.at[kept.count++], a, sizeof *kept.at);
        if ((height[i] >= 0.0) == (height[k] >= 0.0)) continue;
        const double t = height[i] / (height[i] - height[k]);
        kept.at[kept.count][0] = a[0] + t * (b[0] - a[0]);
        kept.at[kept.count++][1] = a[1] + t * (b[1] - a[1]);
    }
    return kept;
}

/// Draws a leaf, and looks whether the tree says of its middle what the leaf is.
static void take_leaf(slice* s, const part* p, bool solid)
{
    const double* first = p->at[0];
    double area = 0.0, around = 0.0, middle[2] = {0.0, 0.0}, m[3];
    for (int i = 0; i < p->count; ++i) {
        const double *a = p->at[i], *b = p->at[(i + 1) % p->count];
        area += 0.5 * ((a[0] - first[0]) * (b[1] - first[1]) - (b[0] - first[0]) * (a[1] - first[1]));
        around += hypot(b[0] - a[0], b[1] - a[1]);
        middle[0] += a[0] / p->count;
        middle[1] += a[1] / p->count;
    }
    if (!(area > 0.0)) return;
    ++s->leaves[solid];
    s->areas[solid] += area;
    place(s, middle, m);
    // The middle of one that is too thin may be rounded into the next.
    if (area > 1e-4 * s->width * around) {
        const tact_vec3 at = {(float)m[0], (float)m[1], (float)m[2]};
        s->wrong += tact_bsp_locate(s->tree, at) != (solid ? TACT_BSP_INSIDE : TACT_BSP_OUTSIDE);
    }
    for (int i = 0; s->file && i < p->count; ++i)
        fprintf(s->file, "%c%.1f,%.1f", i ? 'L' : 'M', SIDE * (p->at[i][0] - s->low[0]) / s->width,
                SIDE * (1.0 - (p->at[i][1] - s->low[1]) / s->width));
    if (s->file) fprintf(s->file, "Z\n");
}

/// The leaves of one kind below a node.
static void walk(slice* s, int32_t node, const part* p, bool solid)
{
    if (p->count < 3) return;
    if (node < 0) {
        if ((node == TACT_BSP_SOLID) == solid) take_leaf(s, p, solid);
        return;
    }
    const tact_bsp_node* n = &s->tree->nodes[node];
    for (int side = 0; side < 2; ++side) {
        const part half = cut(s, p, n, side == 0);
        walk(s, n->child[side], &half, solid);
    }
}

/// The plane goes through the middle, across the axis along which the mesh is thinnest.
static part whole_of(slice* s, const mesh* m)
{
    double low[3], high[3];
    for (size_t i = 0; i < m->vertex_count; ++i) {
        const double p[3] = {(double)m->positions[i].x, (double)m->positions[i].y, (double)m->positions[i].z};
        for (int k = 0; k < 3; ++k) {
            low[k] = i == 0 || p[k] < low[k] ? p[k] : low[k];
            high[k] = i == 0 || p[k] > high[k] ? p[k] : high[k];
        }
    }
    int across = 2;
    for (int k = 0; k < 2; ++k)
        across = high[k] - low[k] < high[across] - low[across] ? k : across;
    s->axes[0] = across == 0 ? 1 : 0;
    s->axes[1] = across == 2 ? 1 : 2;
    s->axes[2] = across;
    s->height = (double)(float)(0.5 * (low[across] + high[across]));
    for (int k = 0; k < 2; ++k)
        s->width = fmax(s->width, 1.1 * (high[s->axes[k]] - low[s->axes[k]]));
    for (int k = 0; k < 2; ++k)
        s->low[k] = 0.5 * (low[s->axes[k]] + high[s->axes[k]] - s->width);
    const double x = s->low[0], y = s->low[1], w = s->width;
    return (part){{{x, y}, {x + w, y}, {x + w, y + w}, {x, y + w}}, 4};
}

int main(int argc, char** argv)
{
    static mesh m;
    tact_bsp tree = {0};
    slice s = {.tree = &tree};
    if (argc < 2 || strcmp(argv[1], "-") == 0) {
        make_goblet(&m);
    } else if (!read_mesh(argv[1], &m)) {
        fprintf(stderr, "slice_solid: %s cannot be read\n", argv[1]);
        return 1;
    }
    const tact_mesh_view view = {m.positions, m.vertex_count, m.indices, m.triangle_count};
    if (tact_bsp_make(&view, NULL, NULL, &tree) != TACT_OK) {
        fprintf(stderr, "slice_solid: %s\n", tact_last_error());
        return 1;
    }
    const part whole = whole_of(&s, &m);
    s.file = argc > 2 ? fopen(argv[2], "w") : NULL;
    if (s.file) fprintf(s.file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n", SIDE, SIDE);
    for (int solid = 0; solid < 2; ++solid) {
        if (s.file)
            fprintf(s.file, "<path fill=\"%s\" stroke=\"#fff\" stroke-width=\"0.7\" d=\"",
                    solid ? "#e08e2b" : "#c3cfdb");
        walk(&s, 0, &whole, solid);
        if (s.file) fprintf(s.file, "\"/>\n");
    }
    if (s.file) {
        fprintf(s.file, "</svg>\n");
        fclose(s.file);
    }
    printf("%zu of %llu solid leaves and %zu of %llu empty ones are in the plane, %.1f %% of it solid\n", s.leaves[1],
           (unsigned long long)tree.solid_leaves, s.leaves[0], (unsigned long long)tree.empty_leaves,
           100.0 * s.areas[1] / (s.width * s.width));
    tact_bsp_free(&tree);
    // All of the plane is in leaves.
    const bool all = fabs(s.areas[0] + s.areas[1] - s.width * s.width) < 1e-6 * s.width * s.width;
    return s.wrong == 0 && all ? 0 : 1;
}
