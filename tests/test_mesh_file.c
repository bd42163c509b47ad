// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#if defined(__unix__)
#define _DEFAULT_SOURCE
#endif
#if defined(__unix__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "tests/support/run.h"

#include <assimp/scene.h>
#include <assimp/version.h>

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/random.h"
#include "apps/system.h"
#include "base/sanitizers.h"
#include "tests/support/effort.h"
#include "tests/support/temporary.h"

static const struct aiMatrix4x4 identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/// A scene of one node and one part, all in static memory, that a test then breaks.
typedef struct small_scene {
    struct aiVector3D vertices[4];
    unsigned indices[6];
    struct aiFace faces[3];
    struct aiMesh mesh;
    struct aiMesh* meshes[1];
    unsigned refers[2];
    struct aiNode root, child;
    struct aiNode* children[1];
    struct aiScene scene;
} small_scene;

static void make_small(small_scene* s)
{
    memset(s, 0, sizeof *s);
    s->vertices[1] = (struct aiVector3D){1, 0, 0};
    s->vertices[2] = (struct aiVector3D){0, 1, 0};
    s->vertices[3] = (struct aiVector3D){1, 1, 1e30f};
    const unsigned indices[6] = {0, 1, 2, 3, 2, 1};
    memcpy(s->indices, indices, sizeof indices);
    s->faces[0] = (struct aiFace){3, s->indices};
    s->faces[1] = (struct aiFace){2, s->indices};  // a line
    s->faces[2] = (struct aiFace){3, s->indices + 3};
    s->mesh.mVertices = s->vertices;
    s->mesh.mNumVertices = 4;
    s->mesh.mFaces = s->faces;
    s->mesh.mNumFaces = 3;
    s->meshes[0] = &s->mesh;
    s->root.mTransformation = s->child.mTransformation = identity;
    s->child.mMeshes = s->refers;
    s->child.mNumMeshes = 1;
    s->children[0] = &s->child;
    s->root.mChildren = s->children;
    s->root.mNumChildren = 1;
    s->scene.mRootNode = &s->root;
    s->scene.mMeshes = s->meshes;
    s->scene.mNumMeshes = 1;
}

TEST(parts_are_placed_by_their_nodes)
{
    small_scene s;
    make_small(&s);
    tact_model_mesh mesh;
    tact_problem problem = {0};
    assert_true(tact_mesh_file_convert(&s.scene, "x", &mesh, &problem));
    assert_int_equal(mesh.triangle_count, 2);
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.dropped_faces, 1);
    assert_memory_equal(mesh.indices, s.indices, sizeof s.indices);
    assert_memory_equal(mesh.positions, s.vertices, sizeof s.vertices);
    // The root holds nothing: the child is the only part.
    assert_int_equal(mesh.part_count, 1);
    assert_true(mesh.parts[0].first_vertex == 0 && mesh.parts[0].vertex_count == 4);
    assert_true(mesh.parts[0].first_triangle == 0 && mesh.parts[0].triangle_count == 2);
    tact_model_mesh_free(&mesh);

    // Moved by the root, doubled by the child, referred to twice.
    s.root.mTransformation.a4 = 10;
    s.child.mTransformation.a1 = s.child.mTransformation.b2 = s.child.mTransformation.c3 = 2;
    s.child.mNumMeshes = 2;
    assert_true(tact_mesh_file_convert(&s.scene, "x", &mesh, &problem));
    assert_int_equal(mesh.triangle_count, 4);
    assert_int_equal(mesh.vertex_count, 8);
    assert_true(mesh.positions[0] == 10.0f && mesh.positions[3] == 12.0f && mesh.positions[7] == 2.0f);
    assert_int_equal(mesh.indices[6], 4);
    assert_int_equal(mesh.part_count, 1);
    assert_true(mesh.parts[0].vertex_count == 8 && mesh.parts[0].triangle_count == 4);
    tact_model_mesh_free(&mesh);

    // In the root too: a part before the child's.
    s.child.mNumMeshes = 1;
    s.root.mMeshes = s.refers;
    s.root.mNumMeshes = 1;
    assert_true(tact_mesh_file_convert(&s.scene, "x", &mesh, &problem));
    assert_int_equal(mesh.part_count, 2);
    assert_true(mesh.parts[1].first_vertex == 4 && mesh.parts[1].first_triangle == 2);
    assert_true(mesh.parts[1].vertex_count == 4 && mesh.parts[1].triangle_count == 2);
    tact_model_mesh_free(&mesh);
}

TEST(broken_scenes_are_refused)
{
    static const char* const messages[] = {"refers to vertex 4 of 4",    "refers to part 1 of 1",
                                           "lacks its vertices",         "holds no triangle (3 other",
                                           "holds no triangle (0 other", "holds no triangle (0 other",
                                           "refers to part 0 of 1",      "more than",
                                           "holds no triangle (0 other"};
    for (int kind = 0; kind < (int)(sizeof messages / sizeof messages[0]); ++kind) {
        small_scene s;
        make_small(&s);
        if (kind == 0) s.indices[4] = 4;
        if (kind == 1) s.refers[0] = 1;
        if (kind == 2) s.mesh.mVertices = NULL;
        if (kind == 3) s.faces[0].mIndices = NULL, s.faces[2].mNumIndices = 4;
        if (kind == 4) s.scene.mRootNode = NULL;
        if (kind == 5) s.mesh.mNumFaces = 0;
        if (kind == 6) s.meshes[0] = NULL;
        if (kind == 7) {  // a tree that bites its tail
            s.child.mChildren = s.children;
            s.child.mNumChildren = 1;
            s.child.mNumMeshes = 0;
        }
        if (kind == 8) s.child.mMeshes = NULL;
        tact_model_mesh mesh;
        tact_problem problem = {0};
        assert_false(tact_mesh_file_convert(&s.scene, "name", &mesh, &problem));
        assert_null(mesh.positions);
        assert_int_equal(problem.exit_code, TACT_EXIT_WRONG_USE);
        assert_memory_equal(problem.text, "name: ", 6);
        if (!strstr(problem.text, messages[kind])) fail_msg("kind %d: %s", kind, problem.text);
    }
}

TEST(polygons_are_triangulated_and_lines_dropped)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.1 0.2 0.3\nf 1 2 3 4\nf 1 2 5\nl 1 2\n";
    write_file("mesh_quad.obj", text, sizeof text - 1);
    tact_model_mesh mesh;
    tact_problem problem = {0};
    tact_model_mesh direct;
    if (!tact_mesh_file_read("mesh_quad.obj", &direct, &problem)) fail_msg("%s", problem.text);
    if (!tact_mesh_file_read_guarded("mesh_quad.obj", &mesh, &problem)) fail_msg("%s", problem.text);
    assert_int_equal(direct.vertex_count, mesh.vertex_count);
    assert_memory_equal(direct.positions, mesh.positions, 12 * mesh.vertex_count);
    assert_memory_equal(direct.indices, mesh.indices, 12 * mesh.triangle_count);
    tact_model_mesh_free(&direct);
    assert_int_equal(mesh.triangle_count, 3);
    assert_int_equal(mesh.dropped_faces, 1);
    // The last triangle is the file's second face, its last corner to the bit.
    const float* corner = mesh.positions + 3 * (size_t)mesh.indices[8];
    assert_true(corner[0] == 0.1f && corner[1] == 0.2f && corner[2] == 0.3f);
    tact_model_mesh_free(&mesh);
}

TEST(bad_files_are_told_in_one_line)
{
    write_file("mesh_text.txt", "hello\n", 6);
    write_file("mesh_empty.obj", "", 0);
    write_file("mesh_text.obj", "this is a text\nand no mesh\n", 27);
    write_file("mesh_points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 2 3\n", 32);
    // Assimp crashes on this one: cut within its binary data.
    static const char cut[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nproperty float y\n"
        "property float z\nelement face 3\nproperty list uchar int vertex_indices\nend_header\nabcdefg";
    write_file("mesh_cut.ply", cut, sizeof cut - 1);
    write_file("mesh_noise.stl", "\x01\x02\xff\xfe\x03\x04", 6);
    write_file("mesh_cut.PLy", cut, sizeof cut - 1);
    // Assimp's part of them.
    write_file("mesh_cut.mesh", cut, sizeof cut - 1);
    write_file("mesh_noise.3ds", "\x01\x02\xff\xfe\x03\x04", 6);
    static const char* const bad[] = {"no such mesh.obj", "no such mesh.3ds", ".",
                                      "mesh_text.txt",    "mesh_empty.obj",   "mesh_text.obj",
                                      "mesh_points.obj",  "mesh_cut.ply",     "mesh_cut.PLy",
                                      "mesh_noise.stl",   "mesh_cut.mesh",    "mesh_noise.3ds"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        tact_model_mesh mesh;
        tact_problem problem = {0};
        if (tact_mesh_file_read_guarded(bad[i], &mesh, &problem)) fail_msg("%s was taken", bad[i]);
        assert_int_equal(problem.exit_code, TACT_EXIT_WRONG_USE);
        assert_memory_equal(problem.text, bad[i], strlen(bad[i]));
        assert_null(strchr(problem.text, '\n'));
    }
}

#if defined(__unix__)

/// Reads a file in a process of its own, and returns what that and its own children took. `says` NULL: the file is
/// good; else it must be refused with an error that has these words.
static struct rusage cost_of(const char* path, const char* says)
{
    fflush(NULL);
    const pid_t id = fork();
    assert_true(id >= 0);
    if (id == 0) {
        tact_model_mesh mesh;
        tact_problem problem = {0};
        const bool good = tact_mesh_file_read_guarded(path, &mesh, &problem);
        if (good || !says) _exit(good == !says ? 0 : 1);
        if (problem.exit_code != TACT_EXIT_WRONG_USE || strncmp(problem.text, path, strlen(path)) != 0) _exit(2);
#if !defined(TACT_SANITIZED)
        if (!strstr(problem.text, says)) _exit(3);
#endif
        _exit(0);
    }
    int status = 0;
    struct rusage used;
    assert_int_equal(wait4(id, &status, 0, &used), id);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return used;
}

/// 170 bytes that announce gigabytes took 5 s and 2.7 GB.
TEST(small_files_cost_little)
{
    static const char* const files[][2] = {
        {"ply\nformat ascii 1.0\nelement vertex 100000000\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 100000000\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n",
         "line 3: element vertex announces 100000000 items"},
        {"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n"
         "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\nabcdefghijkl",
         "line 3: element vertex announces 4000000000 items"},
        {"ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty uchar x\nelement face 1\n"
         "property list uint int vertex_indices\nend_header\n0\x7f\xff\xff\xff\x01\x01\x01",
         "byte 136: face 0 has a list of length"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty list uint float a\nproperty float x\nend_header\n"
         "2147483648 1\n",
         "line 7: vertex 0 has a list of length 2147483648"},
    };
    struct rusage before;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        write_file("mesh_little.ply", files[i][0], strlen(files[i][0]));
        const struct rusage used = cost_of("mesh_little.ply", files[i][1]);
        const double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                               1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        if (seconds > 0.1) fail_msg("file %zu took %.3f s", i, seconds);
#if !defined(TACT_SANITIZED)
        // In KiB, of which the most belongs to the library and the test.
        if (used.ru_maxrss > before.ru_maxrss + 65536) fail_msg("file %zu took %ld KiB", i, used.ru_maxrss);
#endif
    }
}

/// The files of each format whose bytes cost most: a megabyte, less than a hundred of memory.
TEST(memory_is_bounded_by_the_size)
{
    enum { SIZE = 1 << 20 };
    static char bytes[SIZE + 256];
    struct rusage before;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    for (int kind = 0; kind < 3; ++kind) {
        static const char* const names[] = {"mesh_costly.ply", "mesh_costly.obj", "mesh_costly.stl"};
        static const char* const repeated[] = {"\1", "g a\nf 1 1 1\ng\nf 1 1 1\n",
                                               "facet vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 "};
        static const char head[] =
            "ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty char x\nelement tristrips 1\n"
            "property list uint char vertex_indices\nend_header\n\0\0\0\x10\0\0";
        size_t size = 0;
        if (kind == 0) memcpy(bytes, head, size = sizeof head - 1);
        if (kind == 1) memcpy(bytes, "v 0 0 0\n", size = 8);
        if (kind == 2) memcpy(bytes, "solid\n", size = 6);
        const size_t length = strlen(repeated[kind]);
        for (const size_t start = size; size + length <= start + SIZE; size += length)
            memcpy(bytes + size, repeated[kind], length);
        write_file(names[kind], bytes, size);
        const struct rusage used = cost_of(names[kind], NULL);
#if !defined(TACT_SANITIZED)
        print_message("%s: %ld KiB\n", names[kind], used.ru_maxrss - before.ru_maxrss);
        if (used.ru_maxrss > before.ru_maxrss + (100 << 10)) fail_msg("%s took %ld KiB", names[kind], used.ru_maxrss);
#endif
        (void)used;
    }
}

/// What Assimp allocates is limited, to 256 MB for a small file.
TEST(memory_of_assimp_is_limited)
{
    static const char off[] = "OFF\n20000000 20000000 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    write_file("mesh_little.off", off, sizeof off - 1);
    struct rusage before;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
#if defined(__linux__)
    const struct rusage used =
        cost_of("mesh_little.off", "it needs more than the 256 MB that are allowed for a file of 50 bytes");
#if !defined(TACT_SANITIZED)
    if (used.ru_maxrss > before.ru_maxrss + (300 << 10)) fail_msg("%ld KiB", used.ru_maxrss);
#endif
    (void)used;
    // 4.8 GB of zeros but for one vertex. The arrays of a .gltf file lie beside it, so they count.
    static const char gltf[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":12,\"uri\":\"a.bin\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":12}],"
        "\"accessors\":[{\"count\":400000000,\"type\":\"VEC3\",\"componentType\":5126,\"sparse\":{\"count\":1,"
        "\"indices\":{\"bufferView\":0,\"componentType\":5125},\"values\":{\"bufferView\":0}}}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0}";
    static const char zeros[1 << 20];
    tact_problem problem = {0};
    if (!tact_system_make_directory("mesh_gltf", &problem)) fail_msg("%s", problem.text);
    write_file("mesh_gltf/a.gltf", gltf, sizeof gltf - 1);
    write_file("mesh_gltf/a.bin", zeros, 12);
    write_file("mesh_gltf/b.bin", zeros, sizeof zeros);
    cost_of("mesh_gltf/a.gltf", "it needs more than the 384 MB that are allowed for a file of 1048982 bytes");
#endif
}

#endif

/// How many coordinates differ in their bits. Assimp adds the parts of a number, each of them rounded.
static size_t check_coordinates(const char* path, const tact_model_mesh* ours, const tact_model_mesh* theirs)
{
    size_t differ = 0;
    for (size_t i = 0; i < 3 * ours->vertex_count; ++i) {
        const double a = (double)ours->positions[i], b = (double)theirs->positions[i];
        if (memcmp(ours->positions + i, theirs->positions + i, sizeof(float)) == 0) continue;
        ++differ;
        if (!(fabs(a - b) <= 1.2e-7 * fabs(a))) fail_msg("%s: coordinate %zu is %.9g, not %.9g", path, i, a, b);
    }
    return differ;
}

/// Meshes with polygons that were cut in another way, since Assimp's triangles overlap, seen from where they are flat.
static size_t recut;

/// Everything but the last bit of numbers is as Assimp has it. A polygon that can be cut only in part is also counted
/// as dropped by us.
static size_t compare_with_assimp(const char* path)
{
    tact_model_mesh ours, theirs;
    tact_problem problem = {0}, their_problem = {0};
    assert_true(tact_mesh_file_is_ours(path));
    const bool good = tact_mesh_file_read(path, &ours, &problem);
    const bool theirs_good = tact_mesh_file_read_assimp(path, &theirs, &their_problem);
    if (good != theirs_good) fail_msg("'%s' and '%s'", problem.text, their_problem.text);
    if (!good) return 0;
    if (ours.recut_faces) {
        assert_int_equal(ours.vertex_count, theirs.vertex_count);
        assert_int_equal(ours.part_count, theirs.part_count);
        ++recut;
        tact_model_mesh_free(&ours);
        tact_model_mesh_free(&theirs);
        return 0;
    }
    if (ours.vertex_count != theirs.vertex_count || ours.triangle_count != theirs.triangle_count ||
        ours.part_count != theirs.part_count || ours.dropped_faces < theirs.dropped_faces) {
        fail_msg("%s: %zu vertices, %zu triangles, %zu parts, %d dropped, not %zu, %zu, %zu, %d", path,
                 ours.vertex_count, ours.triangle_count, ours.part_count, (int)ours.dropped_faces, theirs.vertex_count,
                 theirs.triangle_count, theirs.part_count, (int)theirs.dropped_faces);
    }
    for (size_t i = 0; i < 3 * ours.triangle_count; ++i)
        if (ours.indices[i] != theirs.indices[i]) fail_msg("%s: triangle %zu differs", path, i / 3);
    for (size_t i = 0; i < ours.part_count; ++i) {
        const tact_model_part *a = &ours.parts[i], *b = &theirs.parts[i];
        if (a->first_vertex != b->first_vertex || a->vertex_count != b->vertex_count ||
            a->first_triangle != b->first_triangle || a->triangle_count != b->triangle_count ||
            strcmp(a->name, b->name) != 0) {
            fail_msg("%s: part %zu differs", path, i);
        }
    }
    const size_t differ = check_coordinates(path, &ours, &theirs);
    tact_model_mesh_free(&ours);
    tact_model_mesh_free(&theirs);
    return differ;
}

/// Other versions read some files in other ways.
static void need_the_version_that_is_kept(void)
{
    if (aiGetVersionMajor() != 5 || aiGetVersionMinor() != 2) skip_because("Assimp is not of version 5.2");
}

/// The files of the Debian packages glmark2-data and assimp-testmodels, but number_formats.obj, which has `3.1+e2`.
TEST(real_files_are_as_assimp_reads_them)
{
    need_the_version_that_is_kept();
    static const char* const files[] = {"/usr/share/glmark2/models/bunny.obj",
                                        "OBJ/WusonOBJ.obj",
                                        "OBJ/box.obj",
                                        "OBJ/box_UTF16BE.obj",
                                        "OBJ/box_longline.obj",
                                        "OBJ/box_mat_with_spaces.obj",
                                        "OBJ/box_without_lineending.obj",
                                        "OBJ/concave_polygon.obj",
                                        "OBJ/cube_mtllib_after_g.obj",
                                        "OBJ/cube_usemtl.obj",
                                        "OBJ/cube_with_vertexcolors.obj",
                                        "OBJ/cube_with_vertexcolors_uni.obj",
                                        "OBJ/empty_mat.obj",
                                        "OBJ/multiple_spaces.obj",
                                        "OBJ/point_cloud.obj",
                                        "OBJ/regr01.obj",
                                        "OBJ/regr_3429812.obj",
                                        "OBJ/space_in_material_name.obj",
                                        "OBJ/spider.obj",
                                        "OBJ/testline.obj",
                                        "OBJ/testmixed.obj",
                                        "OBJ/testpoints.obj",
                                        "PLY/Wuson.ply",
                                        "PLY/cube.ply",
                                        "PLY/cube_binary.ply",
                                        "PLY/cube_uv.ply",
                                        "PLY/float-color.ply",
                                        "PLY/issue623.ply",
                                        "PLY/points.ply",
                                        "PLY/pond.0.ply",
                                        "STL/3DSMaxExport.STL",
                                        "STL/Spider_ascii.stl",
                                        "STL/Spider_binary.stl",
                                        "STL/Wuson.stl",
                                        "STL/sphereWithHole.stl",
                                        "STL/triangle.stl",
                                        "STL/triangle_with_empty_solid.stl",
                                        "STL/triangle_with_two_solids.stl",
                                        "invalid/empty.obj",
                                        "invalid/empty.ply",
                                        "invalid/malformed.obj",
                                        "invalid/malformed2.obj"};
    size_t compared = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[256];
        snprintf(path, sizeof path, "%s%s", files[i][0] == '/' ? "" : "/usr/share/assimp/models/", files[i]);
        FILE* file = fopen(path, "rb");
        if (!file) continue;
        fclose(file);
        const size_t differ = compare_with_assimp(path);
        if (differ > 0) print_message("%s: %zu coordinates differ in their last bit\n", path, differ);
        ++compared;
    }
    print_message("%zu files\n", compared);
    if (compared == 0) skip();
    if (compared < sizeof files / sizeof *files) leave_out("models of the packages glmark2-data and assimp-testmodels");
}

/// A number that both readers take to the same float: a few binary places.
static double simple_number(tact_random* random)
{
    return (double)((int64_t)tact_random_below(random, 2001) - 1000) / 16.0;
}

/// A point of a polygon: on a circle with dents, or anywhere, in one of three planes.
static void put_corner(FILE* file, tact_random* random, int shape, int k, int n)
{
    const double angle = 6.283185307179586 * k / n,
                 radius = shape == 0 ? 40 : 10 + (double)tact_random_below(random, 400) / 8;
    double x = floor(8 * radius * cos(angle)) / 8, y = floor(8 * radius * sin(angle)) / 8, z = 0.5 * x + 0.25 * y;
    if (shape == 2) x = simple_number(random), y = simple_number(random), z = simple_number(random);
    const int turn = (int)tact_random_below(random, 1) + n % 3;
    fprintf(file, "v %.6f %.6f %.6f\n",
            turn == 0   ? x
            : turn == 1 ? y
                        : z,
            turn == 0   ? y
            : turn == 1 ? z
                        : x,
            turn == 0   ? z
            : turn == 1 ? x
                        : y);
}

static void write_random_obj(const char* path, tact_random* random)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    size_t vertices = 0;
    int groups = 0;
    for (uint64_t faces = 1 + tact_random_below(random, 12); faces > 0; --faces) {
        const uint64_t what = tact_random_below(random, 8);
        // Not `o` of an earlier name: Assimp then adds faces to another object.
        if (what == 0) fprintf(file, "o part%d of it\n", groups++);
        if (what == 1) fprintf(file, "g group%d  x\n", (int)tact_random_below(random, 2));
        if (what == 2) fprintf(file, "usemtl m%d\n", (int)tact_random_below(random, 3));
        if (what == 3) fprintf(file, "# f 1 2 3\ns off\n\n");
        const uint64_t kind = tact_random_below(random, 12);
        const int n = 3 + (int)tact_random_below(random, tact_random_below(random, 3) ? 3 : 24);
        const int shape = (int)tact_random_below(random, 3);
        for (int k = 0; k < n; ++k)
            put_corner(file, random, shape, k, n);
        vertices += (size_t)n;
        fputs(kind == 0 ? "l" : kind == 1 ? "p" : "f", file);
        for (int k = 0; k < n; ++k) {
            const size_t vertex = vertices - (size_t)n + (size_t)k + 1;
            if (tact_random_below(random, 40) == 0) fputs(" \\\n", file);
            if (tact_random_below(random, 10) == 0 && kind > 1) {
                fprintf(file, " %d", (int)tact_random_below(random, vertices) + 1);
            } else if (tact_random_below(random, 4) == 0) {
                fprintf(file, " %d", (int)vertex - (int)vertices - 1);
            } else {
                fprintf(file, " %zu", vertex);
            }
        }
        fputs(tact_random_below(random, 4) ? "\n" : "\r\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

static void write_random_ply(const char* path, tact_random* random)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    const int vertices = 3 + (int)tact_random_below(random, 40), faces = 1 + (int)tact_random_below(random, 30);
    const bool binary = tact_random_below(random, 2), quality = tact_random_below(random, 2);
    fprintf(file, "ply\nformat %s 1.0\nelement vertex %d\n%sproperty float x\nproperty float y\nproperty float z\n",
            binary ? "binary_little_endian" : "ascii", vertices, quality ? "property uchar red\n" : "");
    fprintf(file, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", faces);
    for (int v = 0; v < vertices; ++v) {
        // Assimp takes a line feed that data begins with for the header's.
        if (quality && binary) fputc(200, file);
        if (quality && !binary) fputs("200 ", file);
        for (int k = 0; k < 3; ++k) {
            const float x = (float)simple_number(random);
            if (binary) {
                fwrite(&x, 4, 1, file);
            } else {
                fprintf(file, "%.6f ", (double)x);
            }
        }
        if (!binary) fputc('\n', file);
    }
    for (int f = 0; f < faces; ++f) {
        const int n = tact_random_below(random, 2) ? 3 : 1 + (int)tact_random_below(random, 8);
        if (binary) {
            fputc(n, file);
        } else {
            fprintf(file, "%d", n);
        }
        // Often the first corner of the face before it, where fans could be confused.
        for (int k = 0; k < n; ++k) {
            const int32_t vertex = (int32_t)tact_random_below(random, k == 0 ? 3 : (uint64_t)vertices);
            if (binary) {
                fwrite(&vertex, 4, 1, file);
            } else {
                fprintf(file, " %d", (int)vertex);
            }
        }
        if (!binary) fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

static void write_random_stl(const char* path, tact_random* random)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    for (uint64_t solids = 1 + tact_random_below(random, 3); solids > 0; --solids) {
        fprintf(file, "solid s%d and more\n", (int)solids);
        for (uint64_t facets = tact_random_below(random, 20); facets > 0; --facets) {
            fprintf(file, "  facet normal 0 0 1\n outer loop\n");
            for (int k = 0; k < 3; ++k) {
                fprintf(file, "vertex %.6f %.6e %.5g\n", simple_number(random), floor(simple_number(random)),
                        floor(simple_number(random)));
            }
            fprintf(file, "endloop\r\nendfacet\n");
        }
        fprintf(file, "endsolid s%d\n", (int)solids);
    }
    assert_int_equal(fclose(file), 0);
}

TEST(random_files_are_as_assimp_reads_them)
{
    need_the_version_that_is_kept();
    tact_random random = {2026};
    size_t differ = 0;
    const size_t rounds = effort(300, 3000);
    for (size_t i = 0; i < rounds; ++i) {
        write_random_obj("mesh_random.obj", &random);
        write_random_ply("mesh_random.ply", &random);
        write_random_stl("mesh_random.stl", &random);
        differ += compare_with_assimp("mesh_random.obj") + compare_with_assimp("mesh_random.ply");
        compare_with_assimp("mesh_random.stl");
    }
    assert_int_equal(differ, 0);
    print_message("%zu of %zu files have polygons that were cut again\n", recut, 2 * rounds);
    assert_true(recut > 0 && recut < rounds);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
