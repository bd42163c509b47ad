// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Every object and every function of tact.hpp, used as a program would, gives what the functions of C give. It is
// compiled with and without exceptions, as C++17 and as C++20.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tact/tact.hpp>
#include <type_traits>
#include <utility>
#include <vector>

// It is C too.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include "../support/one_rank.h"
#pragma GCC diagnostic pop

#ifdef TACT_HPP_THROWS
#error "a macro of the header's own is left"
#endif

namespace
{

int checks = 0;

void check(bool holds, int line, const char* what)
{
    ++checks;
    if (holds) return;
    std::fprintf(stderr, "test_cxx.cpp:%d: %s\n  %s\n", line, what, tact_last_error());
    std::exit(1);
}

#define CHECK(condition) check((condition), __LINE__, #condition)

// take(call): the value of a call that must succeed. DO(call): one without a value. CODE(call): its result.
#ifdef __cpp_exceptions
template <class T>
T take(T value)
{
    return value;
}
#define DO(call) (call)
template <class F>
tact_result code_of(F call, std::string* text = nullptr)
{
    try {
        call();
    } catch (const tact::error& error) {
        if (text) *text = error.what();
        return error.code();
    }
    return TACT_OK;
}
#else
template <class T>
T take(tact::result<T> result)
{
    check(bool(result), __LINE__, result.what());
    return std::move(*result);
}
#define DO(call) CHECK(bool(call))
template <class F>
tact_result code_of(F call, std::string* text = nullptr)
{
    const auto result = call();
    if (text) *text = result.what();
    return result.code();
}
#endif
#define CODE(call) code_of([&] { return call; })

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
template <class T>
bool same(tact::span<const T> a, const T* b, size_t count)
{
    return a.size() == count && (!count || std::memcmp(a.data(), b, count * sizeof(T)) == 0);
}

tact::context make_context(tact_device_source gl = TACT_DEVICE_NONE)
{
    tact_context_desc desc{};
    desc.gl = gl;
    desc.cl = TACT_DEVICE_NONE;
    desc.record_queries = 64;
    desc.disable_calibration = true;
    desc.log = [](tact_log_level, const char*, const char*, void*) {};
    return take(tact::context::create(desc));
}

const std::vector<tact_vec3> tetrahedron = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<uint32_t> faces = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
constexpr tact::matrix moved = {1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0};
constexpr tact::matrix nearby = {1, 0, 0, 0.25f, 0, 1, 0, 0.1f, 0, 0, 1, 0.1f};

// Types

static_assert(!std::is_convertible_v<uint32_t, tact::mesh_id> && !std::is_convertible_v<tact::mesh_id, uint32_t>);
static_assert(!std::is_constructible_v<tact::instance_id, tact::mesh_id>);
static_assert(sizeof(tact::mesh_id) == sizeof(uint32_t) && sizeof(tact::group_id) == 1);
static_assert(std::is_trivially_copyable_v<tact::mesh_id> && sizeof(tact::scene) == sizeof(tact_scene*));
static_assert(std::is_nothrow_move_constructible_v<tact::scene> && !std::is_copy_constructible_v<tact::scene>);
static_assert(!std::is_move_constructible_v<tact::ticket>);
static_assert(std::is_convertible_v<std::vector<tact_hit>&, tact::out<tact_hit>>);
static_assert(!std::is_convertible_v<const std::vector<tact_hit>&, tact::out<tact_hit>>);
static_assert(std::is_convertible_v<const std::array<tact_ray, 3>&, tact::in<tact_ray>>);
static_assert(std::is_convertible_v<tact::out<tact_ray>, tact::in<tact_ray>>);
static_assert(!std::is_convertible_v<std::vector<tact::mesh_id>&, tact::out<tact::instance_id>>);

void test_types()
{
    int numbers[3] = {1, 2, 3};
    std::vector<int> more = {4, 5};
    const tact::span<int> whole = numbers, some(numbers, 2), none;
    const tact::span<const int> list = more;
    int sum = 0;
    for (const int n : whole)
        sum += n;
    CHECK(sum == 6 && some.size() == 2 && none.empty() && list[1] == 5 && list.data() == more.data());
    CHECK(list.end() - list.begin() == 2);
    const tact::mesh_id a(3), b(4);
    CHECK(a == a && a != b && a < b && a.value == 3);
    CHECK(!std::strcmp(tact::name(TACT_BACKEND_GL), "gl") && !std::strcmp(tact::name(TACT_OK), "TACT_OK"));
    CHECK(!std::strcmp(tact::name(TACT_PAIRS_SAP), "sap") && !std::strcmp(tact::name(TACT_FILTER_BOXES), "boxes"));
    CHECK(!std::strcmp(tact::name(TACT_CANDIDATE_LOST), "lost"));
    CHECK(!std::strcmp(tact::name(TACT_RECORDED_CULL), "cull"));
}

void test_context()
{
    tact::context context = make_context();
    CHECK(context && context.get() && context.device_count() == tact_context_device_count(context.get()));
    CHECK(take(context.device(0)).backend == TACT_BACKEND_CPU);
    CHECK(!context.missing(TACT_BACKEND_CPU) && context.missing(TACT_BACKEND_CL));
    CHECK(take(context.device_counts(TACT_BACKEND_CPU)).launches == 0);
    const double before = context.milliseconds();
    CHECK(context.milliseconds() >= before);
    std::string text;
    CHECK(code_of([&] { return context.device(99); }, &text) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(!text.empty() && text == context.error_text());
    CHECK(CODE(context.explain()) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(take(context.forget_calibration()));
    CHECK(CODE(context.calibration(99999)) == TACT_ERROR_INVALID_ARGUMENT);

    // The first point ends both.
    tact_calibrate_options brief{};
    brief.seconds = 0.01;
    brief.temporary = true;
    brief.progress = [](double, void*) { return false; };
    CHECK(CODE(context.calibrate(brief)) == TACT_ERROR_CANCELLED);
    brief.progress = nullptr;
    int points = 0;
    CHECK(CODE(context.measure_regret(
              [&points](const tact_regret_point& point) {
                  points += point.size > 0;
                  return false;
              },
              brief)) == TACT_ERROR_CANCELLED);
    CHECK(points == 1);

    tact::context other = std::move(context);
    CHECK(!context && other);
    tact::context adopted = tact::context::adopt(other.release());
    CHECK(adopted && !other);
    adopted.reset();
    CHECK(!adopted);
    CHECK(tact::context::create().operator bool());
}

// Scenes

std::vector<tact_ray> rays_at(float spread)
{
    std::vector<tact_ray> rays;
    for (int i = 0; i < 40; ++i) {
        tact_ray ray{};
        ray.ox = spread * static_cast<float>(i % 8) / 8;
        ray.oy = static_cast<float>(i / 8) / 5;
        ray.oz = -3;
        ray.dz = 1;
        ray.tmax = 100;
        rays.push_back(ray);
    }
    return rays;
}

void test_scene()
{
    tact::context context = make_context();
    tact::scene scene = take(tact::scene::create(context));
    const std::vector<tact_sphere> spheres = {{{3, 0, 0}, 0.5f}};
    const std::array<tact_aabb, 1> boxes = {{{{4, 0, 0}, {4.5f, 1, 1}}}};
    const tact_capsule capsules[1] = {{{5, 0, 0}, {5, 1, 0}, 0.25f}};
    tact::mesh shared = take(tact::mesh::create(context, tact::triangles(tetrahedron, faces)));
    const tact::mesh_id mesh = take(scene.add(tact::triangles(tetrahedron, faces)));
    const tact::mesh_id ids[] = {mesh, take(scene.add(spheres)), take(scene.add(boxes)), take(scene.add(capsules)),
                                 take(scene.attach(shared))};
    for (uint32_t i = 0; i < 5; ++i)
        CHECK(ids[i].value == i);
    DO(scene.set_quality(mesh, TACT_MESH_HIGH));
    tact::instance_id first = take(scene.add_instance(mesh));
    for (const tact::mesh_id id : {ids[1], ids[2], ids[3]})
        CHECK(take(scene.add_instance(id)) != first);
    const tact::instance_id last = take(scene.add_instance(ids[4], moved));
    DO(scene.move_instance(last, moved));
    const std::vector<tact::instance_id> movers = {last};
    const std::vector<tact::matrix> there = {nearby};
    DO(scene.move_instances(movers, there));
    CHECK(code_of([&] { return scene.move_instances(movers, tact::in<tact::matrix>()); }) ==
          TACT_ERROR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i <= last.value; ++i)
        DO(scene.set_mask(tact::instance_id(i), i == last.value ? 2 : 1));
    DO(scene.set_dynamic(last, true));
    DO(scene.build_on(TACT_BACKEND_CPU));
    DO(scene.update(mesh, tetrahedron, TACT_UPDATE_REFIT));
    DO(scene.update(mesh, &tetrahedron[0].x, 12, TACT_UPDATE_AUTO));

    std::vector<tact_hit> hits(40), expected(40);
    const std::vector<tact_ray> rays = rays_at(6);
    std::string text;
    CHECK(code_of([&] { return scene.raycast(rays, hits); }, &text) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(text == context.error_text() && !text.empty());
    DO(scene.commit());
    CHECK(take(scene.stats()).instances == 5 && take(scene.stats()).shapes == 3);
    CHECK(code_of([&] { return scene.raycast(rays, tact::out<tact_hit>(hits.data(), 39)); }, &text) ==
              TACT_ERROR_INVALID_ARGUMENT &&
          text.find("arrays") != std::string::npos);

    tact_query_report report{};
    DO(scene.raycast(rays, hits, TACT_RAY_CLOSEST, tact::query().on(TACT_BACKEND_REFERENCE).report(report)));
    CHECK(report.backend == TACT_BACKEND_REFERENCE);
    CHECK(tact_raycast(scene.get(), TACT_RAY_CLOSEST, rays.data(), 40, expected.data(), nullptr, nullptr) == TACT_OK);
    CHECK(same(hits, expected));
    int told = 0;
    const auto watch = [&told](double) { return ++told > 0; };
    tact::query how;
    how.threads(2).shadow().no_fallback().progress(watch);
    DO(scene.raycast(rays, hits, TACT_RAY_CLOSEST, how));
    CHECK(same(hits, expected) && told > 0);
    tact_query_options options{};
    options.backend = TACT_BACKEND_REFERENCE;
    DO(scene.raycast(rays, hits, TACT_RAY_CLOSEST, tact::query(options).report(report)));
    CHECK(report.backend == TACT_BACKEND_REFERENCE);
    CHECK(take(context.explain()).answered == TACT_BACKEND_REFERENCE);

    tact_ray_rules rules{};
    rules.mask = 2;
    const auto accept = [](size_t i, const tact_ray& ray, const tact_hit& hit) {
        return i % 2 == 1 && hit.t <= ray.tmax;
    };
    tact::set_accept(rules, accept);
    tact_raycast_work work{};
    work.count = 40;
    work.rays = rays.data();
    work.hits = hits.data();
    work.rules = &rules;
    DO(scene.raycast(work));
    CHECK(tact_raycast_with(scene.get(), &work, nullptr, nullptr) == TACT_OK);
    size_t of_last = 0;
    for (size_t i = 0; i < 40; ++i) {
        CHECK(hits[i].instance == TACT_NONE || (tact::instance_id(hits[i].instance) == last && i % 2 == 1));
        of_last += hits[i].instance != TACT_NONE;
    }
    CHECK(of_last > 0);
    DO(scene.set_user_data(last, 77));
    DO(scene.set_user_data(ids[4], 78));
    std::vector<uint64_t> found(40), found_meshes(40);
    DO(scene.user_data(hits, found));
    DO(scene.mesh_user_data(hits, found_meshes));
    for (size_t i = 0; i < 40; ++i) {
        const bool hit = hits[i].instance != TACT_NONE;
        CHECK(found[i] == (hit ? 77 : 0) && found_meshes[i] == (hit ? 78 : 0));
    }
    DO(scene.user_data(movers, found));
    CHECK(found[0] == 77);
    DO(scene.user_data(std::vector<tact_hit>(), found));
    CHECK(CODE(scene.user_data(hits, tact::out<uint64_t>(found.data(), 39))) == TACT_ERROR_INVALID_ARGUMENT);

    std::vector<uint64_t> offsets(41), expected_offsets(41);
    const size_t all = take(scene.raycast_all(rays, offsets, {}));
    std::vector<tact_hit> every(all), expected_every(all);
    CHECK(all > 0 && take(scene.raycast_all(rays, offsets, every)) == all);
    tact_raycast_all_work all_work{};
    all_work.rays = rays.data();
    all_work.count = 40;
    all_work.offsets = expected_offsets.data();
    all_work.hits = expected_every.data();
    all_work.capacity = all;
    CHECK(tact_raycast_all(scene.get(), &all_work, nullptr, nullptr) == TACT_OK);
    CHECK(same(every, expected_every) && same(offsets, expected_offsets));
    CHECK(CODE(scene.raycast_all(rays, tact::out<uint64_t>(offsets.data(), 40), every)) == TACT_ERROR_INVALID_ARGUMENT);

    const std::vector<tact_closest_query> points = {{2, 2, 2, 10}, {0.1f, 0.1f, 0.1f, 1}};
    std::vector<tact_closest_hit> nearest(2), expected_nearest(2);
    DO(scene.closest_points(points, nearest));
    CHECK(tact_closest_points(scene.get(), points.data(), 2, expected_nearest.data(), nullptr, nullptr) == TACT_OK);
    CHECK(same(nearest, expected_nearest));

    std::vector<tact::instance_id> seen(5);
    std::vector<uint8_t> classes(5);
    const tact_plane planes[1] = {{{1, 0, 0}, 1.5f}};
    CHECK(take(scene.cull(planes, seen, classes)) == 2 && seen[0] == first && seen[1] == last);
    CHECK(take(scene.cull(planes, seen, {}, last)) == 1 && seen[0] == last);
    CHECK(take(scene.cull(planes, {})) == 2);
    uint32_t seen_by_c[5];
    size_t count = 0;
    const tact_cull_scene_work cull = {planes, 1, 0, {}};
    const tact_cull_room room = {seen_by_c, 5, &count, nullptr};
    CHECK(tact_cull_scene(scene.get(), &cull, &room, nullptr, nullptr) == TACT_OK && count == 2 &&
          seen_by_c[1] == last.value);

    const float uvs[8] = {0, 0, 1, 0, 0, 1, 1, 1};
    const uint8_t texel = 0;
    tact_alpha_desc alpha{};
    alpha.uvs = uvs;
    alpha.texels = &texel;
    alpha.width = alpha.height = 1;
    alpha.threshold = 128;
    DO(scene.set_alpha(mesh, &alpha));
    DO(scene.remove_instance(last));
    DO(scene.commit());
    DO(scene.raycast(rays, hits));
    for (const tact_hit& hit : hits)
        CHECK(hit.instance != first.value);
    DO(scene.set_alpha(mesh, nullptr));

    // Of triangles alone.
    tact::scene solid = take(tact::scene::create(context));
    const tact::mesh_id only = take(solid.add(tact::triangles(tetrahedron, faces)));
    CHECK(take(solid.add_instance(only)) == tact::instance_id(0));
    DO(solid.commit());
    std::vector<tact_point_location> locations(2), expected_locations(2);
    DO(solid.locate_points(points, locations));
    CHECK(tact_locate_points(solid.get(), points.data(), 2, expected_locations.data(), nullptr, nullptr) == TACT_OK);
    CHECK(same(locations, expected_locations) && !locations[0].inside && locations[1].inside);
    const std::vector<tact_sphere_cast> casts = {{rays[0], 0.1f}, {rays[39], 0.1f}};
    std::vector<tact_sphere_hit> touches(2), expected_touches(2);
    DO(solid.spherecast(casts, touches));
    CHECK(tact_spherecast(solid.get(), casts.data(), 2, expected_touches.data(), nullptr, nullptr) == TACT_OK);
    CHECK(same(touches, expected_touches) && touches[0].instance == 0);
}

void test_tickets()
{
    tact::context context = make_context();
    tact::scene scene = take(tact::scene::create(context));
    CHECK(take(scene.add_instance(take(scene.add(tact::triangles(tetrahedron, faces))))).value == 0);
    DO(scene.commit());
    const std::vector<tact_ray> rays = rays_at(1);
    std::vector<tact_hit> now(40), later(40);
    std::vector<uint64_t> offsets(41), offsets_later(41);
    DO(scene.raycast(rays, now));
    {
        tact::ticket ticket(context), other(context);
        CHECK(!ticket.pending());
        CHECK(CODE(ticket.done()) == TACT_ERROR_INVALID_ARGUMENT);
        tact::query query;
        CHECK(!query.submitted());
        query.submit(ticket);
        CHECK(query.submitted());
        DO(scene.raycast(rays, later, TACT_RAY_CLOSEST, query));
        CHECK(ticket.pending());
        while (!take(ticket.done())) {
        }
        tact_query_report report{};
        CHECK(take(ticket.wait(&report)) && !ticket.pending() && same(now, later));
        CHECK(report.backend == TACT_BACKEND_CPU);

        // Without room: the count comes with the answer. One ticket, query after query.
        std::vector<tact::instance_id> ids(1);
        CHECK(take(scene.cull({}, {}, {}, tact::instance_id(0), query)) <= 1);
        DO(scene.raycast(rays, later, TACT_RAY_COUNT, query));
        CHECK(take(scene.cull({}, {}, {}, tact::instance_id(0), query)) <= 1);
        CHECK(!take(ticket.wait()) && ticket.count() == 1);
        const size_t all = take(scene.raycast_all(rays, offsets, {}));
        CHECK(take(scene.raycast_all(rays, offsets_later, {}, nullptr, 0, tact::query().submit(other))) == 0);
        CHECK(!take(other.wait()) && same(offsets, offsets_later) && offsets[40] == all);
        DO(scene.raycast(rays, later, TACT_RAY_CLOSEST, tact::query().submit(other)));
        other.cancel();
        CHECK(!other.pending());
        DO(scene.raycast(rays, later, TACT_RAY_CLOSEST, tact::query().submit(other)));
    }
    // All places are free again.
    std::vector<tact_hit> none(1);
    for (int i = 0; i < 2 * TACT_MAX_TICKETS; ++i) {
        tact::ticket ticket(context);
        DO(scene.raycast({}, none, TACT_RAY_ANY, tact::query().submit(ticket)));
    }
}

// Meshes and many objects

void test_meshes()
{
    tact::context context = make_context();
    tact::mesh a = take(tact::mesh::create(context, tact::triangles(tetrahedron, faces)));
    tact::mesh b = take(tact::mesh::create(context, tact::triangles(tetrahedron, faces)));
    CHECK(take(a.info()).triangles == 4 && take(a.info()).closed);
    CHECK(take(a.desc()).vertex_count == 4);
    const std::vector<tact::matrix> poses = {nearby, moved};
    std::vector<uint8_t> relations(2);
    DO(a.overlap(b, relations, poses, true));
    CHECK(relations[0] == TACT_MESHES_INTERSECT && relations[1] == TACT_MESHES_APART);
    CHECK(CODE(a.overlap(b, {}, poses)) == TACT_ERROR_INVALID_ARGUMENT);

    const size_t count = take(a.overlap_pairs(b, {}, poses));
    std::vector<tact_mesh_pair> pairs(count), expected(count);
    CHECK(count > 0 && take(a.overlap_pairs(b, pairs, poses)) == count);
    size_t counted = 0;
    tact_overlap_work work{};
    work.poses = reinterpret_cast<const float(*)[12]>(poses.data());
    work.pose_count = 2;
    work.pairs = expected.data();
    work.capacity = count;
    work.count = &counted;
    CHECK(tact_mesh_overlap_pairs(a.get(), b.get(), &work, nullptr, nullptr) == TACT_OK && counted == count);
    CHECK(same(pairs, expected));
    tact::ticket ticket(context);
    CHECK(take(a.overlap_pairs(b, pairs, poses, tact::query().submit(ticket))) <= count);
    CHECK(take(ticket.wait()) && ticket.count() == count && same(pairs, expected));
    CHECK(take(a.self_overlap_pairs({})) == 0);
    CHECK(take(a.self_overlap_pairs(pairs, tact::query().submit(ticket))) == 0 && take(ticket.wait()));

    std::vector<tact_triangle_contact> contacts(count), expected_contacts(count);
    DO(a.overlap_segments(b, pairs, contacts, poses));
    const tact_segments_work segments = {work.poses, 2, pairs.data(), count, expected_contacts.data(), {}};
    CHECK(tact_mesh_overlap_segments(a.get(), b.get(), &segments, nullptr, nullptr) == TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        CHECK(contacts[i].meeting == expected_contacts[i].meeting && contacts[i].meeting != TACT_TRIANGLES_APART);
    }

    tact::mesh_front front = take(tact::mesh_front::create(a, b));
    CHECK(take(a.separation(b, moved)).distance == 1.0f);
    CHECK(take(a.separation(b, moved, 0.5f, &front)).distance == INFINITY);
    CHECK(take(a.separation(b)).distance == 0.0f);
    std::vector<tact_vec3> apart = tetrahedron;
    for (tact_vec3& v : apart)
        v.x -= 2;
    DO(a.move_vertices(apart));
    CHECK(take(a.separation(b)).distance == 1.0f);
    DO(a.move_vertices(&tetrahedron[0].x, 4));
    CHECK(CODE(a.move_vertices(tact::in<tact_vec3>(apart.data(), 3))) == TACT_ERROR_INVALID_ARGUMENT);

    tact::filter filter = take(tact::filter::create(context));
    const tact_mesh_desc shapes[1] = {tact::triangles(tetrahedron, faces)};
    std::vector<tact_filter_object> objects(3);
    for (size_t i = 0; i < 3; ++i) {
        for (size_t k = 0; k < 12; ++k)
            objects[i].pose[k] = (i == 0 ? tact::identity : i == 1 ? nearby : moved)[k];
    }
    std::vector<tact_filter_count> stages(TACT_FILTER_STAGES);
    std::vector<tact_filter_pair> found(100);
    const size_t met = take(filter.find_pairs(shapes, objects, found, {}, stages));
    CHECK(met == count && stages[TACT_FILTER_EXACT].ran && found[0].object_b == 1);
    CHECK(take(filter.find_pairs(shapes, objects, {})) == met);
}

void test_culler()
{
    tact::context context = make_context();
    tact::culler culler = take(tact::culler::create(context));
    CHECK(culler.last().empty());
    std::vector<tact_aabb> boxes;
    std::vector<tact_sphere> spheres;
    std::vector<tact_obb> obbs;
    std::vector<tact_kdop> kdops;
    for (int i = 0; i < 20; ++i) {
        const float x = static_cast<float>(i);
        boxes.push_back({{x, 0, 0}, {x + 0.5f, 1, 1}});
        spheres.push_back({{x, 0, 0}, 0.5f});
        obbs.push_back({{x, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0.5f, 0.5f, 0.5f}});
        kdops.push_back(tact_kdop_from_aabb(14, boxes.back()));
    }
    float matrix[16] = {};  // sees -10 <= x <= 10
    matrix[0] = 0.1f;
    matrix[5] = matrix[10] = 0.1f;
    matrix[15] = 1;
    tact_frustum frustum;
    CHECK(tact_frustum_from_matrix(matrix, TACT_MATRIX_BY_ROWS, TACT_CLIP_MINUS_ONE_TO_ONE, &frustum));
    const tact::plane_list planes = tact::frustum_planes(frustum);
    CHECK(planes.size() == 6 && planes.end() - planes.begin() == 6 && planes.data() == planes.begin());
    const tact_cull_work works[] = {tact::cull_work(boxes, planes), tact::cull_work(spheres, planes),
                                    tact::cull_work(obbs, planes), tact::cull_work(kdops, planes)};
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        std::vector<uint32_t> ids(20), expected(20);
        std::vector<uint8_t> classes(20), expected_classes(20);
        size_t count = 0;
        const tact_cull_room room = {expected.data(), 20, &count, expected_classes.data()};
        CHECK(works[kind].kind == kind);
        CHECK(take(culler.cull(works[kind], ids, classes)) == 11);
        CHECK(same(culler.last(), ids.data(), 11));
        CHECK(tact_cull_volumes(culler.get(), &works[kind], &room, nullptr, nullptr) == TACT_OK && count == 11);
        CHECK(same(ids, expected) && same(classes, expected_classes));
    }
    CHECK(CODE(culler.cull(works[0], {}, tact::out<uint8_t>(std::vector<uint8_t>(3).data(), 3))) ==
          TACT_ERROR_INVALID_ARGUMENT);
}

// Indices that need no context

void test_indices()
{
    const std::array<tact_aabb, 3> boxes = {
        {{{0, 0, 0}, {1, 1, 1}}, {{0.5f, 0, 0}, {2, 1, 1}}, {{5, 5, 5}, {6, 6, 6}}}};
    tact::volume_tree tree = take(tact::volume_tree::create(boxes));
    uint32_t seen = 0;
    const auto count = [&](uint32_t) { return ++seen < 9; };
    CHECK(take(tree.insert({{8, 8, 8}, {9, 9, 9}})) == 3);
    CHECK(CODE(tree.insert({{8, 8, 8}, {7, 9, 9}})) == TACT_ERROR_INVALID_ARGUMENT);
    DO(tree.move(3, {{5, 5, 5}, {5.5f, 5.5f, 5.5f}}));
    CHECK(tree.each_in_box({{0, 0, 0}, {7, 7, 7}}, count) && seen == 4);
    CHECK(tree.each_in_sphere({{0, 0, 0}, 1}, count) && seen == 6);
    CHECK(tree.each_pair(tree, [&](uint32_t a, uint32_t b) { return a < b && ++seen < 9; }) && seen == 8);
    DO(tree.remove(3));
    CHECK(CODE(tree.remove(3)) == TACT_ERROR_INVALID_ARGUMENT);
    const float end = tree.each_on_ray({-1, 0.5f, 0.5f, 0, 1, 0, 0, 9}, [](uint32_t id, const tact_ray& ray, float t) {
        return id == 1 ? 1.5f : ray.tmax < t ? 0.0f : t;
    });
    CHECK(end == 1.5f);
    const std::array<tact_plane, 6> planes = {
        {{{-1, 0, 0}, 0}, {{1, 0, 0}, 3}, {{0, -1, 0}, 0}, {{0, 1, 0}, 3}, {{0, 0, -1}, 0}, {{0, 0, 1}, 3}}};
    tact_frustum frustum{};
    CHECK(tact_frustum_from_planes(planes.data(), &frustum));
    seen = 0;
    CHECK(tree.each_in_frustum(frustum, count) && seen == 2);
    const std::array<tact_aabb, 4> elsewhere = {{boxes[0], boxes[2], boxes[1], boxes[0]}};
    DO(tree.refit(elsewhere));
    CHECK(CODE(tree.refit(boxes)) == TACT_ERROR_INVALID_ARGUMENT);
    DO(tree.rebuild(TACT_VOLUME_TREE_HIGH));
    tact_volume_front* front = nullptr;
    CHECK(tact_volume_front_create(tree.get(), tree.get(), TACT_DESCEND_LARGER, 0, nullptr, &front) == TACT_OK);
    const tact::volume_front kept = tact::volume_front::adopt(front);
    CHECK(tact_volume_front_size(kept.get()) == 0);
    const tact_voxel_grid grid = {{0, 0, 0}, 1, {2, 2, 2}};
    tact_voxels* cells = nullptr;
    CHECK(tact_voxels_create(&grid, TACT_VOXELS_DENSE, nullptr, &cells) == TACT_OK);
    const tact::voxels full = tact::voxels::adopt(cells);
    CHECK(tact_voxels_set(full.get(), {1, 0, 1}, true) == TACT_OK && tact_voxels_get(full.get(), {1, 0, 1}));
    tact_loose_octree* octree = nullptr;
    CHECK(tact_loose_octree_create(boxes[2], 4, nullptr, &octree) == TACT_OK);
    const tact::loose_octree loose = tact::loose_octree::adopt(octree);
    CHECK(tact_loose_octree_get_info(loose.get()).cells == 1);
    tact_portals* graph = nullptr;
    CHECK(tact_portals_create(nullptr, 0, nullptr, 0, 1, nullptr, &graph) == TACT_OK);
    const tact::portals house = tact::portals::adopt(graph);
    CHECK(static_cast<bool>(house));
    tact_implicit_grid* rows = nullptr;
    CHECK(tact_implicit_grid_create(boxes.data(), boxes.size(), 0, nullptr, &rows) == TACT_OK);
    const tact::implicit_grid bits = tact::implicit_grid::adopt(rows);
    CHECK(tact_implicit_grid_in_box(bits.get(), boxes[0], nullptr, 0) == 2);
}

// Volumes and pairs

void test_ranks()
{
    tact_context_desc plain{};
    plain.gl = plain.cl = TACT_DEVICE_NONE;
    const tact::context context = take(tact::context::create(plain));
    const tact_ranks_calls calls = lone_calls(nullptr);
    tact::ranks alone = take(tact::ranks::create(context, calls));
    CHECK(take(alone.info()).count == 1);
    tact::volumes set = take(tact::volumes::create(context));
    const std::array<tact_aabb, 2> boxes = {tact_aabb{{0, 0, 0}, {1, 1, 1}}, tact_aabb{{1, 1, 1}, {2, 2, 2}}};
    DO(set.add(boxes));
    uint64_t before = 7;
    CHECK(take(alone.find_pairs(set, nullptr, TACT_PAIRS_AUTO, &before)) == 1 && before == 0);
    CHECK(set.last_pairs().size() == 1);
    std::array<uint32_t, 2> owners = {5, 5};
    DO(alone.cut_space(boxes, owners));
    CHECK(owners[0] == 0 && owners[1] == 0);
    const std::array<uint64_t, 1> weights = {1};
    CHECK(CODE(alone.cut_space(boxes, owners, weights)) == TACT_ERROR_INVALID_ARGUMENT);

    tact::scene scene = take(tact::scene::create(context));
    const std::array<tact_vec3, 3> corners = {tact_vec3{0, 0, 0}, tact_vec3{1, 0, 0}, tact_vec3{0, 1, 0}};
    DO(scene.add_instance(take(scene.add(tact::triangles(corners)))));
    DO(scene.commit());
    tact_ray ray{};
    ray.ox = ray.oy = 0.25f;
    ray.oz = -1.0f;
    ray.dz = ray.tmax = 2.0f;
    std::array<tact_hit, 2> hits{};
    tact_raycast_work work{};
    work.count = 1;
    work.rays = &ray;
    work.hits = hits.data();
    DO(alone.raycast(scene, work));
    CHECK(hits[0].instance == 0 && hits[0].t == 0.5f);
    const std::array<tact::instance_id, 1> ids = {tact::instance_id(9)};
    DO(alone.raycast_cut(scene, ids, work));
    CHECK(hits[0].instance == 9);
    const std::array<tact_closest_query, 1> points = {tact_closest_query{0.25f, 0.25f, 2.0f, 8.0f}};
    std::array<tact_closest_hit, 1> closest{};
    std::array<tact_point_location, 1> locations{};
    std::array<tact_sphere_hit, 1> touched{};
    const std::array<tact_sphere_cast, 1> casts = {tact_sphere_cast{ray, 0.5f}};
    DO(alone.closest_points(scene, points, closest));
    DO(alone.locate_points(scene, points, locations));
    DO(alone.spherecast(scene, casts, touched));
    CHECK(closest[0].distance == 2.0f && locations[0].distance == 2.0f && touched[0].t == 0.25f);
    DO(alone.closest_points_cut(scene, ids, points, closest));
    DO(alone.spherecast_cut(scene, ids, casts, touched));
    CHECK(closest[0].instance == 9 && closest[0].distance == 2.0f);
    CHECK(touched[0].instance == 9 && touched[0].t == 0.25f);
    CHECK(CODE(alone.closest_points_cut(scene, ids, points, {})) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(CODE(alone.spherecast_cut(scene, ids, casts, {})) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(take(alone.collect(tact::in<tact_hit>(hits.data(), 1), tact::out<tact_hit>(&hits[1], 1))) == 1);
    CHECK(hits[1].instance == 9);
}

void test_clouds()
{
    const tact::context context = take(tact::context::create());
    const std::array<tact_vec3, 4> points = {{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}}};
    tact::point_cloud cloud = take(tact::point_cloud::create(context, points));
    CHECK(cloud.count() == 4);
    const std::array<tact_closest_query, 2> queries = {{{0, 0, 0, 1.5f}, {0, 0, 3, 0.5f}}};
    std::array<tact_cloud_neighbour, 6> rows{};
    std::array<uint32_t, 2> counts{};
    DO(cloud.find_nearest(queries, 3, rows, counts));
    CHECK(counts[0] == 2 && counts[1] == 1 && rows[1].id == 1 && rows[1].distance2 == 1.0f && rows[3].id == 3);
    CHECK(rows[2].id == TACT_NONE);
    CHECK(CODE(cloud.find_nearest(queries, 4, rows)) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(CODE(cloud.find_nearest(queries, 0, rows)) == TACT_ERROR_INVALID_ARGUMENT);
    std::array<uint64_t, 3> offsets{};
    std::array<uint32_t, 4> ids{};
    CHECK(take(cloud.find_within(queries, offsets, ids)) == 3 && offsets[1] == 2 && ids[1] == 1 && ids[2] == 3);
    CHECK(CODE(cloud.find_within(queries, tact::out<uint64_t>(offsets.data(), 2), ids)) == TACT_ERROR_INVALID_ARGUMENT);
    std::array<uint8_t, 2> touched{};
    DO(cloud.touch(queries, touched));
    CHECK(touched[0] == 1 && touched[1] == 1);
    CHECK(CODE(cloud.touch(queries, tact::out<uint8_t>(touched.data(), 1))) == TACT_ERROR_INVALID_ARGUMENT);
    DO(cloud.replace({}));
    DO(cloud.touch(queries, touched));
    CHECK(cloud.count() == 0 && touched[0] == 0);
}

void test_body_grains()
{
    const tact::context context = take(tact::context::create());
    tact::bodies set = take(tact::bodies::create(context));
    tact_body_shape ground{}, box{};
    ground.kind = TACT_BODY_HALF_SPACE;
    box.kind = TACT_BODY_BOX;
    box.half = {0.1f, 0.1f, 0.1f};
    CHECK(take(set.add_shape(ground)) == 0 && take(set.add_shape(box)) == 1);
    std::array<tact_body, 3> made{};
    made[1].shape = made[2].shape = 1;
    made[1].pose.y = 0.12;
    made[2].pose.y = 0.35;
    std::array<tact::body_id, 3> ids;
    DO(set.add(made, ids));
    tact_body_grains_desc desc{};
    desc.gravity = {0.0f, -9.81f, 0.0f};
    desc.law.stiffness = 1e5f;
    desc.law.shear = 3e4f;
    desc.law.restitution = 0.3f;
    desc.law.friction = 0.5f;
    tact::body_grains grains = take(tact::body_grains::create(set, desc));
    CHECK(CODE(tact::body_grains::create(set, desc)) == TACT_ERROR_INVALID_ARGUMENT);
    const std::array<tact::body_id, 2> boxes{ids[1], ids[2]};
    DO(grains.set_matter(boxes, tact_body_matter{}));
    std::array<tact_body_matter, 2> matter{};
    matter[1].density = 500.0f;
    DO(grains.set_each_matter(boxes, matter));
    CHECK(CODE(grains.set_each_matter(ids, matter)) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(std::abs(take(grains.measures(ids[2])).mass - 4.0) < 1e-6);
    DO(grains.set_law(0, 0, desc.law));
    DO(grains.set_gravity({0.0f, -9.0f, 0.0f}));
    const std::array<tact_vec3, 2> pushed{{{0.1f, 0.0f, 0.0f}, {0.1f, 0.0f, 0.0f}}};
    DO(grains.write(boxes, pushed, pushed));
    DO(grains.set_forces(boxes, pushed));
    CHECK(grains.stable_step() > 0.0f);
    DO(grains.step(0.01f, 0, 30));
    const tact_body_grains_totals totals = take(grains.measure());
    CHECK(totals.steps == 30 && totals.points >= 4);
    const tact_body_grain_push* pushes = nullptr;
    CHECK(grains.contacts(&pushes).size() >= 2 && pushes[0].force[0].y > 0.0f);
    std::array<float, 6> velocities{};
    tact_body_grain_arrays arrays{};
    arrays.velocities = velocities.data();
    DO(grains.read(boxes, 2, arrays));
    CHECK(velocities[0] != 0.0f);
    std::vector<std::byte> bytes(take(grains.save({})));
    CHECK(take(grains.save(bytes)) == bytes.size());
    grains.reset();
    grains = take(tact::body_grains::load(set, bytes));
    CHECK(take(grains.measure()).steps == 30);
}

void test_bodies()
{
    const tact::context context = take(tact::context::create());
    tact::bodies set = take(tact::bodies::create(context));
    tact_body_shape ball{}, box{};
    ball.radius = 1.0f;
    box.kind = TACT_BODY_BOX;
    box.half = {1.0f, 1.0f, 1.0f};
    CHECK(take(set.add_shape(ball)) == 0 && take(set.add_shape(box)) == 1);
    tact_body_matter heavy{};
    heavy.density = 2.0f;
    CHECK(take(set.measure(1)).mass == 8000.0 && take(set.measure(1, heavy, 0.5f)).mass == 2.0);
    CHECK(CODE(set.measure(2)) == TACT_ERROR_INVALID_ARGUMENT);
    std::array<tact_body, 3> made{};
    made[1].shape = 1;
    made[1].pose.x = 1.5;
    made[2].pose.y = 9.0;
    std::array<tact::body_id, 3> ids;
    DO(set.add(made, ids));
    CHECK(set.count() == 3 && ids[2].value == 2 && take(set.body(ids[1])).shape == 1);
    std::array<tact_contact, 4> contacts{};
    CHECK(take(set.find_contacts(contacts)) == 1 && contacts[0].a == 0 && contacts[0].b == 1);
    CHECK(contacts[0].normal.x == 1.0f && contacts[0].point[0].separation == -0.5f);
    CHECK(set.last_contacts().size() == 1);
    const std::array<tact_pair, 1> apart{{{0, 2}}};
    CHECK(take(set.find_contacts(contacts, apart)) == 0);
    std::array<tact_pose, 1> there{};
    there[0].y = 1.0;
    const std::array<tact::body_id, 1> third{ids[2]};
    DO(set.move(third, there));
    CHECK(take(set.find_contacts(contacts)) == 3);
    std::array<tact_body_cast, 2> casts{};
    casts[0].from.y = casts[1].from.y = 8.0;
    casts[0].to.y = 0.0;
    casts[1].to.y = 16.0;
    std::array<tact_body_cast_hit, 4> hits{};
    CHECK(take(set.cast(casts, hits)) == 2 && hits[0].body == 2 && hits[0].normal.y == 1.0f);
    CHECK(hits[0].fraction > 0.62 && hits[0].fraction <= 0.625 && hits[1].body == TACT_NONE);
    std::array<uint64_t, 3> offsets{};
    CHECK(take(set.cast(casts, hits, TACT_BODY_CASTS_ALL, offsets)) == offsets[2] && offsets[1] == offsets[2]);
    CHECK(set.last_casts().size() == offsets[2] && offsets[2] > 0);
    std::array<uint64_t, 2> short_of_one{};
    CHECK(CODE(set.cast(casts, hits, TACT_BODY_CASTS_ALL, short_of_one)) == TACT_ERROR_INVALID_ARGUMENT);
    const std::array<tact_pair, 2> measured{{{0, 1}, {0, 2}}};
    std::array<tact_body_distance_row, 4> distances{};
    CHECK(take(set.find_distances(distances, measured)) == 2 && set.last_distances().size() == 2);
    CHECK(distances[0].b == 1 && distances[1].b == 2 && distances[0].distance == -0.5f);
    CHECK(take(set.find_distances(distances, {}, TACT_BODY_DISTANCES_OVERLAP)) > 0);
    CHECK(CODE(set.find_distances(distances, measured, TACT_BODY_DISTANCES_CLOSEST, -1.0f)) ==
          TACT_ERROR_INVALID_ARGUMENT);
    std::array<tact_body_nearest_item, 2> items{};
    items[0].pose.y = 8.0;
    items[1].pose.y = 8.0;
    items[1].farthest = 1.0f;
    std::array<tact_body_nearest, 2> nearest{};
    CHECK(take(set.find_nearest(items, nearest)) == 2 && set.last_nearest().size() == 2);
    CHECK(nearest[0].body == 2 && nearest[0].normal.y == 1.0f && nearest[1].body == TACT_NONE);
    items[0].shape = 99;
    CHECK(CODE(set.find_nearest(items, nearest)) == TACT_ERROR_INVALID_ARGUMENT);
    DO(set.follow_contacts(true, sizeof(float)));
    CHECK(take(set.find_contacts(contacts)) == 3 && take(set.contact_changes()).begun == 3);
    DO(set.remove(third));
    CHECK(take(set.find_contacts(contacts)) == 1);
    const tact_contact_changes changes = take(set.contact_changes());
    CHECK(changes.from[0].row == 0 && changes.ended_count == 2 && changes.ended[1] == 2 && changes.begun == 0);
    DO(set.follow_contacts(false));
    CHECK(CODE(set.contact_changes()) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(set.count() == 2 && CODE(set.remove(third)) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(CODE(set.move(third, std::array<tact_pose, 2>{})) == TACT_ERROR_INVALID_ARGUMENT);
}

void test_volumes()
{
    tact::context context = make_context();
    tact::volumes set = take(tact::volumes::create(context));
    tact_volumes_desc desc{};
    desc.kind = TACT_VOLUME_SPHERE;
    tact::volumes balls = take(tact::volumes::create(context, desc));
    std::vector<tact_aabb> boxes = {{{0, 0, 0}, {1, 1, 1}}, {{0.5f, 0, 0}, {2, 1, 1}}, {{5, 0, 0}, {6, 1, 1}}};
    const std::vector<tact_sphere> spheres = {{{0, 0, 0}, 0.25f}, {{9, 0, 0}, 1}};
    std::vector<tact::volume_id> ids(3), ball_ids(2);
    const std::vector<tact_categories> categories(3, TACT_CATEGORIES_ALL);
    const std::vector<uint64_t> data = {7, 8, 9};
    DO(set.add(boxes, ids, categories, data));
    DO(balls.add(spheres, ball_ids));
    CHECK(ids[2].value == 2 && set.count() == 3 && set.id_end() == 3 && take(set.user_data(ids[1])) == 8);
    CHECK(CODE(set.add(boxes, ball_ids)) == TACT_ERROR_INVALID_ARGUMENT && set.count() == 3);
    DO(set.set_user_data(ids[1], 5));
    CHECK(take(set.user_data(ids[1])) == 5 && set.contains(ids[1]) && !set.contains(tact::volume_id(3)));
    CHECK(take(set.aabb(ids[2])).lower.x == 5 && take(balls.sphere(ball_ids[1])).radius == 1);
    CHECK(CODE(set.sphere(ids[0])) == TACT_ERROR_INVALID_ARGUMENT);

    std::vector<tact_pair> pairs(10);
    CHECK(take(set.find_pairs(pairs)) == 1 && pairs[0].a == 0 && pairs[0].b == 1);
    CHECK(same(set.last_pairs(), pairs.data(), 1));
    CHECK(take(set.find_pairs({}, nullptr, TACT_PAIRS_SAP)) == 1 && take(set.pairs_info()).method == TACT_PAIRS_SAP);
    CHECK(take(set.find_pairs(pairs, &balls)) == 1 && pairs[0].b == 0);
    tact_pairs_work work{};
    work.method = TACT_PAIRS_BRUTE;
    CHECK(take(set.find_pairs(work, tact::query().on(TACT_BACKEND_CPU))) == 1);
    tact::ticket ticket(context);
    CHECK(take(set.find_pairs(pairs, nullptr, TACT_PAIRS_AUTO, tact::query().submit(ticket))) <= 1);
    CHECK(take(ticket.wait()) && ticket.count() == 1 && pairs[0].b == 1);
    std::vector<tact_pair> pieces;
    const auto receive = [&pieces](tact::in<tact_pair> some) {
        pieces.insert(pieces.end(), some.begin(), some.end());
        return true;
    };
    CHECK(take(set.each_pair(receive)) == 1 && pieces.size() == 1);
    CHECK(take(set.each_pair(receive, &balls, TACT_PAIRS_BRUTE, 0, tact::query().threads(1))) == 1);
    CHECK(CODE(set.each_pair([](tact::in<tact_pair>) { return false; })) == TACT_ERROR_CANCELLED);
    CHECK(take(set.each_pair(receive, nullptr, TACT_PAIRS_AUTO, 0, tact::query().submit(ticket))) == 0);
    CHECK(take(ticket.wait()));

    {
        tact::pair_tracker tracker = take(tact::pair_tracker::create(set));
        tact::pair_tracker between = take(tact::pair_tracker::create(set, balls));
        DO(tracker.update());
        DO(between.update(TACT_PAIRS_SAP, tact::query().on(TACT_BACKEND_CPU)));
        CHECK(tracker.pairs(TACT_PAIRS_BEGUN).size() == 1 && between.pairs(TACT_PAIRS_CURRENT).size() == 1);
        boxes[0] = boxes[2];
        DO(set.move({}, tact::in<tact_aabb>(boxes.data(), 1)));
        DO(balls.move(ball_ids, spheres));
        DO(tracker.update());
        CHECK(tracker.pairs(TACT_PAIRS_ENDED).size() == 1 && tracker.pairs(TACT_PAIRS_BEGUN)[0].b == 2);
    }
    const tact_categories mute[1] = {{1, 0}};
    const tact::volume_id one[1] = {ids[0]};
    DO(set.set_categories(one, mute));
    CHECK(take(set.find_pairs(pairs)) == 0);
    DO(set.remove(one));
    CHECK(set.count() == 2);
    set.clear();
    CHECK(set.count() == 0);
    const tact_device_array array = {TACT_BACKEND_CL, 0, nullptr, 0};
    CHECK(CODE(set.bind(&array, 1)) == tact_volumes_bind(set.get(), &array, 1));
    DO(set.bind(nullptr, 0));
}

// Images and picks

tact_pick_view view_of(uint32_t size)
{
    tact_pick_view view{};  // sees -2 <= x, y, z <= 2 from +z
    view.world_to_clip[0] = view.world_to_clip[5] = 0.5f;
    view.world_to_clip[10] = -0.5f;
    view.world_to_clip[15] = 1;
    view.order = TACT_MATRIX_BY_ROWS;
    view.width = view.height = size;
    return view;
}

void test_images()
{
    tact::context context = make_context();
    tact::image_tester tester = take(tact::image_tester::create(context));
    tact_image_body a{}, b{};
    a.mesh = b.mesh = tact::triangles(tetrahedron, faces);
    const tact::matrix poses[2] = {nearby, moved};
    b.poses = reinterpret_cast<const float(*)[12]>(poses);
    b.pose_count = 2;
    std::vector<tact_image_result> results(2);
    DO(tester.convex(a, b, results));
    CHECK(results[0].overlap && !results[1].overlap);
    DO(tester.concave(a, b, results));
    CHECK(results[0].overlap && !results[1].overlap);
    CHECK(tact::image_tester::slots(64) == tact_image_slots(64) && tact_image_slots(64) > 0);
}

void test_picks()
{
    tact::context context = make_context(TACT_DEVICE_OWN);
    tact::scene scene = take(tact::scene::create(context));
    CHECK(take(scene.add_instance(take(scene.add(tact::triangles(tetrahedron, faces))))).value == 0);
    DO(scene.commit());
    const tact_pick_view view = view_of(32);
    tact_pick_region region{};
    CHECK(tact::pick_planes(view).size() == 6);
    {
        tact::picker picker = take(tact::picker::create(context));
        std::vector<tact_pick> picks(10);
        tact_pick_options options{};
        options.group = TACT_PICK_BY_PRIMITIVE;
        const size_t count = take(picker.pick(scene, view, region, picks, options, tact::query().on(TACT_BACKEND_CPU)));
        CHECK(count >= 1 && picks[0].primitive == 3 && picker.last().size() == count);
        CHECK(take(picker.pick(scene, view, region, {})) == 1);
    }
    if (context.missing(TACT_BACKEND_GL)) {
        std::printf("left out: pick targets need OpenGL: %s\n", context.missing(TACT_BACKEND_GL));
        const char* const required = std::getenv("TACT_REQUIRE_DEVICES");
        CHECK(!required || !std::strstr(required, "gl"));
        return;
    }
    tact_pick_target_desc desc{};
    desc.width = desc.height = 32;
    tact::pick_target target = take(tact::pick_target::create(context, desc));
    const std::string text = tact::pick_target::glsl(0);
    CHECK(text.find("void tact_pick(uint object)") != std::string::npos && text.size() == std::strlen(text.c_str()));
    CHECK(target.textures()[0] != 0 && target.textures()[1] != 0);
    DO(target.draw(scene, view, 5));
    CHECK(target.current(view, 5) && !target.current(view, 6));
    std::vector<tact_pick> picks(10);
    CHECK(take(target.pick(region, picks)) == 1 && picks[0].instance == 0);
    tact::pick_request request = take(target.submit(region));
    tact::pick_request dropped = take(target.submit(region)), kept;
    CHECK(request.pending() && !kept.pending());
    kept = std::move(request);
    dropped.cancel();
    while (!take(kept.done())) {
    }
    uint64_t revision = 0;
    CHECK(take(kept.wait({})) == 1 && kept.pending());  // no room
    CHECK(take(kept.wait(picks, &revision)) == 1 && !kept.pending() && revision == 5);
    DO(target.clear());
    CHECK(take(target.pick(region, picks)) == 0);
    // What needs the application's own context is refused, with the result of C.
    tact_pick_target* const c = target.get();
    CHECK(CODE(target.begin(view, 6)) == tact_pick_target_begin(c, &view, 6) && CODE(target.begin(view, 6)) < 0);
    CHECK(CODE(target.end()) == tact_pick_target_end(c) && CODE(target.end()) < 0);
    CHECK(CODE(target.drawn(view, 0, 0, 7)) == tact_pick_target_drawn(c, &view, 0, 0, 7));
    CHECK(CODE(target.attach(1)) == tact_pick_target_attach(c, 1) && CODE(target.attach(1)) < 0);
    CHECK(CODE(target.detach()) == tact_pick_target_detach(c));
    DO(target.resize(16, 16));
}

// Particles

tact_collider ball_at(float x)
{
    tact_collider collider{};
    collider.kind = TACT_COLLIDER_SPHERE;
    collider.shape.sphere = {{x, 0, 0}, 0.5f};
    return collider;
}

void test_particles()
{
    tact::context context = make_context();
    tact_particles_desc desc{};
    desc.gravity = {0, -9.81f, 0};
    desc.backend = TACT_BACKEND_CPU;
    tact::particles system = take(tact::particles::create(context, desc));
    const std::vector<tact_vec3> places = {{0, 10, 0}, {0.9f, 10, 0}, {5, 10, 0}};
    std::vector<tact::particle_id> ids(3);
    DO(system.add(places, {}, ids));
    CHECK(ids[2].value == 2 && system.count() == 3 && system.id_end() == 3);
    CHECK(CODE(system.add(places, {}, tact::out<tact::particle_id>(ids.data(), 2))) == TACT_ERROR_INVALID_ARGUMENT);
    std::vector<tact_vec3> read(3), speeds(3);
    DO(system.read(read, speeds, ids));
    CHECK(same(read, places));
    std::vector<float> masses(3);
    tact_particle_output output{};
    output.masses = masses.data();
    DO(system.read(output));
    CHECK(masses[0] > 0);
    CHECK(CODE(system.read(tact::out<tact_vec3>(read.data(), 2))) == TACT_ERROR_INVALID_ARGUMENT);

    std::vector<tact_particle_contact> contacts(4);
    CHECK(take(system.contacts(contacts)) == 1 && contacts[0].a == 0 && contacts[0].b == 1);
    std::vector<uint64_t> marks = {5, 6, 7}, found(1);
    const tact::in<tact_particle_contact> only(contacts.data(), 1);
    DO(system.set_user_data({}, marks));
    DO(system.set_user_data(tact::in<tact::particle_id>(&ids[2], 1), found));
    DO(system.user_data(ids, marks));
    CHECK(marks[0] == 5 && marks[1] == 6 && marks[2] == 0);
    DO(system.user_data(only, found));
    CHECK(found[0] == 5);
    CHECK(CODE(system.user_data(only, marks)) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(CODE(system.user_data(ids, found)) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(CODE(system.set_user_data(ids, found)) == TACT_ERROR_INVALID_ARGUMENT);
    tact::ticket ticket(context);
    CHECK(take(system.contacts(contacts, tact::query().submit(ticket))) <= 1 && take(ticket.wait()) &&
          ticket.count() == 1);
    tact_neighbour_lists lists{};
    DO(system.neighbours(lists, 2, TACT_NEIGHBOURS_ONCE));
    CHECK(lists.slots == 3 && lists.offsets[3] == 1);

    DO(system.set_gravity({0, 0, 0}));
    const tact_particle_material rule = {1e4f, 0.5f, 0.5f, 0.5f};
    DO(system.set_contact(tact::material_id(0), tact::material_id(0), rule));
    DO(system.set_mask(tact::group_id(3), 1));
    DO(system.set_forces(std::vector<tact_vec3>(3, {0, 1e6f, 0})));
    CHECK(system.stable_step() > 0 && system.stable_step() < 1);
    const std::vector<std::byte> none;
    const size_t size = take(system.save({}));
    std::vector<std::byte> saved(size);
    CHECK(take(system.save(saved)) == size);
    tact::particles again = take(tact::particles::restore(context, saved, TACT_BACKEND_CPU));
    CHECK(CODE(tact::particles::restore(context, none)) == TACT_ERROR_INVALID_ARGUMENT);
    DO(system.step(0.01f, 0, 2));
    DO(again.step(0.01f, 0, 2, tact::query().on(TACT_BACKEND_CPU)));
    DO(system.wait());
    std::vector<tact_vec3> other(3);
    DO(system.read(read));
    DO(again.read(other));
    CHECK(same(read, other) && read[2].y > 10);
    CHECK(take(system.measure()).mass > 0 && take(system.info()).steps == 2);
    DO(system.write({}, places, std::vector<tact_vec3>(3)));
    DO(system.write(tact::in<tact::particle_id>(ids.data(), 1), tact::in<tact_vec3>(places.data(), 1)));
    CHECK(CODE(system.write(ids, tact::in<tact_vec3>(places.data(), 1))) == TACT_ERROR_INVALID_ARGUMENT);
    DO(system.read(read));
    CHECK(same(read, places));

    const tact::collider_id collider = take(system.add_collider(ball_at(0)));
    DO(system.set_collider(collider, ball_at(20)));
    const tact::body_id body = take(system.add_body(tact::triangles(tetrahedron, faces)));
    const float heights[4] = {0, 0, 0, 0};
    tact_height_field_desc field{};
    field.heights = heights;
    field.columns = field.rows = 2;
    field.step_x = field.step_z = 1;
    tact_body_pose pose{};
    pose.position = {50, 0, 0};
    CHECK(take(system.add_body(field, &pose)) != body);
    DO(system.move_body(body, pose));
    DO(system.set_user_data(collider, 8));
    DO(system.set_user_data(body, 9));
    contacts.resize(1);
    contacts[0].with = TACT_CONTACT_COLLIDER;
    contacts[0].b = collider.value;
    DO(system.touched_user_data(contacts, found));
    CHECK(found[0] == 8);
    contacts[0].with = TACT_CONTACT_BODY;
    contacts[0].b = body.value;
    DO(system.touched_user_data(contacts, found));
    CHECK(found[0] == 9);
    CHECK(CODE(system.touched_user_data(contacts, {})) == TACT_ERROR_INVALID_ARGUMENT);
    tact_emitter emitter{};
    emitter.corner = {0, 30, 0};
    emitter.edge[0] = {2, 0, 0};
    emitter.edge[1] = {0, 0, 2};
    emitter.velocity = {0, -1, 0};
    const tact::emitter_id tap = take(system.add_emitter(emitter));
    emitter.limit = 4;
    DO(system.set_emitter(tap, emitter));
    CHECK(take(system.add_sink(ball_at(-20))).value == 0 && collider.value == 0);
    DO(system.step(0.01f));
    CHECK(system.count() > 3);
    DO(system.remove(tact::in<tact::particle_id>(ids.data(), 1)));
    system.clear();
    CHECK(system.count() == 0);

    desc.response = TACT_RESPONSE_GRAINS;
    tact::particles grains = take(tact::particles::create(context, desc));
    DO(grains.add(places, {}, ids));
    tact_grain_law law{};
    law.stiffness = 1e4f;
    law.restitution = 0.5f;
    DO(grains.set_law(tact::material_id(0), tact::material_id(0), law));
    const std::vector<tact_vec3> spins = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    const std::vector<tact_quat> turns = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 0.6f, 0, 0.8f}};
    DO(grains.write_turning({}, spins, turns));
    std::vector<tact_vec3> spun(3);
    std::vector<tact_quat> turned(3);
    DO(grains.read_turning(spun, turned));
    CHECK(same(spun, spins) && turned[2].y == 0.6f && turned[1].x == 1);
    CHECK(CODE(grains.write_turning(ids, tact::in<tact_vec3>(spins.data(), 1))) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(CODE(grains.read_turning(tact::out<tact_vec3>(spun.data(), 1))) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(CODE(system.write_turning({}, spins)) == TACT_ERROR_INVALID_ARGUMENT);
    tact_bond_law glue{};
    glue.young = glue.tensile_strength = glue.shear_strength = 1e5f;
    glue.radius = 0.5f;
    DO(grains.set_bond_law(2, glue));
    const std::vector<tact::particle_id> pairs = {ids[1], ids[0]};
    CHECK(CODE(grains.bond(1, pairs)) == TACT_ERROR_INVALID_ARGUMENT);
    const size_t glued = take(grains.bond_near(2, 0.1f));
    std::vector<tact_bond> bonds(glued + 1);
    CHECK(take(grains.bonds(bonds)) == glued);
    DO(grains.unbond(pairs));
    CHECK(CODE(grains.unbond(tact::in<tact::particle_id>(pairs.data(), 1))) == TACT_ERROR_INVALID_ARGUMENT);
    DO(grains.unbond());
    CHECK(take(grains.bonds(bonds)) == 0);

    const float centres[6] = {-0.2f, 0, 0, 0.2f, 0, 0}, radii[2] = {0.4f, 0.4f};
    tact_clump_shape dumbbell{};
    dumbbell.positions = centres;
    dumbbell.radii = radii;
    dumbbell.count = 2;
    CHECK(take(context.measure_clump(dumbbell)).reach > 0.19);
    const std::vector<tact_vec3> above = {{20, 50, 0}, {22, 50, 0}};
    std::vector<tact::particle_id> clumps(2), spheres(2);
    DO(grains.add_clumps(dumbbell, above, {}, clumps));
    CHECK(grains.clump_count() == 2 && take(grains.clump_spheres(clumps[1], spheres)) == 2);
    CHECK(spheres[0] == clumps[1]);
    std::vector<float> weights(2);
    tact_clump_output clump_output{};
    clump_output.masses = weights.data();
    DO(grains.read_clumps(clump_output));
    CHECK(weights[0] > 0 && weights[0] == weights[1]);
    tact_clump_arrays elsewhere{};
    elsewhere.positions = &above[0].x;
    DO(grains.write_clumps({}, elsewhere));
    DO(grains.remove_clumps(clumps));
    CHECK(grains.clump_count() == 0);
    const tact_mesh_view solid = {tetrahedron.data(), 4, faces.data(), 4};
    std::vector<tact_vec3> packed(3);
    std::vector<float> packed_radii(3);
    CHECK(take(context.pack_clump(solid, packed, packed_radii)).count == 3);
    CHECK(packed_radii[0] > 0.2f);

    std::vector<tact_contact_force> forces;
    const size_t pressed = take(grains.contact_forces(forces));
    forces.resize(pressed + 1);
    CHECK(pressed > 0 && take(grains.contact_forces(forces)) == pressed && forces[0].arm > 0 &&
          forces[pressed].arm == 0);
    std::array<tact_boundary, 3> sides{};
    CHECK(take(grains.domain(&sides)).upper.x == desc.domain.upper.x && sides[2] == desc.boundary[2]);
    tact_average_grid grid{};
    grid.box = {{-100, -100, -100}, {100, 100, 100}};
    grid.counts[0] = grid.counts[1] = 1;
    grid.counts[2] = 2;
    std::vector<tact_average_cell> cells(2);
    DO(grains.average(grid, cells));
    CHECK(cells[0].particles + cells[1].particles == 3);
    CHECK(CODE(grains.average(grid, tact::out<tact_average_cell>(cells.data(), 1))) == TACT_ERROR_INVALID_ARGUMENT);

    // A floor that rises, one on a servo, and what lies on them.
    tact_collider floor{};
    floor.kind = TACT_COLLIDER_PLANE;
    floor.shape.plane = {{0, 1, 0}, -100};
    floor.velocity = {0, 1, 0};
    take(grains.add_collider(floor));
    floor.velocity = {0, 0, 0};
    take(grains.add_collider(floor));
    tact_servo servo{};
    servo.direction = {0, 1, 0};
    servo.force = 1;
    servo.gain = 1;
    servo.greatest_speed = 0.5f;
    DO(grains.set_motion(TACT_CONTACT_COLLIDER, 0, true));
    DO(grains.set_servo(TACT_CONTACT_COLLIDER, 1, &servo));
    DO(grains.set_wear(TACT_CONTACT_COLLIDER, 1, true));
    DO(grains.step(0.25f, 64));
    const tact_surface_state risen = take(grains.surface(TACT_CONTACT_COLLIDER, 0));
    const tact_surface_state servoed = take(grains.surface(TACT_CONTACT_COLLIDER, 1));
    CHECK(risen.pose.position.y == -99.75f && servoed.servo_speed == 0.5 && servoed.wear == 0);
    std::vector<tact_surface_load> walls(6), colliders(2);
    DO(grains.measure_surfaces(walls, colliders));
    const tact_ranks_calls lone = lone_calls(nullptr);
    tact::ranks group = take(tact::ranks::create(context, lone));
    tact::particles spread = take(tact::particles::create(context));
    DO(spread.spread(group));
    tact_particle_ranks_info held[1];
    DO(spread.all_ranks(held));
    const std::byte head[2]{};
    DO(grains.save_file("test_cxx.saved", head));
    CHECK(take(tact::particles::restore_file(context, "test_cxx.saved", 2)).count() == grains.count());
    CHECK(std::remove("test_cxx.saved") == 0);
    DO(spread.save_file("test_cxx.saved"));
    CHECK(take(take(tact::particles::restore_file(context, group, "test_cxx.saved")).ranks_info()).ranks == 1);
    CHECK(std::remove("test_cxx.saved") == 0);
    CHECK(CODE(tact::particles::restore_file(context, group, "test_cxx.saved")) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(take(group.info()).count == 1 && take(spread.ranks_info()).ranks == 1 && held[0].held == 0);
    CHECK(colliders[0].contacts == 0);
    CHECK(CODE(grains.measure_surfaces(tact::out<tact_surface_load>(walls.data(), 5))) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(CODE(grains.surface(TACT_CONTACT_WALL, 0)) == TACT_ERROR_INVALID_ARGUMENT);

    // A text that drives spins, and a function on top of it.
    const tact_program_parameter strength = {"k", 0.5f};
    DO(grains.set_program("ty = k; fx = -k*vx", {&strength, 1}));
    DO(grains.set_program_parameter("k", 0.25f));
    CHECK(CODE(grains.set_program_parameter("l", 1)) == TACT_ERROR_INVALID_ARGUMENT);
    CHECK(CODE(grains.set_program("fx = ")) == TACT_ERROR_INVALID_ARGUMENT);
    std::vector<char> program(take(grains.program({})));
    CHECK(take(grains.program(program)) == 19 && std::string(program.data()) == "ty = k; fx = -k*vx");
    size_t called = 0;
    auto lift = [&called](const tact_force_call& now) {
        for (size_t i = 0; i < now.count; ++i)
            now.forces[3 * i + 1] = 9.81f * now.masses[i];
        return ++called < 7;
    };
    DO(grains.set_force_function(lift));
    DO(grains.step(0.01f, 3, 2));
    CHECK(CODE(grains.step(0.01f, 3)) == TACT_ERROR_CANCELLED && called == 7);
    DO(grains.clear_force_function());
    DO(grains.set_program(""));
    CHECK(take(grains.program({})) == 0);

    // What needs the application's device is refused, with the result of C.
    const tact_device_array array = {TACT_BACKEND_CL, 0, nullptr, 0};
    tact_particle_device_arrays arrays{};
    arrays.positions = &array;
    tact_particle_buffers buffers;
    CHECK(CODE(system.add(arrays, 1)) == tact_particles_add_device(system.get(), &arrays, 1, nullptr));
    CHECK(CODE(system.add(arrays, 1)) < 0);
    CHECK(CODE(system.set_forces(array, 1)) == tact_particles_set_forces_device(system.get(), &array, 1));
    CHECK(CODE(again.read(&array, nullptr)) == tact_particles_read_device(again.get(), &array, nullptr));
    CHECK(CODE(system.device_buffers()) == tact_particles_device_buffers(system.get(), &buffers));
    CHECK(CODE(system.device_buffers()) == TACT_ERROR_UNSUPPORTED);
}

// Records and debug drawing

void test_records()
{
    tact::context context = make_context();
    tact::scene scene = take(tact::scene::create(context));
    CHECK(take(scene.add_instance(take(scene.add(tact::triangles(tetrahedron, faces))))).value == 0);
    DO(scene.commit());
    const std::vector<tact_ray> rays = rays_at(1);
    std::vector<tact_hit> hits(40);
    DO(scene.raycast(rays, hits));
    CHECK(context.recorded().queries == 1 && context.recorded().bytes > 0);
    const char* const path = "test_cxx.tactrec";
    DO(context.save_record(path));
    std::vector<std::byte> bytes;
    std::FILE* const file = std::fopen(path, "rb");
    CHECK(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
        bytes.push_back(static_cast<std::byte>(c));
    std::fclose(file);
    std::remove(path);
    context.clear_record();
    CHECK(context.recorded().queries == 0);

    tact::recording recording = take(tact::recording::read(context, bytes));
    CHECK(recording.count() == 1 && std::strstr(recording.machine(), tact_version()));
    CHECK(take(recording.describe(0)).kind == TACT_RECORDED_RAYCAST);
    bool found = false;
    for (size_t place = 0; const auto array = recording.array(0, place); ++place) {
        found = found || (!std::strcmp(array->name, "rays") && array->rows == 40);
    }
    CHECK(found && recording.mesh(0, 0)->triangle_count == 4 && !recording.mesh(0, 1));
    tact::scene made = take(recording.make_scene(0));
    CHECK(made && take(made.stats()).triangles == 4);
    CHECK(!take(recording.make_bodies(0)));
    CHECK(recording.scene_number(0) != 0 && recording.scene_number(1) == 0);
    size_t size = 0;
    const tact_replayed replayed = take(recording.run(0));
    CHECK(replayed.same);
    tact_query_options options{};
    options.backend = TACT_BACKEND_REFERENCE;
    const auto take_bytes = [&size](tact::in<std::byte> some) { size += some.size(); };
    CHECK(take(recording.answer(0, take_bytes, &options)).same && size == replayed.answer_bytes);
    CHECK(CODE(recording.run(1)) == TACT_ERROR_INVALID_ARGUMENT);
}

void test_pinned()
{
    tact::context context = make_context();
    tact::pinned memory = take(tact::pinned::create(context, 10 * sizeof(tact_ray) + 5));
    const tact::out<tact_ray> rays = memory.as<tact_ray>();
    CHECK(memory.size() == 10 * sizeof(tact_ray) + 5 && rays.size() == 10 && !memory.is_direct());
    rays[9] = tact_ray{};
    CHECK(static_cast<void*>(rays.data()) == tact_pinned_data(memory.get()));
    CHECK(take(tact::pinned::create(context, 0, TACT_BACKEND_CPU)).as<int>().empty());
    CHECK(CODE(tact::pinned::create(context, SIZE_MAX)) == TACT_ERROR_LIMIT);
}

void test_debug()
{
    tact::context context = make_context();
    tact::debug_list list = take(tact::debug_list::create(context));
    tact::debug_list expected = take(tact::debug_list::create(context));
    tact::drawing draw(list);
    tact_debug_draw by_c = tact_debug_list_draw(expected.get());
    tact::scene scene = take(tact::scene::create(context));
    const tact::instance_id instance = take(scene.add_instance(take(scene.add(tact::triangles(tetrahedron, faces)))));
    DO(scene.commit());
    tact::volumes set = take(tact::volumes::create(context));
    const tact_aabb box = {{0, 0, 0}, {1, 2, 3}};
    DO(set.add(tact::in<tact_aabb>(&box, 1)));
    const tact_obb obb = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
    const tact_sphere sphere = {{0, 0, 0}, 1};
    const tact_capsule capsule = {{0, 0, 0}, {0, 1, 0}, 1};
    const tact_plane plane = {{0, 1, 0}, 0};
    const tact_triangle triangle = {tetrahedron[0], tetrahedron[1], tetrahedron[2]};
    const tact_triangle_contact contact = {TACT_TRIANGLES_MEET_IN_SEGMENT, {{0, 0, 0}, {1, 0, 0}}};
    const tact_ray ray = rays_at(1)[0];
    tact_hit hit{};
    hit.t = 3;
    const tact_vec3 zero = {0, 0, 0}, up = {0, 1, 0};
    tact_manifold manifold{};
    float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    tact_frustum frustum;
    CHECK(tact_frustum_from_matrix(matrix, TACT_MATRIX_BY_ROWS, TACT_CLIP_MINUS_ONE_TO_ONE, &frustum));

    tact::bodies bodies = take(tact::bodies::create(context));
    tact_body_shape ball{};
    ball.radius = 1;
    take(bodies.add_shape(ball));
    std::array<tact_body, 2> balls{};
    balls[1].pose.y = 1.5;
    DO(bodies.add(balls));
    std::array<tact_contact, 1> touching{};
    CHECK(take(bodies.find_contacts(touching)) == 1);
    const std::array<double, 3> origin{1, 2, 3};

    const tact_debug_kind kind = TACT_DEBUG_VOLUME;
#define BOTH(mine, theirs)      \
    CHECK(take(mine));          \
    CHECK((theirs) == TACT_OK); \
    CHECK(list.lines().size() == expected.lines().size() && list.points().size() == expected.points().size())
    BOTH(draw.box(kind, box), tact_debug_aabb(&by_c, kind, box));
    BOTH(draw.box(kind, obb), tact_debug_obb(&by_c, kind, &obb));
    BOTH(draw.box(kind, box, moved), tact_debug_moved_aabb(&by_c, kind, box, moved.data()));
    BOTH(draw.box(kind, scene, instance), tact_debug_instance_box(&by_c, kind, scene.get(), 0));
    BOTH(draw.sphere(kind, sphere), tact_debug_sphere(&by_c, kind, sphere));
    BOTH(draw.capsule(kind, capsule), tact_debug_capsule(&by_c, kind, capsule));
    BOTH(draw.plane(plane, zero, 2), tact_debug_plane(&by_c, plane, zero, 2));
    BOTH(draw.triangle(triangle, true), tact_debug_triangle(&by_c, triangle, true));
    BOTH(draw.triangle(scene, instance, 2), tact_debug_instance_triangle(&by_c, scene.get(), 0, 2));
    BOTH(draw.frustum(frustum, 10), tact_debug_frustum(&by_c, &frustum, 10));
    BOTH(draw.ray(ray, &hit, &up, 10), tact_debug_ray(&by_c, &ray, &hit, &up, 10));
    BOTH(draw.contact(zero, up, 2), tact_debug_contact(&by_c, zero, up, 2));
    BOTH(draw.contacts(tact::in<tact_triangle_contact>(&contact, 1)),
         tact_debug_triangle_contacts(&by_c, &contact, 1, nullptr));
    BOTH(draw.manifold(manifold, 1), tact_debug_manifold(&by_c, &manifold, 1));
    BOTH(draw.all(set), tact_debug_volumes(&by_c, set.get()));
    BOTH(draw.all(bodies, origin.data(), 2), tact_debug_bodies(&by_c, bodies.get(), origin.data(), 2));
    BOTH(draw.contacts(bodies, touching, nullptr, 1),
         tact_debug_body_contacts(&by_c, bodies.get(), touching.data(), 1, nullptr, 1));
    BOTH(draw.bounds(scene), tact_debug_scene_bounds(&by_c, scene.get()));
    BOTH(draw.bounds(scene, instance), tact_debug_instance_bounds(&by_c, scene.get(), 0));
    BOTH(draw.tree(scene, 0), tact_debug_scene_tree(&by_c, scene.get(), 0));
    BOTH(draw.tree(scene, instance, TACT_DEBUG_LEAVES),
         tact_debug_instance_tree(&by_c, scene.get(), 0, TACT_DEBUG_LEAVES));
    BOTH(draw.edges(scene, instance), tact_debug_instance_edges(&by_c, scene.get(), 0));
    BOTH(draw.normals(scene, instance, 1), tact_debug_instance_normals(&by_c, scene.get(), 0, 1));
    size_t lines = 0, points = 0, triangles = 0;
    const tact_debug_vertex* const line = tact_debug_list_lines(expected.get(), &lines);
    const tact_debug_vertex* const point = tact_debug_list_points(expected.get(), &points);
    const tact_debug_vertex* const face = tact_debug_list_triangles(expected.get(), &triangles);
    CHECK(same(list.lines(), line, lines) && same(list.points(), point, points) && lines > 100 && points > 0);
    CHECK(same(list.triangles(), face, triangles) && triangles == 6);
    CHECK(tact::drawing::levels(scene) == tact_debug_scene_levels(scene.get()));
    CHECK(tact::drawing::levels(scene, instance) == tact_debug_instance_levels(scene.get(), 0));
    CHECK(tact::drawing::default_color(kind).a == tact_debug_default_color(kind).a);
    list.clear();
    CHECK(list.lines().empty());
    tact_debug_draw few{};
    few.limit = 3;
    tact::drawing limited(few);
    CHECK(!take(limited.box(kind, box)) && limited.asked == 12);
}

}  // namespace

int main()
{
    test_types();
    test_context();
    test_scene();
    test_tickets();
    test_meshes();
    test_culler();
    test_ranks();
    test_clouds();
    test_indices();
    test_bodies();
    test_body_grains();
    test_volumes();
    test_images();
    test_picks();
    test_particles();
    test_records();
    test_pinned();
    test_debug();
    std::printf("%d checks, C++ %ld\n", checks, static_cast<long>(__cplusplus));
    return 0;
}
