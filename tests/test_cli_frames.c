// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What `tact particles` writes for other programs, read back: VTK files, LAMMPS dumps, contacts with forces.

#define _POSIX_C_SOURCE 200809L
#include "tests/support/run.h"

#include <inttypes.h>
#include <sys/stat.h>
#if defined(TACT_HDF5)
#include <hdf5.h>
#endif

#include "apps/inputs/npy.h"
#include "apps/particles/particles.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clif";

/// A file with its bytes.
typedef struct bytes_of {
    char* bytes;
    size_t size;
} bytes_of;

static bytes_of read_bytes(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (!file) fail_msg("%s is not there", path);
    fseek(file, 0, SEEK_END);
    bytes_of b = {.size = (size_t)ftell(file)};
    b.bytes = scratch_zeroed(b.size + 1, 1);
    rewind(file);
    assert_int_equal(fread(b.bytes, 1, b.size, file), b.size);
    fclose(file);
    return b;
}

/// The numbers of an array of a VTK file, which is to have this type and so many bytes.
static const void* array_of(const bytes_of* file, const char* name, const char* type, int components, size_t size)
{
    char tag[200];
    snprintf(tag, sizeof tag,
             "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"", type, name,
             components);
    const char* found = strstr(file->bytes, tag);
    const char* data = strstr(file->bytes, "<AppendedData encoding=\"raw\">\n_");
    if (!found || !data) fail_msg("no %s", tag);
    data = strchr(data, '_') + 1;
    const uint64_t offset = strtoull(found + strlen(tag), NULL, 10);
    uint64_t length;
    assert_true((size_t)(data - file->bytes) + offset + sizeof length + size <= file->size);
    memcpy(&length, data + offset, sizeof length);
    assert_int_equal(length, size);
    void* copy = scratch_zeroed(size + 1, 1);
    memcpy(copy, data + offset + sizeof length, size);
    return copy;
}

static void expect_text(const bytes_of* file, const char* text)
{
    if (!strstr(file->bytes, text)) fail_msg("%s: not there", text);
}

/// The rows of a run's last frame.
static float* rows_of(const char* path, uint32_t columns, size_t* count)
{
    tact_npy_table table;
    tact_problem problem = {0};
    if (!tact_npy_read(path, TACT_NPY_FLOAT32, columns, &table, &problem)) fail_msg("%s", problem.text);
    float* rows = scratch_zeroed((size_t)table.rows * columns + 1, sizeof *rows);
    memcpy(rows, table.data, (size_t)table.rows * columns * sizeof *rows);
    free(table.data);
    *count = (size_t)table.rows;
    return rows;
}

/// The items behind the head of an array file.
static const void* items_of(const char* path, size_t item, size_t* count)
{
    const bytes_of file = read_bytes(path);
    const size_t head = 10 + (size_t)(unsigned char)file.bytes[8] + 256 * (size_t)(unsigned char)file.bytes[9];
    assert_true(file.size >= head && (file.size - head) % item == 0);
    *count = (file.size - head) / item;
    return file.bytes + head;
}

#define RUN "particles --random 300 --law linear --history --rolling 0.1 --backend cpu --quiet --every 25 "

TEST(arrays_are_the_states_of_their_steps)
{
    assert_int_equal(system("rm -rf clif_npy clif_npy_balls"), 0);
    tool_ends(RUN "--steps 50 --npy clif_npy --out clif_out.npy", 0);
    const bytes_of end = read_bytes("clif_out.npy"), last = read_bytes("clif_npy/particles_00002.npy");
    assert_int_equal(end.size, last.size);
    assert_memory_equal(end.bytes, last.bytes, end.size);
    tool_ends(RUN "--steps 25 --out clif_out.npy --save clif_npy.run", 0);
    const bytes_of middle = read_bytes("clif_out.npy"), second = read_bytes("clif_npy/particles_00001.npy");
    assert_memory_equal(middle.bytes, second.bytes, middle.size);
    // A resumed run goes on with the numbers.
    write_file("clif_npy/particles_00002.npy", "", 0);
    const cJSON* json = tool_json_ends(
        "particles --resume clif_npy.run --backend cpu --steps 50 --every 25 --npy clif_npy --quiet --json");
    assert_true(json_number(json, "frames") == 2.0);
    const bytes_of again = read_bytes("clif_npy/particles_00002.npy");
    assert_int_equal(again.size, end.size);
    assert_memory_equal(again.bytes, end.bytes, end.size);
    // Those that do not turn have seven columns, and at the beginning they are as loaded.
    const float balls[14] = {0, 0, 0, 0.5f, 1, 0, 0, 3, 0.25f, 0, 0.5f, -1, 0, 0};
    write_array("clif_balls.npy", "<f4", "(2, 7)", balls, sizeof balls);
    tool_ends("particles --load clif_balls.npy --backend cpu --quiet --steps 1 --every 2 --npy clif_npy_balls", 0);
    size_t count;
    const float* first = rows_of("clif_npy_balls/particles_00000.npy", 7, &count);
    assert_int_equal(count, 2);
    assert_memory_equal(first, balls, sizeof balls);
    tool_refuses(RUN "--steps 1 --npy clif_out.npy/x", "clif_out.npy/x");
    tool_refuses(RUN "--steps 1 --repeat 2 --npy clif_npy", "not with --frames, --npy");
}

TEST(vtk_files_hold_particles_contacts_and_cells)
{
    tool_ends(RUN "--steps 50 --vtk clif_vtk --average 5,4,3 --out clif_out.npy --contacts clif_contacts.npy", 0);
    size_t count, contact_count;
    const float* rows = rows_of("clif_out.npy", 13, &count);
    const tact_contact_force* c = items_of("clif_contacts.npy", sizeof *c, &contact_count);
    assert_int_equal(count, 300);
    assert_true(contact_count > 50);

    const bytes_of p = read_bytes("clif_vtk/particles_00002.vtp");
    expect_text(&p, "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">");
    expect_text(&p, "<Piece NumberOfPoints=\"300\" NumberOfVerts=\"300\" NumberOfLines=\"0\"");
    const float *x = array_of(&p, "Points", "Float32", 3, 3600), *v = array_of(&p, "velocity", "Float32", 3, 3600),
                *r = array_of(&p, "radius", "Float32", 1, 1200), *m = array_of(&p, "mass", "Float32", 1, 1200),
                *spin = array_of(&p, "spin", "Float32", 3, 3600), *q = array_of(&p, "orientation", "Float32", 4, 4800);
    const uint32_t* id = array_of(&p, "id", "UInt32", 1, 1200);
    const unsigned char* material = array_of(&p, "material", "UInt8", 1, 300);
    const int32_t *points = array_of(&p, "connectivity", "Int32", 1, 1200),
                  *ends = array_of(&p, "offsets", "Int32", 1, 1200);
    for (size_t i = 0; i < count; ++i) {
        assert_memory_equal(x + 3 * i, rows + 13 * i, 12);
        assert_memory_equal(v + 3 * i, rows + 13 * i + 4, 12);
        assert_memory_equal(spin + 3 * i, rows + 13 * i + 10, 12);
        assert_true(r[i] == 0.5f && fabsf(m[i] - 523.5988f) < 1e-3f && id[i] == i && material[i] == 0);
        assert_true(points[i] == (int32_t)i && ends[i] == (int32_t)i + 1);
        assert_true(fabsf(q[4 * i] * q[4 * i] + q[4 * i + 1] * q[4 * i + 1] + q[4 * i + 2] * q[4 * i + 2] +
                          q[4 * i + 3] * q[4 * i + 3] - 1.0f) < 1e-5f);
    }

    const bytes_of n = read_bytes("clif_vtk/contacts_00002.vtp");
    char piece[100];
    snprintf(piece, sizeof piece, "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"%zu\"",
             2 * contact_count, contact_count);
    expect_text(&n, piece);
    const float *force = array_of(&n, "force", "Float32", 3, 12 * contact_count),
                *ended = array_of(&n, "Points", "Float32", 3, 24 * contact_count),
                *normal = array_of(&n, "normal_force", "Float32", 1, 4 * contact_count),
                *across = array_of(&n, "tangential_force", "Float32", 1, 4 * contact_count);
    const uint32_t* limits = array_of(&n, "limits", "UInt32", 1, 4 * contact_count);
    const int32_t* lines = array_of(&n, "offsets", "Int32", 1, 4 * contact_count);
    size_t sliding = 0;
    for (size_t i = 0; i < contact_count; ++i) {
        assert_memory_equal(force + 3 * i, c[i].force, 12);
        assert_memory_equal(ended + 6 * i, rows + 13 * c[i].contact.a, 12);
        assert_true(limits[i] == c[i].limits && lines[i] == (int32_t)(2 * i + 2));
        sliding += limits[i] & TACT_CONTACT_SLIDES;
        const double all =
            pow((double)c[i].force[0], 2) + pow((double)c[i].force[1], 2) + pow((double)c[i].force[2], 2);
        const double parts = pow((double)normal[i], 2) + pow((double)across[i], 2);
        assert_true(normal[i] >= 0.0f && fabs(all - parts) <= 1e-5 * all);
        for (size_t k = 0; k < 3 && c[i].contact.with == TACT_CONTACT_PARTICLE; ++k)
            assert_true(fabsf(ended[6 * i + 3 + k] - rows[13 * c[i].contact.b + k]) < 1e-5f);
    }
    assert_true(sliding > 0 && sliding < contact_count);

    const bytes_of a = read_bytes("clif_vtk/cells_00002.vti");
    expect_text(&a, "<ImageData WholeExtent=\"0 5 0 4 0 3\" Origin=\"");
    const double *number = array_of(&a, "particles", "Float64", 1, 480),
                 *stress = array_of(&a, "contact_stress", "Float64", 9, 4320);
    double all = 0.0, pressed = 0.0;
    for (size_t i = 0; i < 60; ++i) {
        all += number[i];
        pressed += stress[9 * i + 4];
    }
    // Some are pressed into the walls a little.
    assert_true(fabs(all - 300.0) < 0.1 && pressed > 1e3);

    const bytes_of all_frames = read_bytes("clif_vtk/run.pvd");
    expect_text(&all_frames, "<DataSet timestep=\"0\" part=\"0\" name=\"particles\" file=\"particles_00000.vtp\"/>\n");
    expect_text(&all_frames, "part=\"1\" name=\"contacts\" file=\"contacts_00001.vtp\"/>\n");
    expect_text(&all_frames, "part=\"2\" name=\"cells\" file=\"cells_00002.vti\"/>\n</Collection>\n</VTKFile>\n");
}

TEST(a_response_without_forces_has_contacts_still)
{
    tool_ends(
        "particles --random 300 --response position --steps 60 --every 60 --backend cpu --quiet --vtk "
        "clif_position --contacts clif_plain.npy",
        0);
    size_t count;
    const tact_particle_contact* c = items_of("clif_plain.npy", sizeof *c, &count);
    assert_true(count > 10 && c[0].depth >= 0.0f);
    const bytes_of n = read_bytes("clif_position/contacts_00001.vtp");
    const float *force = array_of(&n, "force", "Float32", 3, 12 * count),
                *ended = array_of(&n, "Points", "Float32", 3, 24 * count);
    size_t pairs = 0;
    for (size_t i = 0; i < count; ++i) {
        double length = 0.0;
        for (size_t k = 0; k < 3; ++k)
            length += pow((double)ended[6 * i + 3 + k] - (double)ended[6 * i + k], 2);
        const bool pair = c[i].with == TACT_CONTACT_PARTICLE;
        const double expected = pair ? 1.0 - (double)c[i].depth : 0.5 - 0.5 * (double)c[i].depth;
        assert_true(force[3 * i] == 0.0f && fabs(sqrt(length) - expected) < 1e-5);
        pairs += pair;
    }
    assert_true(pairs > 10 && pairs < count);
    // What does not turn has no spin.
    const bytes_of p = read_bytes("clif_position/particles_00001.vtp");
    assert_null(strstr(p.bytes, "spin"));
}

TEST(cells_over_a_period_hold_all_particles)
{
    tool_ends(
        "particles --random 300 --domain periodic --steps 30 --every 30 --backend cpu --quiet --vtk clif_periodic "
        "--average 4,4,4",
        0);
    const bytes_of a = read_bytes("clif_periodic/cells_00001.vti");
    const double* number = array_of(&a, "particles", "Float64", 1, 512);
    double all = 0.0;
    for (size_t i = 0; i < 64; ++i)
        all += number[i];
    assert_true(fabs(all - 300.0) < 1e-9);
}

TEST(cells_may_be_in_a_box_of_their_own)
{
    tool_ends("particles --random 300 --steps 0 --backend cpu --quiet --vtk clif_box --average 2,1,3:-1,0,-1,1,2,0.5",
              0);
    const bytes_of a = read_bytes("clif_box/cells_00000.vti");
    expect_text(&a, "WholeExtent=\"0 2 0 1 0 3\" Origin=\"-1 0 -1\" Spacing=\"1 2 0.5\">");
    assert_non_null(array_of(&a, "solid_fraction", "Float64", 1, 48));
}

TEST(a_dump_has_every_frame)
{
    tool_ends(RUN "--steps 50 --dump clif.dump --out clif_dumped.npy", 0);
    size_t count;
    const float* rows = rows_of("clif_dumped.npy", 13, &count);
    const bytes_of file = read_bytes("clif.dump");
    const char* at = file.bytes;
    for (int frame = 0; frame < 3; ++frame) {
        char head[120];
        snprintf(head, sizeof head, "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n300\nITEM: BOX BOUNDS ff ff ff\n",
                 25 * frame);
        assert_memory_equal(at, head, strlen(head));
        at += strlen(head);
        char* end = NULL;
        for (int k = 0; k < 3; ++k) {
            const double low = strtod(at, &end), high = strtod(end, &end);
            assert_true(low < high && *end == '\n');
            at = end + 1;
        }
        static const char columns[] = "ITEM: ATOMS id type x y z vx vy vz omegax omegay omegaz radius mass\n";
        assert_memory_equal(at, columns, strlen(columns));
        at += strlen(columns);
        for (size_t i = 0; i < count; ++i) {
            float numbers[13];
            for (int k = 0; k < 13; ++k)
                numbers[k] = strtof(k ? end : at, &end);
            assert_true(*end == '\n' && numbers[0] == (float)(i + 1) && numbers[1] == 1.0f);
            at = end + 1;
            if (frame < 2) continue;
            // The last bit too.
            const float* row = rows + 13 * i;
            assert_true(memcmp(numbers + 2, row, 12) == 0 && memcmp(numbers + 5, row + 4, 12) == 0);
            assert_true(memcmp(numbers + 8, row + 10, 12) == 0 && numbers[11] == row[3]);
        }
    }
    assert_true(*at == '\0');
    // Open and periodic faces.
    tool_ends("particles --random 20 --steps 0 --domain periodic --backend cpu --quiet --dump clif.dump", 0);
    const bytes_of periodic = read_bytes("clif.dump");
    expect_text(&periodic, "ITEM: BOX BOUNDS pp pp pp\n");
    tool_ends("particles --random 20 --steps 0 --domain open --backend cpu --quiet --dump clif.dump", 0);
    const bytes_of open = read_bytes("clif.dump");
    expect_text(&open, "ITEM: BOX BOUNDS ss ss ss\n");
}

#if defined(TACT_HDF5)
/// The numbers of an array of a frame, which is to have this type and `count` of them.
static const void* column_of(hid_t file, int frame, const char* name, hid_t type, size_t count)
{
    char path[80];
    hsize_t size = 0;
    snprintf(path, sizeof path, "Step#%d/%s", frame, name);
    const hid_t array = H5Dopen2(file, path, H5P_DEFAULT);
    if (array < 0) fail_msg("no %s", path);
    const hid_t own = H5Dget_type(array), space = H5Dget_space(array);
    assert_true(H5Tequal(own, type) > 0);
    assert_int_equal(H5Sget_simple_extent_ndims(space), 1);
    H5Sget_simple_extent_dims(space, &size, NULL);
    assert_int_equal(size, count);
    void* numbers = scratch_zeroed(count, 4);
    assert_true(H5Dread(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Sclose(space);
    H5Tclose(own);
    H5Dclose(array);
    return numbers;
}

TEST(a_file_of_hdf5_has_every_frame)
{
    // The columns of an array of particles.
    static const struct {
        const char* name;
        size_t column;
    } columns[] = {{"x", 0},          {"y", 1},          {"z", 2},       {"radius", 3},  {"velocity_0", 4},
                   {"velocity_1", 5}, {"velocity_2", 6}, {"spin_0", 10}, {"spin_1", 11}, {"spin_2", 12}};
    tool_ends(RUN "--steps 50 --hdf5 clif.h5 --out clif_out5.npy --vtk clif_vtk5", 0);
    size_t count;
    const float* rows = rows_of("clif_out5.npy", 13, &count);
    const bytes_of p = read_bytes("clif_vtk5/particles_00002.vtp");
    const float *turns = array_of(&p, "orientation", "Float32", 4, 4800), *m = array_of(&p, "mass", "Float32", 1, 1200);
    const hid_t file = H5Fopen("clif.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    H5G_info_t info;
    assert_true(H5Gget_info(file, &info) >= 0 && info.nlinks == 3);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; ++k) {
        const float* x = column_of(file, 2, columns[k].name, H5T_IEEE_F32LE, count);
        for (size_t i = 0; i < count; ++i)
            assert_memory_equal(&x[i], &rows[13 * i + columns[k].column], sizeof *x);
    }
    for (int k = 0; k < 4; ++k) {
        char name[20];
        snprintf(name, sizeof name, "orientation_%d", k);
        const float* q = column_of(file, 2, name, H5T_IEEE_F32LE, count);
        for (size_t i = 0; i < count; ++i)
            assert_memory_equal(&q[i], &turns[4 * i + (size_t)k], sizeof *q);
    }
    assert_memory_equal(column_of(file, 2, "mass", H5T_IEEE_F32LE, count), m, count * sizeof *m);
    const int32_t *ids = column_of(file, 0, "id", H5T_STD_I32LE, count),
                  *materials = column_of(file, 0, "material", H5T_STD_I32LE, count);
    for (size_t i = 0; i < count; ++i)
        assert_true(ids[i] == (int32_t)i && materials[i] == 0);
    double time = 0.0;
    const hid_t attribute = H5Aopen_by_name(file, "Step#2", "TimeValue", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, &time) >= 0 && fabs(time - 50.0 / 60.0) < 1e-6);
    H5Aclose(attribute);
    H5Fclose(file);
    // What does not turn has no spin.
    tool_ends("particles --random 20 --steps 0 --backend cpu --quiet --hdf5 clif.h5", 0);
    const hid_t plain = H5Fopen("clif.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(plain, "Step#0/x", H5P_DEFAULT) > 0 && H5Lexists(plain, "Step#0/spin_0", H5P_DEFAULT) == 0);
    H5Fclose(plain);
    // What cannot be written is refused, and leaves what was there.
    tool_refuses("particles --random 20 --steps 1 --backend cpu --quiet --hdf5 'no such/x.h5'",
                 "no such/x.h5: cannot be written");
    tool_refuses("particles --random 20 --steps 1 --backend cpu --quiet --hdf5 /dev/null", "is a pipe or a device");
    mkdir("clif_folder5", 0777);
    mkdir("clif_folder5/contacts_00000.vtp", 0777);
    write_file("clif_kept.h5", "old", 3);
    tool_refuses("particles --random 20 --steps 1 --backend cpu --quiet --hdf5 clif_kept.h5 --vtk clif_folder5",
                 "is a folder");
    assert_int_equal(read_bytes("clif_kept.h5").size, 3);
    tool_refuses("particles --random 20 --steps 1 --backend cpu --quiet --hdf5 clif_folder5", "is a folder");
}
#else
TEST(a_tool_without_hdf5_says_so)
{
    tool_ends("particles --random 20 --steps 1 --backend cpu --quiet --hdf5 clif.h5", 3);
}
#endif

/// Frames go on where a run before left off, whether it ended at a frame or between two.
TEST(a_resumed_run_goes_on_with_its_frames)
{
    tool_ends(RUN "--steps 75 --vtk clif_whole --average 3,3,3", 0);
    tool_ends(RUN "--steps 40 --vtk clif_parts --average 3,3,3 --save clif.run", 0);
    cJSON* json = tool_json_ends(
        "particles --resume clif.run --steps 75 --every 25 --backend cpu --quiet --json --vtk "
        "clif_parts --average 3,3,3");
    assert_true(json_number(json, "frames") == 2.0);
    static const char* const names[] = {"run.pvd", "particles_00001.vtp", "particles_00003.vtp", "cells_00003.vti",
                                        "contacts_00002.vtp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char whole[80], parts[80];
        snprintf(whole, sizeof whole, "clif_whole/%s", names[i]);
        snprintf(parts, sizeof parts, "clif_parts/%s", names[i]);
        const bytes_of a = read_bytes(whole), b = read_bytes(parts);
        if (a.size != b.size || memcmp(a.bytes, b.bytes, a.size) != 0) fail_msg("%s differs", names[i]);
    }
}

TEST(chains_are_thick_where_contacts_press)
{
    // 10 N and 30 N, and one that hardly presses, along x and y and z.
    tact_contact_force c[3] = {{.contact.normal = {1, 0, 0}, .contact.point = {0.5f, 0, 0}, .force = {-10, 7, 0}},
                               {.contact.normal = {0, 1, 0}, .contact.point = {4, 4.5f, 4}, .force = {0, -30, 0}},
                               {.contact.normal = {0, 0, 1}, .force = {0, 0, -0.001f}}};
    for (int i = 0; i < 3; ++i)
        c[i].arm = c[i].other_arm = 0.5f;
    size_t count = 0;
    tact_problem problem = {0};
    float* rows = tact_chain_rows(c, 3, 0.5f, 2.0f, &count, &problem);
    assert_non_null(rows);
    float last[2] = {0, 0};
    for (size_t i = 0; i < count; ++i) {
        const float* row = rows + 7 * i;
        const bool first = row[1] == 0.0f && row[2] == 0.0f;
        // A share of five times the mean.
        const float part = (first ? 10.0f : 30.0f) / (5.0f * 40.001f / 3.0f);
        assert_true(fabsf(row[3] - 0.35f * 0.5f * part) < 1e-6f && fabsf(row[4] - 2.0f * part) < 1e-5f);
        if (first) assert_true(row[0] >= 0.0f && row[0] <= 1.0f);
        if (!first) assert_true(row[0] == 4.0f && row[1] >= 4.0f && row[1] <= 5.0f && row[2] == 4.0f);
        last[first] = first ? row[0] : row[1];
    }
    assert_true(last[1] == 1.0f && last[0] == 5.0f);
    free(rows);

    tool_ends(RUN "--steps 50 --chains clif_chains.png --size 160x90", 0);
    const bytes_of png = read_bytes("clif_chains.png");
    assert_true(png.size > 1000 && memcmp(png.bytes + 1, "PNG", 3) == 0);
}

TEST(what_cannot_be_written_is_refused)
{
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"--average 2,2,2", "--average 2,2,2: needs --vtk"},
        {"--vtk clif_no --average 2,2", "three numbers of cells"},
        {"--vtk clif_no --average 2,2,0", "three numbers of cells"},
        {"--vtk clif_no --average 2,2,-1", "three numbers of cells"},
        {"--vtk clif_no --average 2,2,2,2", "three numbers of cells"},
        {"--vtk clif_no --average 100000,100000,1", "more than 268435456 cells"},
        {"--vtk clif_no --average 2,2,2:0,0,0,1,1", "must be 6 finite numbers"},
        {"--vtk clif_no --average 2,2,2:0,0,0,1,0,1", "the box is empty"},
        {"--window --vtk clif_no", "--window: not with --npy, --vtk"},
        {"--repeat 2 --dump clif_no.dump", "--repeat 2: not with"},
        {"--response position --chains clif_no.png", "have no forces"},
        {"--window --chains clif_no.png", "--window: not with --npy, --vtk, --dump, --hdf5, --chains"},
        {"--vtk clif_file", "clif_file"},
        {"--vtk clif_folder", "clif_folder/contacts_00000.vtp: is a folder"},
        {"--dump 'no such/x.dump'", "no such/x.dump: cannot be written"},
        {"--domain periodic --vtk clif_no --average 1,1,1:-100,-100,-100,100,100,100", "the period"},
    };
    write_file("clif_file", "x", 1);
    mkdir("clif_folder", 0777);
    mkdir("clif_folder/contacts_00000.vtp", 0777);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char all[300];
        snprintf(all, sizeof all, "particles --random 20 --steps 1 --backend cpu --quiet %s", cases[i].arguments);
        tool_refuses(all, cases[i].says);
    }
    FILE* full = fopen("/dev/full", "w");
    if (!full) return;
    fclose(full);
    tool_refuses("particles --random 20 --steps 1 --backend cpu --quiet --dump /dev/full", "/dev/full: writing failed");
    tool_refuses("particles --random 2000 --steps 1 --backend cpu --quiet --dump /dev/full",
                 "/dev/full: writing failed");
    // A run that fails leaves no dump, and the one before as it was.
    write_file("clif_kept.dump", "old", 3);
    tool_refuses("particles --random 20 --steps 1 --backend cpu --quiet --dump clif_kept.dump --vtk clif_folder",
                 "is a folder");
    const bytes_of kept = read_bytes("clif_kept.dump");
    assert_true(kept.size == 3);
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
