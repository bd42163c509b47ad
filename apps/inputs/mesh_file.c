// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/mesh_file.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_formats.h"
#include "apps/system.h"
#include "apps/timing.h"

/// A node to visit and where its parent stands.
typedef struct pending_node {
    const struct aiNode* node;
    double parent[12];
} pending_node;

/// The nodes still to visit, the next one last.
typedef struct node_stack {
    pending_node* items;
    size_t count, capacity;
} node_stack;

/// More nodes than this means that the tree has a cycle.
enum { MAX_NODES = 1 << 24 };

typedef struct conversion {
    const struct aiScene* scene;
    const char* name;
    tact_model_mesh* mesh;  ///< counts in the first pass, arrays in the second
    bool fill;
    uint64_t vertices, triangles, parts, dropped;
    tact_problem* problem;
} conversion;

static bool push(node_stack* stack, const struct aiNode* node, const double parent[12])
{
    if (stack->count == stack->capacity) {
        const size_t capacity = stack->capacity ? stack->capacity * 2 : 64;
        pending_node* items = realloc(stack->items, capacity * sizeof *items);
        if (!items) return false;
        stack->items = items;
        stack->capacity = capacity;
    }
    pending_node* item = &stack->items[stack->count++];
    item->node = node;
    memcpy(item->parent, parent, sizeof item->parent);
    return true;
}

static void multiply(const double a[12], const struct aiMatrix4x4* m, double out[12])
{
    const double b[3][4] = {{(double)m->a1, (double)m->a2, (double)m->a3, (double)m->a4},
                            {(double)m->b1, (double)m->b2, (double)m->b3, (double)m->b4},
                            {(double)m->c1, (double)m->c2, (double)m->c3, (double)m->c4}};
    for (int row = 0; row < 3; ++row) {
        const double* r = a + 4 * row;
        for (int column = 0; column < 4; ++column) {
            out[4 * row + column] =
                r[0] * b[0][column] + r[1] * b[1][column] + r[2] * b[2][column] + (column == 3 ? r[3] : 0.0);
        }
    }
}

static bool is_identity(const double m[12])
{
    for (int i = 0; i < 12; ++i) {
        if (m[i] != (i % 5 == 0 ? 1.0 : 0.0)) return false;
    }
    return true;
}

static void copy_vertices(conversion* c, const struct aiMesh* part, const double to_world[12])
{
    // A part that stays where the file has it keeps its bits.
    const bool stays = is_identity(to_world);
    float* out = c->mesh->positions + 3 * c->vertices;
    for (unsigned v = 0; v < part->mNumVertices; ++v, out += 3) {
        const struct aiVector3D* p = &part->mVertices[v];
        const double x = (double)p->x, y = (double)p->y, z = (double)p->z;
        for (int row = 0; row < 3; ++row) {
            const double* m = to_world + 4 * row;
            out[row] = (float)(m[0] * x + m[1] * y + m[2] * z + m[3]);
        }
        if (stays) {
            out[0] = (float)p->x;
            out[1] = (float)p->y;
            out[2] = (float)p->z;
        }
    }
}

static bool convert_part(conversion* c, unsigned index, const double to_world[12])
{
    if (index >= c->scene->mNumMeshes || !c->scene->mMeshes || !c->scene->mMeshes[index]) {
        return tact_problem_set(c->problem, "%s: a node refers to part %u of %u", c->name, index, c->scene->mNumMeshes);
    }
    const struct aiMesh* part = c->scene->mMeshes[index];
    if ((part->mNumVertices && !part->mVertices) || (part->mNumFaces && !part->mFaces)) {
        return tact_problem_set(c->problem, "%s: part %u lacks its vertices or faces", c->name, index);
    }
    for (unsigned f = 0; f < part->mNumFaces; ++f) {
        const struct aiFace* face = &part->mFaces[f];
        if (face->mNumIndices != 3 || !face->mIndices) {
            ++c->dropped;
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            if (face->mIndices[k] >= part->mNumVertices) {
                return tact_problem_set(c->problem, "%s: face %u of part %u refers to vertex %u of %u", c->name, f,
                                        index, face->mIndices[k], part->mNumVertices);
            }
            if (c->fill) c->mesh->indices[3 * c->triangles + (size_t)k] = (uint32_t)(c->vertices + face->mIndices[k]);
        }
        ++c->triangles;
    }
    if (c->fill) copy_vertices(c, part, to_world);
    c->vertices += part->mNumVertices;
    if (c->vertices > UINT32_MAX || c->triangles > UINT32_MAX) {
        return tact_problem_set(c->problem, "%s: more than 2^32 vertices or triangles", c->name);
    }
    return true;
}

/// All meshes of a node: one part, if they have triangles.
static bool convert_node(conversion* c, const struct aiNode* node, const double to_world[12])
{
    const uint64_t vertices = c->vertices, triangles = c->triangles;
    for (unsigned i = 0; node->mMeshes && i < node->mNumMeshes; ++i) {
        if (!convert_part(c, node->mMeshes[i], to_world)) return false;
    }
    if (c->triangles == triangles) return true;
    if (c->fill) {
        tact_model_part* part = &c->mesh->parts[c->parts];
        *part = (tact_model_part){.first_vertex = (size_t)vertices,
                                  .vertex_count = (size_t)(c->vertices - vertices),
                                  .first_triangle = (size_t)triangles,
                                  .triangle_count = (size_t)(c->triangles - triangles)};
        const size_t length = node->mName.length;
        tact_text_copy(node->mName.data, length < sizeof node->mName.data ? length : sizeof node->mName.data - 1,
                       part->name, sizeof part->name);
    }
    ++c->parts;
    return true;
}

/// Visits every node in depth-first order, counting or filling.
static bool walk(conversion* c, bool fill)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    c->fill = fill;
    c->vertices = c->triangles = c->parts = c->dropped = 0;
    node_stack stack = {0};
    bool good = true;
    size_t visited = 0;
    if (c->scene->mRootNode) good = push(&stack, c->scene->mRootNode, identity);
    bool memory = good;
    while (good && stack.count) {
        const pending_node item = stack.items[--stack.count];
        double to_world[12];
        multiply(item.parent, &item.node->mTransformation, to_world);
        if (++visited > MAX_NODES) {
            good = tact_problem_set(c->problem, "%s: more than %d nodes", c->name, (int)MAX_NODES);
        }
        good = good && convert_node(c, item.node, to_world);
        for (unsigned i = item.node->mChildren ? item.node->mNumChildren : 0; good && i-- > 0;) {
            if (item.node->mChildren[i]) good = memory = push(&stack, item.node->mChildren[i], to_world);
        }
    }
    free(stack.items);
    return memory ? good : tact_problem_out_of_memory(c->problem, c->name);
}

bool tact_mesh_file_convert(const struct aiScene* scene, const char* name, tact_model_mesh* mesh, tact_problem* problem)
{
    *mesh = (tact_model_mesh){0};
    conversion c = {.scene = scene, .name = name, .mesh = mesh, .problem = problem};
    if (!walk(&c, false)) return false;
    if (c.triangles == 0) {
        return tact_problem_set(problem, "%s: holds no triangle (%" PRIu64 " other faces)", name, c.dropped);
    }
    if (c.vertices > SIZE_MAX / 12 || c.triangles > SIZE_MAX / 12) return tact_problem_out_of_memory(problem, name);
    mesh->positions = malloc((size_t)c.vertices * 12);
    mesh->indices = malloc((size_t)c.triangles * 12);
    mesh->vertex_count = (size_t)c.vertices;
    mesh->triangle_count = (size_t)c.triangles;
    mesh->parts = malloc((size_t)c.parts * sizeof *mesh->parts);
    mesh->part_count = (size_t)c.parts;
    mesh->dropped_faces = c.dropped;
    const bool memory = mesh->positions && mesh->indices && mesh->parts;
    if (memory && walk(&c, true)) return true;
    tact_model_mesh_free(mesh);
    return memory ? false : tact_problem_out_of_memory(problem, name);
}

static bool read_assimp(const tact_mesh_source* source, tact_model_mesh* mesh, tact_problem* problem)
{
    const char* name = tact_file_shown(source->path);
    *mesh = (tact_model_mesh){0};
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    if (!properties) return tact_problem_out_of_memory(problem, name);
    // A file that holds only a skeleton would otherwise get a made-up mesh for it.
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    // Nothing but triangulation: joining or sorting would renumber the triangles that hits refer to.
    const struct aiScene* scene =
        source->bytes ? aiImportFileFromMemoryWithProperties(source->bytes, (unsigned)source->size,
                                                             aiProcess_Triangulate, source->format, properties)
                      : aiImportFileExWithProperties(source->path, aiProcess_Triangulate, NULL, properties);
    aiReleasePropertyStore(properties);
    if (!scene) {
        const char* why = aiGetErrorString();
        if (strstr(why, "bad_alloc")) return tact_problem_out_of_memory(problem, name);
        return tact_problem_set(problem, "%s: not a mesh that can be read: %s", name, why);
    }
    const bool good = tact_mesh_file_convert(scene, name, mesh, problem);
    aiReleaseImport(scene);
    return good;
}

bool tact_mesh_file_read_assimp(const char* path, tact_model_mesh* mesh, tact_problem* problem)
{
    *mesh = (tact_model_mesh){0};
    return tact_file_check(path, problem) && read_assimp(&(tact_mesh_source){.path = path}, mesh, problem);
}

/// The reader of our own for a file of this name, or NULL.
static tact_mesh_parse* parser_of(const char* path)
{
    static const struct {
        const char* ending;
        tact_mesh_parse* parse;
    } parsers[] = {{".obj", tact_mesh_obj_parse}, {".ply", tact_mesh_ply_parse}, {".stl", tact_mesh_stl_parse}};
    const size_t length = strlen(path);
    if (length < 4) return NULL;
    char ending[5] = ".";
    for (size_t i = 0; i < 4; ++i) {
        const char c = path[length - 4 + i];
        ending[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    for (size_t i = 0; i < sizeof parsers / sizeof *parsers; ++i)
        if (strcmp(ending, parsers[i].ending) == 0) return parsers[i].parse;
    return NULL;
}

bool tact_mesh_file_is_ours(const char* path)
{
    return parser_of(path) != NULL;
}

static bool begins(const tact_mesh_source* source, const char* text)
{
    const size_t length = strlen(text);
    return source->size >= length && memcmp(source->bytes, text, length) == 0;
}

/// Finds the format by how the bytes begin. What is nothing else is OBJ, whose files begin anyhow.
static bool sniff(tact_mesh_source* source, tact_problem* problem)
{
    if (begins(source, "glTF")) {
        source->format = "glb";
        // What Assimp takes.
        return source->size <= UINT32_MAX ||
               tact_problem_set(problem, "%s: more than 4 GiB of binary glTF", tact_file_shown(source->path));
    }
    const bool ply = begins(source, "ply") || begins(source, "PLY");
    const bool stl = tact_mesh_stl_is_binary(source->bytes, source->size) || begins(source, "solid");
    if (!ply && !stl && memchr(source->bytes, 0, source->size)) {
        return tact_problem_set(problem, "%s: not a mesh that is known by its bytes: OBJ, PLY, STL and binary glTF are",
                                tact_file_shown(source->path));
    }
    source->parse = ply ? tact_mesh_ply_parse : stl ? tact_mesh_stl_parse : tact_mesh_obj_parse;
    return true;
}

bool tact_mesh_source_open(tact_mesh_source* source, const char* path, tact_problem* problem)
{
    const bool stream = tact_file_is_stream(path);
    *source = (tact_mesh_source){.path = path, .parse = stream ? NULL : parser_of(path)};
    if (!stream && !source->parse) return tact_file_check(path, problem);
    if (!tact_file_read(path, &source->bytes, &source->size, problem)) return false;
    if (!stream || sniff(source, problem)) return true;
    tact_mesh_source_close(source);
    return false;
}

bool tact_mesh_source_read(const tact_mesh_source* source, tact_model_mesh* mesh, tact_problem* problem)
{
    *mesh = (tact_model_mesh){0};
    if (!source->parse) return read_assimp(source, mesh, problem);
    return source->parse(source->bytes, source->size, tact_file_shown(source->path), mesh, problem);
}

void tact_mesh_source_close(tact_mesh_source* source)
{
    free(source->bytes);
    source->bytes = NULL;
}

bool tact_mesh_source_read_shown(const tact_mesh_source* source,
                                 bool (*read)(const tact_mesh_source*, tact_model_mesh*, tact_problem*),
                                 tact_model_mesh* mesh, tact_problem* problem)
{
    tact_waiting waiting;
    tact_waiting_start(&waiting, "reading", tact_file_shown(source->path));
    tact_lines_watch(&waiting);
    const bool good = read(source, mesh, problem);
    tact_lines_watch(NULL);
    tact_waiting_end(&waiting);
    return good;
}

bool tact_mesh_file_read(const char* path, tact_model_mesh* mesh, tact_problem* problem)
{
    tact_mesh_source source;
    *mesh = (tact_model_mesh){0};
    if (!tact_mesh_source_open(&source, path, problem)) return false;
    const bool good = tact_mesh_source_read(&source, mesh, problem);
    tact_mesh_source_close(&source);
    return good;
}
