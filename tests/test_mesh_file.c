// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <assimp/scene.h>

#include "apps/inputs/mesh_file.h"
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

static void parts_are_placed_by_their_nodes(void** state)
{
    (void)state;
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

static void broken_scenes_are_refused(void** state)
{
    (void)state;
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

static void polygons_are_triangulated_and_lines_dropped(void** state)
{
    (void)state;
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

static void bad_files_are_told_in_one_line(void** state)
{
    (void)state;
    write_file("mesh_text.txt", "hello\n", 6);
    write_file("mesh_empty.obj", "", 0);
    write_file("mesh_text.obj", "this is a text\nand no mesh\n", 27);
    write_file("mesh_points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 2 3\n", 32);
    // The loader library crashes on this one: cut within its binary data.
    static const char cut[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nproperty float y\n"
        "property float z\nelement face 3\nproperty list uchar int vertex_indices\nend_header\nabcdefg";
    write_file("mesh_cut.ply", cut, sizeof cut - 1);
    write_file("mesh_noise.stl", "\x01\x02\xff\xfe\x03\x04", 6);
    static const char* const bad[] = {
        "no such mesh.obj", ".", "mesh_text.txt", "mesh_empty.obj", "mesh_text.obj", "mesh_points.obj", "mesh_cut.ply",
        "mesh_noise.stl"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        tact_model_mesh mesh;
        tact_problem problem = {0};
        if (tact_mesh_file_read_guarded(bad[i], &mesh, &problem)) fail_msg("%s was taken", bad[i]);
        assert_int_equal(problem.exit_code, TACT_EXIT_WRONG_USE);
        assert_memory_equal(problem.text, bad[i], strlen(bad[i]));
        assert_null(strchr(problem.text, '\n'));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_placed_by_their_nodes),
        cmocka_unit_test(broken_scenes_are_refused),
        cmocka_unit_test(polygons_are_triangulated_and_lines_dropped),
        cmocka_unit_test(bad_files_are_told_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
